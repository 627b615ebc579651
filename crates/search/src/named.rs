//! Which of the named queries of a search a hit matches: `_name` and `matched_queries`.

use crate::hit::Hit;
use crate::request::Request;
use crate::seen::Index;
use mapping::Mapping;
use mapping::error::Result;
use mapping::fields::View;
use querying::Held;
use querying::Query;
use querying::{Clauses, Node, Statistics, compile};
use std::collections::HashMap;
use std::sync::Arc;

/// The named queries of a search, ready to be asked of the documents of one index, in the order in which hits name them.
#[derive(Debug)]
pub(crate) struct Names {
    queries: Vec<(Arc<str>, Node)>,
    /// About the bytes that they take in memory.
    bytes: usize,
}

impl Names {
    /// Those of a request, for documents of this mapping.
    pub(crate) fn of(request: &Request, mapping: &Mapping, now_ms: i64) -> Result<Names> {
        let clauses = Clauses::default();
        let queries = named(request)
            .into_iter()
            .map(|(name, query)| Ok((Arc::from(name), compile(query, mapping, now_ms, &clauses)?)));
        Ok(Names {
            queries: queries.collect::<Result<_>>()?,
            bytes: clauses.bytes(),
        })
    }

    /// Those that a document, or a nested object, matches.
    pub(crate) fn matched(&self, view: &View<'_>, counted: &Statistics) -> Result<Vec<Arc<str>>> {
        let matching = self
            .queries
            .iter()
            .filter(|(_, node)| node.score(view, counted).is_some());
        let names = matching.map(|(name, _)| name.clone()).collect();
        counted.failure().map_or(Ok(names), |error| Err(error.clone()))
    }
}

/// Says of each hit which of the named queries it matches.
pub(crate) fn mark(
    hits: &mut [Hit],
    request: &Request,
    indices: &[Index],
    now_ms: i64,
    held: &Held,
) -> Result<()> {
    if request.is_bare || named(request).is_empty() {
        return Ok(());
    }
    let compiling = held.another();
    let mut of_index: HashMap<usize, Names> = HashMap::new();
    for hit in hits {
        let Some(index) = indices.get(hit.index) else {
            continue;
        };
        let names = match of_index.remove(&hit.index) {
            Some(names) => names,
            None => {
                let names = Names::of(request, &index.mapping, now_ms)?;
                compiling.add(names.bytes)?;
                names
            }
        };
        let view = View {
            index: &index.name,
            ..hit.view(&index.mapping)
        };
        let counted = hit.counted.clone().unwrap_or_default();
        let matched = names.matched(&view, &counted)?;
        held.add(matched.len() * size_of::<Arc<str>>())?;
        hit.matched = matched;
        of_index.insert(hit.index, names);
    }
    Ok(())
}

/// The named queries of a request. Of one name the last counts, and the names are in the order in which a map of Java has them.
fn named(request: &Request) -> Vec<(&str, &Query)> {
    let mut found: Vec<(&str, &Query)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for query in request.query.iter().chain(&request.post_filter) {
        query.each_named(&mut |name, query| match places.get(name) {
            Some(at) => found[*at].1 = query,
            None => {
                places.insert(name, found.len());
                found.push((name, query));
            }
        });
    }
    let (grown, copied) = slots(found.len());
    // They go through a map that is filled, a copy of it, and another one that is filled from that.
    for slots in [grown, copied, grown] {
        found.sort_by_key(|(name, _)| spread_hash(name) & (slots - 1));
    }
    found
}

/// The slots of a map that grows to this number of entries, and those of its copy.
fn slots(entries: usize) -> (u32, u32) {
    /// The slots that a map has at first.
    const FIRST: u32 = 16;
    let entries = u32::try_from(entries).unwrap_or(u32::MAX / 4);
    // Three quarters of the slots are filled at most.
    let grown = entries.div_ceil(3).saturating_mul(4).next_power_of_two();
    let copied = (entries.saturating_mul(4) / 3 + 1).next_power_of_two();
    (grown.max(FIRST), copied)
}

/// The hash of a text by which a map of Java chooses its slot.
fn spread_hash(text: &str) -> u32 {
    let hash = text.encode_utf16().fold(0_u32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(u32::from(unit))
    });
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_come_in_the_order_of_elasticsearch() {
        let order = |names: &[&str]| {
            let clauses: Vec<_> = names
                .iter()
                .map(|name| json!({"match_all": {"_name": name}}))
                .collect();
            let body = json!({"query": {"bool": {"should": clauses}}});
            let request = body.as_object().map(Request::parse).expect("an object");
            let (request, _) = request.expect("a request");
            let names = named(&request).into_iter().map(|(name, _)| name.to_owned());
            names.collect::<Vec<_>>()
        };
        let given = [
            "b",
            "a",
            "zz",
            "hello",
            "one",
            "two",
            "three",
            "Aa",
            "BB",
            "C#",
            "a long name with blanks",
            "ü",
            "日本",
        ];
        let shown = [
            "zz",
            "Aa",
            "BB",
            "C#",
            "a",
            "b",
            "a long name with blanks",
            "one",
            "日本",
            "two",
            "three",
            "hello",
            "ü",
        ];
        assert_eq!(order(&given), shown);
        assert_eq!(order(&["q", "s", "ka", "whole"]), ["q", "s", "ka", "whole"]);
        assert_eq!(order(&["pos", "neg", "b"]), ["neg", "b", "pos"]);
    }
}
