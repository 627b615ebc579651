//! How a query would run (`src/mango/src/mango_cursor.erl`, `explain`).

use crate::Result;
use crate::candidates::candidates;
use crate::choice::{Bounds, Choice};
use crate::index::Index;
use crate::options::{FindOptions, number};
use crate::text::sort;
use value::{Document, Value, doc};

/// How CouchDB writes the bound after all values.
const MAX: &str = "<MAX>";

/// The body of the answer.
pub fn explain(
    database: &str,
    partitioned: bool,
    choice: &Choice,
    options: &FindOptions,
) -> Result<Document> {
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
        "selector_hints": Value::Array(hints(options)),
        "opts": shown,
    };
    let Some(index) = index else {
        return Ok(explained);
    };
    if let Some(text) = &index.text {
        let partition = options.partition.as_deref();
        for (name, value) in
            sort::explained(&options.selector, &options.sort, (text.service, partition))?.iter()
        {
            explained.push(name, value.clone());
        }
    } else {
        let covering = is_covering(index, options);
        explained.push("mrargs", arguments(index, &choice.bounds(), options, covering));
        explained.push("covering", covering);
    }
    Ok(explained)
}

/// Whether the index has all that is asked for.
pub fn is_covering(index: &Index, options: &FindOptions) -> bool {
    options.needed().is_some_and(|fields| index.covers(fields))
}

/// Which fields an index of each type could have.
fn hints(options: &FindOptions) -> Vec<Value> {
    let selector = &options.selector;
    let hint = |kind: &str, mut indexable: Vec<String>| {
        indexable.sort_unstable();
        indexable.dedup();
        let mut others = selector.fields();
        others.retain(|field| !indexable.iter().any(|own| own == field));
        others.sort_unstable();
        others.dedup();
        Value::from(doc! {
            "type": kind,
            "indexable_fields": indexable.into_iter().map(Value::from).collect::<Value>(),
            "unindexable_fields": others.into_iter().map(Value::from).collect::<Value>(),
        })
    };
    let json = selector.indexable_fields().into_iter().map(str::to_owned);
    // A text index cannot be asked for all that selectors have.
    let text = selector.text_fields().unwrap_or_default().into_iter();
    let text = text.map(|field| field.split(':').next().unwrap_or_default().to_owned());
    vec![hint("json", json.collect()), hint("text", text.collect())]
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
