//! What a path reaches, as the match language sees it.

use value::path::{FieldPath, Reached, visit, visit_expanded};
use value::{Document, DocumentBuf, Value, array, doc};

type Seen = Vec<(Option<Value>, Option<usize>)>;

/// All that the path reaches, the same in decoded and raw documents.
fn reached(document: &Document, path: &str, expanded: bool) -> Seen {
    let walk = if expanded { visit_expanded } else { visit };
    let raw = DocumentBuf::from(document);
    let [tree, raw] = [document.into(), raw.as_ref()].map(|document| {
        let mut seen = Seen::new();
        let mut note = |reached: Reached<'_>| {
            seen.push((reached.value.map(Value::from), reached.array_position));
            false
        };
        assert!(!walk(document, &FieldPath::parse(path), &mut note));
        seen
    });
    assert_eq!(tree, raw);
    tree
}

fn some(value: impl Into<Value>, position: impl Into<Option<usize>>) -> (Option<Value>, Option<usize>) {
    (Some(value.into()), position.into())
}

#[test]
fn documents_are_followed_by_name() {
    assert_eq!(reached(&doc! {"a": {"b": 1}}, "a.b", true), [some(1, None)]);
    assert_eq!(
        reached(&doc! {"a": {"b": 1}}, "a", true),
        [some(doc! {"b": 1}, None)]
    );
}

#[test]
fn a_path_that_leads_nowhere_is_missing_once() {
    assert_eq!(reached(&doc! {}, "a.b", true), [(None, None)]);
    assert_eq!(reached(&doc! {"a": 4}, "a.b", true), [(None, None)]);
    assert_eq!(reached(&doc! {"a": [{}]}, "a.b", true), [(None, Some(0))]);
}

#[test]
fn an_array_on_the_way_without_documents_reaches_nothing() {
    assert_eq!(reached(&doc! {"a": []}, "a.b", true), []);
    assert_eq!(reached(&doc! {"a": [1, [{"b": 1}]]}, "a.b", true), []);
}

#[test]
fn a_last_array_is_expanded_and_then_given_whole() {
    let document = doc! {"a": [5, 6]};
    let whole = some(array![5, 6], None);
    assert_eq!(
        reached(&document, "a", true),
        [some(5, 0), some(6, 1), whole.clone()]
    );
    assert_eq!(reached(&document, "a", false), [whole]);
    assert_eq!(
        reached(&doc! {"a": {"b": []}}, "a.b", true),
        [some(array![], None)]
    );
}

#[test]
fn arrays_are_passed_implicitly_with_the_outermost_position() {
    let document = doc! {"a": [{"b": 5}, 3, {}, {"b": [9, 11]}, {"b": 7}]};
    assert_eq!(
        reached(&document, "a.b", true),
        [
            some(5, 0),
            (None, Some(2)),
            some(9, 3),
            some(11, 3),
            some(array![9, 11], 3),
            some(7, 4)
        ]
    );
    assert_eq!(
        reached(&document, "a.b", false),
        [some(5, 0), (None, Some(2)), some(array![9, 11], 3), some(7, 4)]
    );
}

#[test]
fn a_number_names_a_position_without_expanding_it() {
    assert_eq!(reached(&doc! {"a": [5, 7, 3]}, "a.1", true), [some(7, None)]);
    assert_eq!(
        reached(&doc! {"a": [5, [2, 4]]}, "a.1", true),
        [some(array![2, 4], None)]
    );
    assert_eq!(reached(&doc! {"a": [5, 7]}, "a.01", true), []);
    assert_eq!(reached(&doc! {"a": [5, 7]}, "a.2", true), []);
}

#[test]
fn a_number_names_a_field_too() {
    let inner = doc! {"1": 4};
    assert_eq!(
        reached(&doc! {"a": [5, {"1": 4}]}, "a.1", true),
        [some(4, 1), some(inner, None)],
        "the field of each document, then the position"
    );
    assert_eq!(
        reached(&doc! {"a": [5, {"b": 4}]}, "a.1.b", true),
        [(None, Some(1)), some(4, None)]
    );
}

#[test]
fn arrays_within_arrays_are_passed_by_number_only() {
    assert_eq!(reached(&doc! {"a": [5, [{"b": 4}]]}, "a.1.b", true), [some(4, 0)]);
    assert_eq!(
        reached(&doc! {"a": [[1, 2], [3]]}, "a.0.1", true),
        [some(2, None)]
    );
}

#[test]
fn implicit_positions_within_explicit_ones() {
    let document = doc! {"a": [{"b": [2, 3]}, {"b": [4, 5]}]};
    assert_eq!(
        reached(&document, "a.0.b", true),
        [
            (None, Some(0)),
            some(2, 0),
            some(3, 1),
            some(array![2, 3], None),
            (None, Some(1))
        ]
    );
}

#[test]
fn the_walk_ends_when_the_visitor_has_seen_enough() {
    let document = doc! {"a": [{"b": 1}, {"b": 2}]};
    let mut count = 0;
    let ended = visit((&document).into(), &FieldPath::parse("a.b"), &mut |_| {
        count += 1;
        true
    });
    assert!(ended);
    assert_eq!(count, 1);
}
