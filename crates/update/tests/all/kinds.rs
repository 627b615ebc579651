//! Replacements, pipelines, and the document that an upsert starts from.

use language::Result;
use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use update::{Applied, Update, UpdateInput, UpdateScope, seed_document};
use value::{Document, Value, array, doc};

fn parse(update: UpdateInput) -> Result<Update> {
    Update::parse(
        &update,
        &[],
        &UpdateScope {
            variables: &Variables::new(0),
        },
    )
}

fn apply(update: UpdateInput, document: Document) -> Result<(Document, Applied)> {
    let mut changed = document;
    let applied = parse(update)?.apply(&mut changed, None, false, &Variables::new(0))?;
    Ok((changed, applied))
}

fn pipeline(stages: Vec<Value>, document: Document) -> Document {
    apply(UpdateInput::Pipeline(stages), document).unwrap().0
}

#[test]
fn a_replacement_keeps_the_id() {
    let (replaced, applied) = apply(UpdateInput::Document(doc! {"b": 1}), doc! {"_id": 7, "a": 1}).unwrap();
    assert_eq!((replaced, applied), (doc! {"_id": 7, "b": 1}, Applied::Changed));
    // The same number of another type is stored as it is given.
    let retyped = apply(
        UpdateInput::Document(doc! {"_id": 7.0, "b": 1}),
        doc! {"_id": 7, "b": 1},
    );
    assert_eq!(retyped.unwrap().0, doc! {"_id": 7.0, "b": 1});
    assert_eq!(
        pipeline(array![{"$set": {"_id": {"$toLong": "$_id"}}}], doc! {"_id": 7}),
        doc! {"_id": 7i64}
    );
    let other = apply(UpdateInput::Document(doc! {"_id": 8}), doc! {"_id": 7}).unwrap_err();
    assert_eq!(other.code.number(), 66);
}

#[test]
fn a_replacement_by_the_same_document_is_no_change() {
    let document = || doc! {"_id": 7, "a": 1, "b": 2};
    let applied = |replacement: Document| apply(UpdateInput::Document(replacement), document()).unwrap().1;
    assert_eq!(applied(document()), Applied::Unchanged);
    for other in [
        doc! {"a": 1, "b": 2},
        doc! {"_id": 7, "b": 2, "a": 1},
        doc! {"_id": 7, "a": 1.0, "b": 2},
    ] {
        assert_eq!(applied(other.clone()), Applied::Changed, "{other:?}");
    }
}

#[test]
fn what_cannot_be_an_id_is_refused_before_another_id() {
    let list = || doc! {"_id": [1]};
    let document = || doc! {"_id": 7};
    let replaced = apply(UpdateInput::Document(list()), document());
    assert_eq!(replaced.unwrap_err().code.number(), 53);
    let set = UpdateInput::Pipeline(array![{"$set": {"_id": [1]}}]);
    assert_eq!(apply(set, document()).unwrap_err().code.number(), 53);
    // Where no document is replaced, it is not looked at.
    assert!(parse(UpdateInput::Document(list())).is_ok());
}

#[test]
fn an_operator_behind_a_field_is_refused_where_there_is_a_document() {
    let mixed = || UpdateInput::Document(doc! {"a": 1, "$set": {"b": 1}});
    assert_eq!(apply(mixed(), doc! {"_id": 7}).unwrap_err().code.number(), 52);
    let mut inserted = doc! {"_id": 7};
    let update = parse(mixed()).unwrap();
    update
        .apply(&mut inserted, None, true, &Variables::new(0))
        .unwrap();
    assert_eq!(inserted, doc! {"_id": 7, "a": 1, "$set": {"b": 1}});
}

#[test]
fn a_replacement_that_refers_to_another_document_does_so_in_full() {
    let code = |replacement: Document| {
        let applied = apply(UpdateInput::Document(replacement), doc! {"_id": 1});
        applied.map_or_else(|error| error.code.number(), |_| 0)
    };
    assert_eq!(code(doc! {"a": 1, "$ref": "c", "$id": 7}), 0);
    assert_eq!(code(doc! {"a": 1, "$ref": "c", "$id": 7, "$db": "d", "b": 1}), 0);
    for partial in [
        doc! {"a": 1, "$ref": "c"},
        doc! {"a": 1, "$ref": "c", "b": 1, "$id": 7},
        doc! {"a": 1, "$id": 7, "$ref": "c"},
        doc! {"a": 1, "$id": 7},
        doc! {"a": 1, "$db": "d"},
        doc! {"a": 1, "$ref": 1, "$id": 7},
        doc! {"a": 1, "$ref": "c", "$id": 7, "$db": 1},
        doc! {"a": 1, "$ref": "c", "$db": "d", "$id": 7},
    ] {
        assert_eq!(code(partial.clone()), 55, "{partial:?}");
    }
}

#[test]
fn stages_are_applied_in_order() {
    let start = || doc! {"_id": 1, "a": 1, "b": {"c": 2}};
    assert_eq!(
        pipeline(
            array![{"$set": {"d": {"$add": ["$a", "$b.c"]}}}, {"$unset": ["a"]}],
            start()
        ),
        doc! {"_id": 1, "b": {"c": 2}, "d": 3}
    );
    assert_eq!(
        pipeline(array![{"$replaceWith": "$b"}], start()),
        doc! {"_id": 1, "c": 2}
    );
    assert_eq!(
        pipeline(array![{"$project": {"b.c": 1}}], start()),
        doc! {"_id": 1, "b": {"c": 2}}
    );
    assert_eq!(
        apply(UpdateInput::Pipeline(array![]), start()).unwrap().1,
        Applied::Unchanged
    );
}

#[test]
fn values_are_filled_in() {
    let fill = |output: Document| array![{"$fill": {"output": output}}];
    assert_eq!(
        pipeline(
            fill(doc! {"a": {"value": 7}, "b": {"value": "$c"}, "d": {"value": 1}}),
            doc! {"_id": 1, "a": null, "c": 3, "d": 0}
        ),
        doc! {"_id": 1, "a": 7, "c": 3, "d": 0, "b": 3}
    );
    for refused in [
        array![{"$fill": {"output": {"a": {"method": "locf"}}, "sortBy": {"b": 1}}}],
        fill(doc! {"a": {"method": "locf"}}),
        array![{"$fill": {"partitionByFields": ["b"], "output": {"a": {"value": 1}}}}],
    ] {
        assert_eq!(
            parse(UpdateInput::Pipeline(refused)).unwrap_err().code.number(),
            72
        );
    }
}

#[test]
fn other_stages_are_refused() {
    for known in [
        array![{"$match": {}}],
        array![{"$queryStats": {}}],
        array![{"$scoreFusion": {}}],
    ] {
        assert_eq!(parse(UpdateInput::Pipeline(known)).unwrap_err().code.number(), 72);
    }
    for unknown in [array![{"$foo": {}}], array![{"$match": {}}, {"$foo": {}}]] {
        assert_eq!(
            parse(UpdateInput::Pipeline(unknown)).unwrap_err().code.number(),
            40324
        );
    }
}

fn seed(query: Document) -> Result<Document> {
    let filter = Filter::parse(&query, &FilterScope::default())?;
    seed_document(
        &parse(UpdateInput::Document(doc! {"$set": {}}))?,
        &filter.equalities(),
    )
}

#[test]
fn an_upsert_starts_from_the_querys_equalities() {
    assert_eq!(
        seed(doc! {"_id": 1, "a.b": 2, "c": {"$gt": 1}}).unwrap(),
        doc! {"_id": 1, "a": {"b": 2}}
    );
    assert_eq!(
        seed(doc! {"$and": [{"a": 1}, {"$or": [{"b": 2}]}]}).unwrap(),
        doc! {"a": 1, "b": 2}
    );
    assert_eq!(
        seed(doc! {"b.y": 1, "c": 2, "b.x": 3, "a": 4}).unwrap(),
        doc! {"a": 4, "b": {"x": 3, "y": 1}, "c": 2}
    );
    let matched_twice = [
        doc! {"$and": [{"a": 1}, {"a": 2}]},
        doc! {"a.b": 1, "a-b": 2, "a": {"c": 1}},
    ];
    for query in matched_twice {
        assert_eq!(seed(query).unwrap_err().code.number(), 54);
    }
    let many: Document = (0..100_000)
        .rev()
        .map(|at| (format!("a{at}"), Value::Int32(at)))
        .collect();
    assert_eq!(seed(many).unwrap().len(), 100_000);
}

#[test]
fn a_replacement_takes_a_whole_id_from_the_query() {
    let seed = |query: Document| {
        let filter = Filter::parse(&query, &FilterScope::default())?;
        let replacement = parse(UpdateInput::Document(doc! {"x": 1}))?;
        seed_document(&replacement, &filter.equalities())
    };
    assert_eq!(seed(doc! {"a": 1, "_id": 2}).unwrap(), doc! {"_id": 2});
    assert_eq!(seed(doc! {"_id.x": 2}).unwrap_err().code.number(), 111);
    assert_eq!(seed(doc! {"_id": 2, "_idx.x": 2}).unwrap(), doc! {"_id": 2});
}
