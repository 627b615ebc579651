//! Projections of stages give the same result for a document as bytes and as a tree.

use language::expression::Variables;
use language::projection::{Projection, Stage};
use value::{Document, DocumentBuf, DocumentRef, RawDocument, Value, doc};

/// What a stage makes of a document, of its bytes and of its tree; errors as text.
fn both(
    stage: Stage,
    operand: &Document,
    document: &Document,
) -> (Result<Document, String>, Result<Document, String>) {
    let variables = Variables::new(0);
    let operand = Value::Document(operand.clone());
    let projection = Projection::parse_stage(stage, "$stage", &operand, &variables.parse_scope()).unwrap();
    let mut out = b"before".to_vec();
    let bytes = DocumentBuf::from(document);
    let raw = projection
        .apply(DocumentRef::Raw(bytes.as_raw()), None, &variables, &mut out)
        .map(|()| RawDocument::new(&out[6..]).unwrap().to_document());
    let tree = projection.apply_tree(document, &variables);
    (
        raw.map_err(|error| error.to_string()),
        tree.map_err(|error| error.to_string()),
    )
}

fn documents() -> Vec<Document> {
    vec![
        doc! {"_id": 1, "a": 4, "b": "text", "c": {"d": 2}, "e": [1, 2]},
        doc! {"a": 4, "_id": 1},
        doc! {"b": 7, "a": Value::Null},
        doc! {},
    ]
}

#[test]
fn bytes_and_trees_are_projected_alike() {
    let kept = [
        doc! {"a": 1, "r": {"$multiply": ["$a", 2]}},
        doc! {"r": "$a", "s": "$missing", "t": "$b", "_id": 0},
        doc! {"a": "$b", "b": 1},
        doc! {"r": {"$concat": ["x", "$b"]}},
        doc! {"r": {"x": "$a", "y": "$b"}, "e": ["$a", 1]},
        doc! {"_id": "$a"},
        doc! {"_id": {"$literal": 5}, "e": 1},
    ];
    let added = [
        doc! {"r": {"$add": ["$a", 1]}},
        doc! {"a": "$b", "b": "$a"},
        doc! {"a": "$missing", "z": "$missing"},
        doc! {"z": 1, "y": "$$ROOT", "_id": "$e"},
        doc! {"e": {"$divide": ["$a", 0]}},
        doc! {"c.d": "$a"},
    ];
    let stages = kept.iter().map(|operand| (Stage::Project, operand));
    for (stage, operand) in stages.chain(added.iter().map(|operand| (Stage::AddFields, operand))) {
        for document in documents() {
            let (raw, tree) = both(stage, operand, &document);
            assert_eq!(raw, tree, "{operand:?} of {document:?}");
        }
    }
}

#[test]
fn the_first_of_several_fields_with_one_name_is_computed() {
    let twice = doc! {"_id": 1, "a": 1, "b": 2}.with("a", 3).with("r", 4);
    for operand in [doc! {"a": "$b", "r": "$a"}, doc! {"a": "$missing"}] {
        let (raw, tree) = both(Stage::AddFields, &operand, &twice);
        assert_eq!(raw, tree, "{operand:?}");
    }
}

#[test]
fn computed_fields_take_the_place_of_those_of_their_name_or_come_last() {
    let document = doc! {"_id": 1, "a": 4, "b": 5};
    let (raw, _) = both(
        Stage::AddFields,
        &doc! {"z": "$b", "a": "$missing", "b": "$a"},
        &document,
    );
    assert_eq!(raw, Ok(doc! {"_id": 1, "b": 4, "z": 5}));
    let (raw, _) = both(Stage::Project, &doc! {"z": "$b", "a": 1, "b": "$a"}, &document);
    assert_eq!(raw, Ok(doc! {"_id": 1, "a": 4, "z": 5, "b": 4}));
}

#[test]
fn metadata_alone_keeps_the_id_alone() {
    let document = doc! {"_id": 1, "a": 4};
    for operand in [
        doc! {"m": {"$meta": "randVal"}},
        doc! {"_id": 1, "m": {"$meta": "randVal"}},
    ] {
        let (raw, tree) = both(Stage::Project, &operand, &document);
        assert_eq!(raw, tree);
        assert_eq!(raw, Ok(doc! {"_id": 1}), "{operand:?}");
    }
    let (raw, _) = both(
        Stage::Project,
        &doc! {"_id": 0, "m": {"$meta": "randVal"}},
        &document,
    );
    assert_eq!(raw, Ok(doc! {}));
}

#[test]
fn wrong_specifications_have_mongodbs_codes() {
    let variables = Variables::new(0);
    let cases = [
        (Stage::Project, doc! {"a.$": 1}, 31_324),
        (Stage::Project, doc! {"a.$.b": 1}, 31_394),
        (Stage::Project, doc! {"a": {"$elemMatch": {"b": 1}}}, 168),
        (Stage::Project, doc! {"a": 0, "b": {"$add": [1, 1]}}, 31_252),
        (Stage::AddFields, doc! {"a.$": 1}, 16_410),
        (Stage::AddFields, doc! {"a": 1, "a.b": 1}, 40_176),
        (Stage::AddFields, doc! {"a.b": 1, "a": 1}, 40_176),
    ];
    for (stage, operand, expected) in cases {
        let operand = Value::Document(operand);
        let error = Projection::parse_stage(stage, "$stage", &operand, &variables.parse_scope()).unwrap_err();
        assert_eq!(error.code.number(), expected, "{operand:?}: {}", error.message);
    }
}

#[test]
fn many_fields_are_projected_as_few_are() {
    let numbered = |count: i32, value: fn(i32) -> Value| -> Document {
        let fields = (0..count).map(|at| (format!("f{at:06}"), value(at)));
        fields.collect()
    };
    let document = numbered(20_000, Value::Int32).with("_id", 1);
    let (raw, tree) = both(Stage::Project, &numbered(20_000, |_| Value::Int32(1)), &document);
    assert_eq!(raw, tree);
    assert_eq!(raw, Ok(document.clone()));
    let (raw, tree) = both(
        Stage::AddFields,
        &numbered(100, |at| Value::from(format!("$f{:06}", at + 1))),
        &document,
    );
    assert_eq!(raw, tree);
    let first = raw.ok().and_then(|added| added.get("f000000").cloned());
    assert_eq!(first, Some(Value::Int32(1)));
}

#[test]
fn the_size_of_computed_fields_of_one_document_is_limited() {
    let document = doc! {"many": 500_000, "list": vec![Value::Int32(0); 100]};
    let range = || Value::from(doc! {"$range": [0, "$many"]});
    let added: Document = (0..20).map(|at| (format!("f{at}"), range())).collect();
    for operand in [added, doc! {"list.x": range()}] {
        let (raw, tree) = both(Stage::AddFields, &operand, &document);
        assert!(
            tree.is_err_and(|error| error.contains("too much memory")),
            "{operand:?}"
        );
        assert!(
            raw.is_err_and(|error| error.contains("too much memory")),
            "{operand:?}"
        );
    }
}
