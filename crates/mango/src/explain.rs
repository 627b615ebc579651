//! How a query would run (`src/mango/src/mango_cursor.erl`, `explain`).

use crate::candidates::candidates;
use crate::choice::{Bounds, Choice};
use crate::index::Index;
use crate::options::{FindOptions, number};
use value::{Document, Value, doc};

/// How CouchDB writes the bound after all values.
const MAX: &str = "<MAX>";

/// The body of the answer.
pub fn explain(database: &str, partitioned: bool, choice: &Choice, options: &FindOptions) -> Document {
    let index = choice.index();
    let shown = options.to_document();
    let mut explained = doc! {
        "dbname": database,
        "index": index.map_or(Value::Null, |index| Value::from(index.to_document())),
        "partitioned": partitioned,
        "selector": options.selector.to_document(),
        "limit": number(options.limit),
        "skip": number(options.skip),
        "fields": shown.get("fields").cloned().unwrap_or(Value::Null),
        "index_candidates": candidates(choice, options),
        "selector_hints": Value::Array(vec![Value::from(hints(options))]),
        "opts": shown,
    };
    if let Some(index) = index {
        let covering = is_covering(index, options);
        explained.push("mrargs", arguments(index, &choice.bounds(), options, covering));
        explained.push("covering", covering);
    }
    explained
}

/// Whether the index has all that is asked for.
pub fn is_covering(index: &Index, options: &FindOptions) -> bool {
    options.needed().is_some_and(|fields| index.covers(fields))
}

fn hints(options: &FindOptions) -> Document {
    let indexable = options.selector.indexable_fields();
    let mut others = options.selector.fields();
    others.retain(|field| !indexable.contains(field));
    others.sort_unstable();
    others.dedup();
    let texts = |fields: Vec<&str>| fields.into_iter().map(Value::from).collect::<Value>();
    doc! {
        "type": "json",
        "indexable_fields": texts(indexable),
        "unindexable_fields": texts(others),
    }
}

/// The arguments of the view that CouchDB would read.
fn arguments(index: &Index, bounds: &Bounds, options: &FindOptions, covering: bool) -> Document {
    let (mut start, mut end) = match (bounds, index.is_special()) {
        (Bounds::Nothing, _) => (Value::Null, Value::Null),
        (bounds, true) => (
            // Without a bound, CouchDB begins after null.
            bounds.start().into_iter().next().unwrap_or(Value::Null),
            bounds.end().into_iter().next().unwrap_or(Value::from(MAX)),
        ),
        (bounds, false) => {
            let mut end = bounds.end();
            end.push(Value::from(MAX));
            (Value::Array(bounds.start()), Value::Array(end))
        }
    };
    let is_backward = options.sort.descending && !options.sort.fields.is_empty();
    if is_backward {
        std::mem::swap(&mut start, &mut end);
    }
    doc! {
        "include_docs": options.r == 1 && !covering,
        "view_type": "map",
        "reduce": false,
        "partition": options.partition.as_deref().map_or(Value::Null, Value::from),
        "start_key": start,
        "end_key": end,
        "direction": if is_backward { "rev" } else { "fwd" },
        "stable": options.stable || options.stale,
        "update": options.update && !options.stale,
        "conflicts": if options.conflicts { Value::Bool(true) } else { Value::from("undefined") },
    }
}
