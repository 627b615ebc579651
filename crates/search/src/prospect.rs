//! Whether an index may have anything that a query looks for, by the first and the last of its dates.

use mapping::error::Result;
use mapping::fields::Term;
use mapping::{Field, FieldKind, Mapping};
use querying::{Clauses, Node, Query, Test, compile};
use std::collections::HashMap;
use std::ops::Bound;

/// A query as an index reads it.
#[derive(Debug)]
pub struct Prospect(Node);

impl Prospect {
    /// Reads a query for an index with this mapping; `now_ms` is what `now` means.
    pub fn of(query: &Query, mapping: &Mapping, now_ms: i64) -> Result<Prospect> {
        compile(query, mapping, now_ms, &Clauses::default()).map(Prospect)
    }

    /// The fields whose first and last dates say something.
    pub fn dates(&self) -> Vec<String> {
        let mut leaves = Vec::new();
        self.0.leaves(&mut leaves);
        let dated = leaves
            .into_iter()
            .filter(|leaf| is_told(&leaf.field) && matches!(leaf.test, Test::Range(..)));
        let mut names: Vec<String> = dated.map(|leaf| leaf.field.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Whether documents may match whose dates are from the first to the last of these; a field that is not there has none.
    pub fn may_match(&self, extents: &HashMap<String, (i64, i64)>) -> bool {
        may_match(&self.0, extents)
    }
}

/// Whether the dates of a field are those of documents.
fn is_told(field: &Field) -> bool {
    field.kind == FieldKind::Date && field.nested.is_none()
}

fn may_match(node: &Node, extents: &HashMap<String, (i64, i64)>) -> bool {
    let may = |node: &Node| may_match(node, extents);
    match node {
        Node::Nothing => false,
        Node::Constant(node, _) => may(node),
        Node::Bool {
            must,
            filter,
            should,
            minimum,
            ..
        } => must.iter().chain(filter).all(may) && should.iter().filter(|node| may(node)).count() >= *minimum,
        Node::DisMax(nodes, ..) => nodes.iter().any(may),
        Node::Leaf(leaf) => match &leaf.test {
            Test::Range(low, high) if is_told(&leaf.field) => extents
                .get(&leaf.field.name)
                .is_some_and(|extent| overlaps(*extent, low, high)),
            _ => true,
        },
        _ => true,
    }
}

/// Whether a range has any of the moments from one to another.
fn overlaps((first, last): (i64, i64), low: &Bound<Term>, high: &Bound<Term>) -> bool {
    let is_after = match low {
        Bound::Unbounded => false,
        Bound::Included(low) => Term::Date(last).compare(low).is_lt(),
        Bound::Excluded(low) => Term::Date(last).compare(low).is_le(),
    };
    let is_before = match high {
        Bound::Unbounded => false,
        Bound::Included(high) => Term::Date(first).compare(high).is_gt(),
        Bound::Excluded(high) => Term::Date(first).compare(high).is_ge(),
    };
    !is_after && !is_before
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapping::analysis::Analysis;
    use querying::parse_query;
    use serde_json::json;

    #[test]
    fn dates_that_an_index_does_not_have_are_not_looked_for() {
        let source = json!({"properties": {"at": {"type": "date"}, "n": {"type": "long"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let extents = HashMap::from([("at".to_owned(), (1000, 2000))]);
        for (query, wanted) in [
            (
                json!({"range": {"at": {"gte": 2000, "format": "epoch_millis"}}}),
                true,
            ),
            (
                json!({"range": {"at": {"gt": 2000, "format": "epoch_millis"}}}),
                false,
            ),
            (
                json!({"range": {"at": {"lt": 1000, "format": "epoch_millis"}}}),
                false,
            ),
            (json!({"range": {"n": {"lt": 1000}}}), true),
            (json!({"range": {"other": {"lt": 1000}}}), false),
            (
                json!({"bool": {"filter": {"range": {"at": {"lt": 5, "format": "epoch_millis"}}}, "should": {"match_all": {}}}}),
                false,
            ),
            (
                json!({"bool": {"should": [{"range": {"at": {"lt": 5, "format": "epoch_millis"}}}, {"match_all": {}}]}}),
                true,
            ),
            (json!({"match_none": {}}), false),
        ] {
            let parsed = parse_query(&query).expect("a query");
            let prospect = Prospect::of(&parsed, &mapping, 0).expect("a prospect");
            assert_eq!(prospect.may_match(&extents), wanted, "{query}");
        }
    }
}
