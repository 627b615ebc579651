//! Projections of finds, one case a line: a specification, a document and the result.

use language::Result;
use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use language::projection::{Projection, RECORD_ID, SORT_KEY};
use value::{Decimal128, Document, DocumentBuf, RawDocument, doc};

fn project(document: &Document, specification: Document, position: Option<usize>) -> Result<Document> {
    let variables = Variables::new(0);
    let projection = Projection::parse_find(&specification, None, &variables)?;
    let mut out = Vec::new();
    projection.apply(
        DocumentBuf::from(document).as_ref(),
        position,
        &variables,
        &mut out,
    )?;
    Ok(RawDocument::new(&out).unwrap().to_document())
}

fn sample() -> Document {
    doc! {"_id": 1, "a": 1, "b": {"c": 2, "d": 3}, "e": [1, 2, 3, 4], "f": [{"x": 1, "y": 1}, {"x": 2, "y": 2}, 7]}
}

#[test]
fn a_field_that_is_left_out_does_not_come_back_under_the_same_name() {
    let twice = doc! {"_id": 1, "a": 1, "b": 2}.with("a", 3).with("c", 4);
    assert_eq!(twice.len(), 5);
    assert_eq!(
        project(&twice, doc! {"a": 0}, None).unwrap(),
        doc! {"_id": 1, "b": 2, "c": 4}
    );
}

#[test]
fn fields_are_shown_in_the_documents_order() {
    let cases = [
        (doc! {}, sample()),
        (doc! {"e": 1, "a": 1}, doc! {"_id": 1, "a": 1, "e": [1, 2, 3, 4]}),
        (doc! {"a": true, "_id": 0}, doc! {"a": 1}),
        (doc! {"_id": 1}, doc! {"_id": 1}),
        (doc! {"b": 0, "e": 0, "f": 0}, doc! {"_id": 1, "a": 1}),
        (doc! {"b.c": 1}, doc! {"_id": 1, "b": {"c": 2}}),
        (doc! {"b": {"c": 1}}, doc! {"_id": 1, "b": {"c": 2}}),
        (
            doc! {"b": {"c": 0}, "e": 0, "f": 0},
            doc! {"_id": 1, "a": 1, "b": {"d": 3}},
        ),
        (doc! {"f.x": 1, "_id": 0}, doc! {"f": [{"x": 1}, {"x": 2}]}),
        (
            doc! {"f.x": 0, "a": 0, "b": 0, "e": 0},
            doc! {"_id": 1, "f": [{"y": 1}, {"y": 2}, 7]},
        ),
        (doc! {"a.b": 1}, doc! {"_id": 1}),
        (
            doc! {"f.x": {"$literal": 9}},
            doc! {"_id": 1, "f": [{"x": 9}, {"x": 9}, {"x": 9}]},
        ),
        (
            doc! {"f.y": 1, "f.x": {"$literal": 9}},
            doc! {"_id": 1, "f": [{"y": 1, "x": 9}, {"y": 2, "x": 9}, {"x": 9}]},
        ),
    ];
    for (specification, expected) in cases {
        assert_eq!(
            project(&sample(), specification.clone(), None).unwrap(),
            expected,
            "{specification:?}"
        );
    }
}

#[test]
fn values_are_computed_from_the_whole_document() {
    let cases = [
        (
            doc! {"_id": 0, "z": "$a", "y": "text", "x": {"$add": ["$a", 1]}},
            doc! {"z": 1, "y": "text", "x": 2},
        ),
        (
            doc! {"_id": 0, "a": 1, "v": {"$literal": 1}},
            doc! {"a": 1, "v": 1},
        ),
        (
            doc! {"_id": 0, "b.n": "$a", "b.c": 1},
            doc! {"b": {"c": 2, "n": 1}},
        ),
        (doc! {"_id": 0, "z": "$none"}, doc! {}),
    ];
    for (specification, expected) in cases {
        assert_eq!(
            project(&sample(), specification.clone(), None).unwrap(),
            expected,
            "{specification:?}"
        );
    }
}

fn decimal(text: &str) -> Decimal128 {
    text.parse().unwrap()
}

#[test]
fn arrays_are_cut() {
    let document = doc! {"_id": 1, "e": [1, 2, 3, 4]};
    let cases = [
        (doc! {"e": {"$slice": 2}}, doc! {"_id": 1, "e": [1, 2]}),
        (doc! {"e": {"$slice": (-1)}}, doc! {"_id": 1, "e": [4]}),
        (doc! {"e": {"$slice": 1.9}}, doc! {"_id": 1, "e": [1]}),
        (
            doc! {"e": {"$slice": (decimal("1.9"))}},
            doc! {"_id": 1, "e": [1, 2]},
        ),
        (
            doc! {"e": {"$slice": (decimal("2.5"))}},
            doc! {"_id": 1, "e": [1, 2]},
        ),
        (doc! {"e": {"$slice": [1, 2]}}, doc! {"_id": 1, "e": [2, 3]}),
        (doc! {"e": {"$slice": [(-3), 2]}}, doc! {"_id": 1, "e": [2, 3]}),
        (doc! {"e": {"$slice": [9, 2]}}, doc! {"_id": 1, "e": []}),
        (doc! {"e": {"$elemMatch": {"$gt": 2}}}, doc! {"_id": 1, "e": [3]}),
        (doc! {"e": {"$elemMatch": {"$gt": 9}}}, doc! {"_id": 1}),
        (doc! {"e.$": 1}, doc! {"_id": 1, "e": [3]}),
        // A slice leaves all other fields in, whatever stands beside it.
        (
            doc! {"e": {"$elemMatch": {"$gt": 2}}, "x": {"$slice": 1}},
            doc! {"_id": 1, "e": [3]},
        ),
        (doc! {"x": {"$slice": 1}}, doc! {"_id": 1, "e": [1, 2, 3, 4]}),
        (doc! {"x": {"$slice": 1}, "_id": 1}, doc! {"_id": 1}),
    ];
    for (specification, expected) in cases {
        assert_eq!(
            project(&document, specification.clone(), Some(2)).unwrap(),
            expected,
            "{specification:?}"
        );
    }
    let nested = doc! {"_id": 1, "a": {"e": [1, 2, 3, 4], "f": 1}};
    assert_eq!(
        project(&nested, doc! {"a": {"e.$": 1}}, Some(2)).unwrap(),
        doc! {"_id": 1, "a": {"e": [3]}}
    );
    assert_eq!(
        project(&document, doc! {"e.$": 1}, None)
            .unwrap_err()
            .code
            .number(),
        51246
    );
    assert_eq!(
        project(&document, doc! {"e.$": 1}, Some(4))
            .unwrap_err()
            .code
            .number(),
        51247
    );
}

#[test]
fn wrong_specifications_are_refused_with_mongodbs_codes() {
    let cases = [
        (doc! {"a": 1, "b": 0}, 31254),
        (doc! {"a": 0, "b": 1}, 31253),
        (doc! {"a": 1, "a.b": 1}, 31249),
        (doc! {"a.b": 1, "a": 1}, 31250),
        (doc! {"a": {}}, 51270),
        (doc! {"": 1}, 40352),
        (doc! {"a.": 1}, 40353),
        (doc! {"a..b": 1}, 15998),
        (doc! {"$a": 1}, 16410),
        (doc! {"a": 0, "b": "$c"}, 31310),
        (doc! {"a.$": 1, "b.$": 1}, 31276),
        (doc! {"a.$.b": 1}, 31394),
        (doc! {"a.$": 0}, 31395),
        (doc! {"a.$": "x"}, 31308),
        (doc! {".$": 1}, 5_392_900),
        (doc! {"a": 0, "b.$": 1}, 31253),
        (doc! {"a": 1, "a.b": 0}, 31249),
        (doc! {"a.b": 0, "a": 1}, 31250),
        (doc! {"a": 0, "b": {"$add": [1, 1]}}, 31252),
        (doc! {"a": 0, "b": {"$slice": "x"}}, 31252),
        (doc! {"a": 0, "b": {"$foo": 1}}, 31325),
        (doc! {"a": {"$add": ["$$unknown", 1]}}, 17276),
        (doc! {"a.$": {"$slice": 1}}, 31271),
        (doc! {"a": {"b.$": {"c": 1}}}, 31271),
        (doc! {"a": {"$": 1, "b": 1}}, 16410),
        (doc! {"a": {"$elemMatch": 1}}, 31274),
        (doc! {"a.b": {"$elemMatch": {}}}, 31275),
        (doc! {"a.$": 1, "b": {"$elemMatch": {}}}, 31255),
        (doc! {"b": {"$elemMatch": {}}, "a.$": 1}, 31256),
        (doc! {"a": {"$slice": 1}, "a.b": 1}, 31249),
        (doc! {"a": {"$meta": "textScore"}}, 40218),
        (doc! {"a": {"$meta": "recordId"}}, 40218),
        (doc! {"a": {"$meta": "sortKey"}}, 40218),
        (doc! {"a": {"$meta": "other"}}, 17308),
    ];
    for (specification, expected) in cases {
        assert_eq!(
            project(&sample(), specification.clone(), None)
                .unwrap_err()
                .code
                .number(),
            expected,
            "{specification:?}"
        );
    }
}

#[test]
fn only_queries_of_fields_say_at_which_position_they_matched() {
    let variables = Variables::new(0);
    let code = |query: Document| {
        let filter = Filter::parse(&query, &FilterScope::default()).unwrap();
        let projection = Projection::parse_find(&doc! {"a.$": 1}, Some(&filter), &variables);
        projection.err().map(|error| error.code.number())
    };
    assert_eq!(code(doc! {"a": 1, "$sampleRate": 0.5}), None);
    assert_eq!(code(doc! {"a": 1, "$expr": true}), Some(224));
    assert_eq!(code(doc! {"$or": [{"a": 1}, {"$jsonSchema": {}}]}), Some(224));
    assert_eq!(code(doc! {"a": 1, "$where": "true"}), Some(2));
    assert_eq!(code(doc! {"a": 1, "b": {"$near": [0, 0]}}), Some(5_626_500));
}

#[test]
fn the_condition_of_an_element_is_on_fields_alone() {
    let cases = [
        (doc! {"b": 1, "$jsonSchema": {}}, 224),
        (doc! {"$and": [{"$jsonSchema": {}}]}, 224),
        (doc! {"$expr": true}, 2),
        (doc! {"b": {"$near": [0, 0]}}, 5_626_500),
        (doc! {"$where": "true"}, 2),
    ];
    for (condition, expected) in cases {
        let specification = doc! {"a": {"$elemMatch": condition}};
        let error = project(&sample(), specification.clone(), None).unwrap_err();
        assert_eq!(error.code.number(), expected, "{specification:?}");
    }
}

#[test]
fn metadata_is_shown_where_documents_have_it() {
    let mut variables = Variables::new(0);
    variables.set_metadata(doc! {RECORD_ID: 7i64, SORT_KEY: ["x"]});
    let meta = |name: &str| doc! {"$meta": name};
    let specification =
        doc! {"a": 1, "where": (meta(RECORD_ID)), "by": (meta(SORT_KEY)), "chance": (meta("randVal"))};
    let known = [RECORD_ID, SORT_KEY];
    let projection = Projection::parse_find_with(&specification, None, &variables, &known).unwrap();
    assert!(known.iter().all(|name| projection.needs_metadata(name)));
    assert!(!projection.needs_index_key());
    let mut out = Vec::new();
    let document = DocumentBuf::from(&sample());
    projection
        .apply(document.as_ref(), None, &variables, &mut out)
        .unwrap();
    assert_eq!(
        RawDocument::new(&out).unwrap().to_document(),
        doc! {"_id": 1, "a": 1, "where": 7i64, "by": ["x"]}
    );
}

fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort_unstable();
    paths
}

#[test]
fn plain_inclusions_say_which_fields_they_need() {
    let variables = Variables::new(0);
    let parse = |specification| Projection::parse_find(&specification, None, &variables).unwrap();
    let required = |specification| parse(specification).required_fields();
    assert_eq!(required(doc! {"a": 1, "_id": 0}), Some(vec!["a".to_owned()]));
    let with_id = vec!["_id".to_owned(), "a".to_owned()];
    assert_eq!(required(doc! {"a": 1}).map(sorted), Some(with_id));
    assert_eq!(required(doc! {"a": 0}), None);
    assert_eq!(required(doc! {"_id": 0, "a": "$b"}), None);
}
