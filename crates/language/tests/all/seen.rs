//! A field that is read in place gives the value that evaluating the expression gives.

use language::expression::{Expression, ParseScope, Variables};
use value::{Document, DocumentBuf, DocumentRef, Value, ValueRef, array, doc};

const PATHS: [&str; 8] = [
    "$a",
    "$a.b",
    "$a.b.c",
    "$a.0",
    "$none",
    "$$ROOT",
    "$$ROOT.a.b",
    "$$CURRENT.a",
];

fn documents() -> Vec<Document> {
    vec![
        doc! {},
        doc! {"a": 1},
        doc! {"a": null},
        doc! {"a": {"b": 2}},
        doc! {"a": {"b": {"c": "x"}}},
        doc! {"a": {"b": [{"c": 1}, 7, {"c": 2}]}},
        doc! {"a": [{"b": 1}, {"b": {"c": 3}}]},
        doc! {"a": [], "b": 1},
    ]
}

/// Both as values: the field read in place, if it can be, and the evaluated one.
fn both(path: &str, document: DocumentRef<'_>) -> (Option<Option<Value>>, Option<Value>) {
    let variables = Variables::default();
    let expression = Expression::parse(&Value::from(path), &ParseScope::new()).unwrap();
    let seen = expression.field(document, &variables);
    (
        seen.map(|value| value.map(ValueRef::to_value)),
        expression.evaluate(document, &variables).unwrap(),
    )
}

#[test]
fn a_field_that_is_read_in_place_is_the_one_that_evaluation_finds() {
    for document in documents() {
        let raw = DocumentBuf::from(&document);
        for path in PATHS {
            for form in [DocumentRef::Tree(&document), raw.as_ref()] {
                let (seen, found) = both(path, form);
                assert!(
                    seen.as_ref().is_none_or(|seen| *seen == found),
                    "{path} of {document:?}: {seen:?} instead of {found:?}"
                );
            }
        }
    }
}

#[test]
fn fields_in_arrays_are_computed() {
    let document = doc! {"a": [{"b": 1}]};
    let (seen, found) = both("$a.b", (&document).into());
    assert_eq!((seen, found), (None, Some(array![1].into())));
}

#[test]
fn expressions_that_are_no_field_of_the_document_are_not_read_in_place() {
    let document = doc! {"a": 1};
    let variables = Variables::default();
    for other in [Value::Int32(1), doc! {"$add": ["$a", 1]}.into(), "$$NOW".into()] {
        let expression = Expression::parse(&other, &ParseScope::new()).unwrap();
        assert!(
            expression.field((&document).into(), &variables).is_none(),
            "{other:?}"
        );
    }
}
