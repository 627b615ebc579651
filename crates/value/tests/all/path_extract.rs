//! The keys that a document has in an index.

use value::key::{self, Direction};
use value::path::FieldPath;
use value::path::extract::{ExtractError, IndexKeys, IndexPath, keys};
use value::{Document, DocumentBuf, Value, array, doc};

fn paths(names: &[&str]) -> Vec<IndexPath> {
    names
        .iter()
        .map(|name| IndexPath {
            path: FieldPath::parse(name),
            direction: Direction::Ascending,
        })
        .collect()
}

fn extract(document: &Document, names: &[&str], sparse: bool) -> Result<IndexKeys, ExtractError> {
    let found = keys(document.into(), &paths(names), sparse);
    assert_eq!(
        found,
        keys(DocumentBuf::from(document).as_ref(), &paths(names), sparse)
    );
    found
}

/// The keys decoded, one array each.
fn decoded(found: &IndexKeys, parts: usize) -> Vec<Vec<Value>> {
    let decode = |index: &key::TypeBits, mut key: &[u8]| {
        let mut bits = &index.0[..];
        (0..parts)
            .map(|_| key::decode(&mut key, &mut bits, Direction::Ascending).unwrap())
            .collect()
    };
    found
        .keys
        .iter()
        .map(|index| decode(&index.bits, &index.key))
        .collect()
}

/// The keys, and the parts of each path that are arrays.
#[track_caller]
fn check(document: &Document, names: &[&str], expected: &[Vec<Value>], array_parts: &[&[usize]]) {
    let found = extract(document, names, false).unwrap();
    assert_eq!(decoded(&found, names.len()), expected);
    assert_eq!(found.array_parts, array_parts);
}

#[test]
fn a_plain_field_has_one_key() {
    check(&doc! {"a": 5}, &["a"], &[array![5]], &[&[]]);
    check(
        &doc! {"a": {"b": "x"}, "c": 2.5},
        &["a.b", "c"],
        &[array!["x", 2.5]],
        &[&[], &[]],
    );
    check(&doc! {"a": {"b": 1}}, &["a"], &[array![{"b": 1}]], &[&[]]);
}

#[test]
fn a_missing_field_is_null() {
    check(&doc! {}, &["a", "b.c"], &[array![null, null]], &[&[], &[]]);
    check(&doc! {"a": 1}, &["a.b"], &[array![null]], &[&[]]);
}

#[test]
fn an_array_has_a_key_for_each_distinct_element() {
    check(
        &doc! {"a": [3, 1, 3, 1.0]},
        &["a"],
        &[array![1], array![3]],
        &[&[0]],
    );
    check(
        &doc! {"a": [[1, 2], 7]},
        &["a"],
        &[array![7], array![[1, 2]]],
        &[&[0]],
    );
}

#[test]
fn an_empty_array_is_undefined_in_the_last_place_and_null_on_the_way() {
    check(&doc! {"a": []}, &["a"], &[array![Value::Undefined]], &[&[0]]);
    check(&doc! {"a": []}, &["a.b"], &[array![null]], &[&[0]]);
    check(
        &doc! {"a": []},
        &["a", "a.b"],
        &[array![Value::Undefined, null]],
        &[&[0], &[0]],
    );
}

#[test]
fn elements_without_the_rest_of_the_path_are_null() {
    check(
        &doc! {"a": [{"b": 1}, {}, 5]},
        &["a.b"],
        &[array![null], array![1]],
        &[&[0]],
    );
    check(&doc! {"a": [[{"b": 1}]]}, &["a.b"], &[array![null]], &[&[0]]);
}

#[test]
fn arrays_within_documents_within_arrays_expand_both() {
    let document = doc! {"a": [{"b": [1, 2]}, {"b": 3}]};
    check(
        &document,
        &["a.b"],
        &[array![1], array![2], array![3]],
        &[&[0, 1]],
    );
}

#[test]
fn paths_through_one_array_go_together() {
    let document = doc! {"a": [{"b": 1, "c": "x"}, {"b": 2, "c": "y"}], "d": 9};
    let expected = [array![1, "x", 9], array![2, "y", 9]];
    check(&document, &["a.b", "a.c", "d"], &expected, &[&[0], &[0], &[]]);
}

#[test]
fn parallel_arrays_are_refused() {
    let error = extract(&doc! {"a": [1], "b": [2]}, &["a", "b"], false).unwrap_err();
    assert_eq!(error.to_string(), "cannot index parallel arrays [b] [a]");
    assert!(extract(&doc! {"a": [], "b": []}, &["a", "b"], false).is_err());
    assert!(extract(&doc! {"a": [{"b": [1], "c": [2]}]}, &["a.b", "a.c"], false).is_err());
}

#[test]
fn a_number_takes_one_element() {
    check(&doc! {"a": [5, 6]}, &["a.1"], &[array![6]], &[&[]]);
    check(
        &doc! {"a": [{"b": 1}, {"b": 2}]},
        &["a.1.b"],
        &[array![2]],
        &[&[]],
    );
    check(&doc! {"a": [[1, 2]]}, &["a.0"], &[array![[1, 2]]], &[&[]]);
    check(&doc! {"a": {"1": 4}}, &["a.1"], &[array![4]], &[&[]]);
    check(&doc! {"a": [{"1": 4}]}, &["a.1"], &[array![4]], &[&[0]]);
}

#[test]
fn equal_values_of_several_elements_are_one_key() {
    let long = Value::Array((0..20_000).map(Value::Int32).collect());
    let mut elements = vec![long.clone()];
    elements.extend((0..20_000).map(Value::Int32));
    elements.extend((0..20_000).map(|number| Value::from(doc! {"x": number})));
    let document = doc! {"a": Value::Array(elements)};
    check(&document, &["a.0"], &[vec![long.clone()]], &[&[]]);
    check(&doc! {"a": [long.clone()]}, &["a.0"], &[vec![long]], &[&[]]);
}

#[test]
fn keys_that_take_too_much_are_refused() {
    let long = "x".repeat(1 << 20);
    let numbers: Vec<Value> = (0..70).map(Value::Int32).collect();
    let of = |numbers: &[Value]| {
        let document = doc! {"a": Value::Array(numbers.to_vec()), "b": long.as_str()};
        extract(&document, &["a", "b"], false)
    };
    assert_eq!(of(&numbers[..60]).unwrap().keys.len(), 60);
    assert_eq!(of(&numbers).unwrap_err(), ExtractError::TooManyKeys);
}

#[test]
fn a_number_that_is_a_position_and_a_name_is_refused() {
    let error = extract(&doc! {"a": [{"0": 4}]}, &["a.0"], false).unwrap_err();
    assert_eq!(error, ExtractError::AmbiguousName("0".into()));
}

#[test]
fn a_sparse_index_leaves_out_what_lacks_all_fields() {
    let found =
        |document: &Document, names: &[&str]| decoded(&extract(document, names, true).unwrap(), names.len());
    assert_eq!(found(&doc! {"x": 1}, &["a"]), Vec::<Vec<Value>>::new());
    assert_eq!(found(&doc! {"a": null}, &["a"]), [array![null]]);
    assert_eq!(found(&doc! {"b": 1}, &["a", "b"]), [array![null, 1]]);
    assert_eq!(found(&doc! {"a": [{"b": 1}, {}]}, &["a.b"]), [array![1]]);
}

#[test]
fn descending_parts_are_inverted() {
    let index = [IndexPath {
        path: FieldPath::parse("a"),
        direction: Direction::Descending,
    }];
    let document = doc! {"a": [1, 2]};
    let found = keys((&document).into(), &index, false).unwrap();
    let mut expected = Vec::new();
    key::encode(value::ValueRef::Int32(2), Direction::Descending, &mut expected);
    assert_eq!(found.keys[0].key, expected, "the larger first");
}
