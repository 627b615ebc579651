//! Update operators, one case a line: a document, an update and the result.

use language::expression::Variables;
use language::{Error, Result};
use update::{Applied, Update, UpdateInput, UpdateScope};
use value::{Document, Value, array, doc};

fn update_with(
    document: &Document,
    update: Document,
    filters: &[Document],
    position: Option<usize>,
) -> Result<(Document, Applied)> {
    let variables = Variables::new(1_700_000_000_000);
    let update = Update::parse(
        &UpdateInput::Document(update),
        filters,
        &UpdateScope {
            variables: &variables,
        },
    )?;
    let mut changed = document.clone();
    let applied = update.apply(&mut changed, position, false, &variables)?;
    Ok((changed, applied))
}

fn updated(document: Document, update: Document) -> Document {
    update_with(&document, update, &[], None).unwrap().0
}

fn code(document: Document, update: Document) -> i32 {
    update_with(&document, update, &[], None)
        .unwrap_err()
        .code
        .number()
}

fn error(document: Document, update: Document) -> Error {
    update_with(&document, update, &[], None).unwrap_err()
}

#[test]
fn operators_change_documents() {
    let cases = [
        (
            doc! {"_id": 1},
            doc! {"$set": {"b": 1, "a": 2}},
            doc! {"_id": 1, "a": 2, "b": 1},
        ),
        (
            doc! {"_id": 1},
            doc! {"$set": {"a.10": 1, "a.2": 2}},
            doc! {"_id": 1, "a": {"2": 2, "10": 1}},
        ),
        (
            doc! {"_id": 1, "a": [0]},
            doc! {"$set": {"a.3": 1}},
            doc! {"_id": 1, "a": [0, null, null, 1]},
        ),
        (
            doc! {"_id": 1, "a": {"b": 1}},
            doc! {"$set": {"a.$c": 1}},
            doc! {"_id": 1, "a": {"b": 1, "$c": 1}},
        ),
        (
            doc! {"_id": 1, "a": 1, "b": 2},
            doc! {"$unset": {"a": "", "c": ""}},
            doc! {"_id": 1, "b": 2},
        ),
        (
            doc! {"_id": 1, "a": [1, 2, 3]},
            doc! {"$unset": {"a.1": ""}},
            doc! {"_id": 1, "a": [1, null, 3]},
        ),
        (
            doc! {"_id": 1, "a": 1},
            doc! {"$unset": {"a.b.c": ""}},
            doc! {"_id": 1, "a": 1},
        ),
        (
            doc! {"_id": 1, "a": 1},
            doc! {"$inc": {"a": 2, "b": 5i64}},
            doc! {"_id": 1, "a": 3, "b": 5i64},
        ),
        (
            doc! {"_id": 1, "a": i32::MAX},
            doc! {"$inc": {"a": 1}},
            doc! {"_id": 1, "a": 2_147_483_648i64},
        ),
        (
            doc! {"_id": 1, "a": 1},
            doc! {"$inc": {"a": 0.5}},
            doc! {"_id": 1, "a": 1.5},
        ),
        (
            doc! {"_id": 1, "a": 7},
            doc! {"$mul": {"a": 2, "b": 5i64}},
            doc! {"_id": 1, "a": 14, "b": 0i64},
        ),
        (
            doc! {"_id": 1, "a": 7},
            doc! {"$min": {"a": 5}, "$max": {"b": 1}},
            doc! {"_id": 1, "a": 5, "b": 1},
        ),
        (
            doc! {"_id": 1, "a": 7},
            doc! {"$bit": {"a": {"and": 6, "or": 8}}},
            doc! {"_id": 1, "a": 14},
        ),
        (
            doc! {"_id": 1, "a": [{"b": [2]}, {"b": {"0": 1}}]},
            doc! {"$push": {"a": {"$each": [{"b.0": 0}], "$sort": {"b.0": 1}}}},
            doc! {"_id": 1, "a": [{"b.0": 0}, {"b": {"0": 1}}, {"b": [2]}]},
        ),
        (
            doc! {"_id": 1, "a": 1, "c": 2},
            doc! {"$rename": {"a": "b.x"}},
            doc! {"_id": 1, "c": 2, "b": {"x": 1}},
        ),
        (doc! {"_id": 1}, doc! {"$rename": {"a": "b"}}, doc! {"_id": 1}),
        (
            doc! {"_id": 1},
            doc! {"$currentDate": {"a": true}},
            doc! {"_id": 1, "a": Value::DateTime(1_700_000_000_000)},
        ),
    ];
    for (document, update, expected) in cases {
        assert_eq!(updated(document, update.clone()), expected, "{update:?}");
    }
}

#[test]
fn array_operators_change_arrays() {
    let start = || doc! {"_id": 1, "a": [3, 1, 2]};
    let cases = [
        (doc! {"$push": {"a": 9}}, array![3, 1, 2, 9]),
        (
            doc! {"$push": {"a": {"$each": [7, 8], "$position": 1}}},
            array![3, 7, 8, 1, 2],
        ),
        (
            doc! {"$push": {"a": {"$each": [7], "$position": (-1)}}},
            array![3, 1, 7, 2],
        ),
        (
            doc! {"$push": {"a": {"$each": [0], "$sort": 1, "$slice": 2}}},
            array![0, 1],
        ),
        (doc! {"$push": {"a": {"$each": [], "$slice": (-2)}}}, array![1, 2]),
        (
            doc! {"$addToSet": {"a": {"$each": [1.0, 5, 5]}}},
            array![3, 1, 2, 5],
        ),
        (doc! {"$pop": {"a": 1}}, array![3, 1]),
        (doc! {"$pop": {"a": (-1)}}, array![1, 2]),
        (doc! {"$pull": {"a": {"$gte": 2}}}, array![1]),
        (doc! {"$pull": {"a": 3}}, array![1, 2]),
        (doc! {"$pullAll": {"a": [1, 3]}}, array![2]),
        (doc! {"$inc": {"a.$[]": 1}}, array![4, 2, 3]),
    ];
    for (update, expected) in cases {
        assert_eq!(
            updated(start(), update.clone()).get("a"),
            Some(&Value::Array(expected)),
            "{update:?}"
        );
    }
}

#[test]
fn pull_takes_documents_that_match() {
    let document = doc! {"_id": 1, "a": [{"x": 1, "y": 1}, {"x": 2}, 5]};
    let changed = updated(document, doc! {"$pull": {"a": {"x": 1}}});
    assert_eq!(changed, doc! {"_id": 1, "a": [{"x": 2}, 5]});
    // What begins with an operator that stands alone is a query of documents, too.
    let documents = || doc! {"a": [{"x": 1}, {"x": 2}, 5]};
    for (condition, left) in [
        (doc! {"$comment": "the first", "x": 1}, array![{"x": 2}, 5]),
        (doc! {"$or": [{"x": 1}, {"x": 2}]}, array![5]),
        (doc! {"$comment": "all"}, array![5]),
    ] {
        let changed = updated(documents(), doc! {"$pull": {"a": (condition.clone())}});
        assert_eq!(changed, doc! {"a": left}, "{condition:?}");
    }
    for (condition, expected) in [
        (doc! {"$not": {"$gt": 2}}, 2),
        (doc! {"$unknown": 1}, 2),
        (doc! {"$expr": true}, 224),
        (doc! {"$jsonSchema": {}}, 224),
    ] {
        let refused = code(documents(), doc! {"$pull": {"a": (condition.clone())}});
        assert_eq!(refused, expected, "{condition:?}");
    }
}

#[test]
fn an_id_may_become_the_same_number_of_another_type() {
    let cases = [
        (doc! {"$set": {"_id": 1.0}}, doc! {"_id": 1.0}),
        (doc! {"$inc": {"_id": 0i64}}, doc! {"_id": 1i64}),
    ];
    for (update, expected) in cases {
        let changed = update_with(&doc! {"_id": 1}, update.clone(), &[], None).unwrap();
        assert_eq!(changed, (expected, Applied::Changed), "{update:?}");
    }
    assert_eq!(code(doc! {"_id": {"a": 1}}, doc! {"$set": {"_id.a": 1.0}}), 66);
}

#[test]
fn positional_paths_name_elements() {
    let document = doc! {"_id": 1, "a": [{"x": 1}, {"x": 2}, {"x": 3}]};
    let (matched, _) = update_with(&document, doc! {"$set": {"a.$.x": 9}}, &[], Some(1)).unwrap();
    assert_eq!(matched, doc! {"_id": 1, "a": [{"x": 1}, {"x": 9}, {"x": 3}]});
    let filters = [doc! {"e.x": {"$gte": 2}}];
    let (filtered, _) = update_with(&document, doc! {"$inc": {"a.$[e].x": 10}}, &filters, None).unwrap();
    assert_eq!(filtered, doc! {"_id": 1, "a": [{"x": 1}, {"x": 12}, {"x": 13}]});
}

#[test]
fn updates_that_change_nothing_say_so() {
    let document = doc! {"_id": 1, "a": 1, "b": [1]};
    let updates = [
        doc! {"$set": {"a": 1}},
        doc! {"$set": {"_id": 1}},
        doc! {"$inc": {"a": 0}},
        doc! {"$min": {"a": 5}},
        doc! {"$unset": {"c": ""}},
        doc! {"$addToSet": {"b": 1}},
        doc! {"$pull": {"b": 7}},
        doc! {"$setOnInsert": {"z": 1}},
        doc! {"$push": {"b": {"$each": []}}},
        doc! {"$set": {}},
    ];
    for update in updates {
        let (same, applied) = update_with(&document, update.clone(), &[], None).unwrap();
        assert_eq!(
            (same, applied),
            (document.clone(), Applied::Unchanged),
            "{update:?}"
        );
    }
}

#[test]
fn what_is_not_a_number_is_changed_by_arithmetic_alone() {
    let document = doc! {"_id": 1, "a": (f64::NAN)};
    for (update, expected) in [
        (doc! {"$inc": {"a": 1}}, Applied::Changed),
        (doc! {"$mul": {"a": 1}}, Applied::Changed),
        (doc! {"$min": {"a": 1}}, Applied::Unchanged),
        (doc! {"$set": {"a": (f64::NAN)}}, Applied::Unchanged),
    ] {
        let (_, applied) = update_with(&document, update.clone(), &[], None).unwrap();
        assert_eq!(applied, expected, "{update:?}");
    }
}

#[test]
fn names_beside_those_that_are_set_are_not_looked_at() {
    let document = || doc! {"_id": 1, "$old": {"a": 1}, "n": 1};
    assert_eq!(
        updated(document(), doc! {"$inc": {"n": 1}, "$set": {"$old.a": 2}}),
        doc! {"_id": 1, "$old": {"a": 2}, "n": 2}
    );
    assert_eq!(
        updated(document(), doc! {"$unset": {"$old": 1}}),
        doc! {"_id": 1, "n": 1}
    );
}

#[test]
fn no_document_is_made_that_could_not_be_stored() {
    let many: Vec<Value> = vec![Value::Int32(1); 1_000];
    let arrays: Document = (0..50)
        .map(|at| (format!("a{at:02}"), Value::Array(Vec::new())))
        .collect();
    let far: Document = (0..50)
        .map(|at| (format!("a{at:02}.1000000"), Value::Int32(1)))
        .collect();
    let cases = [
        (
            doc! {"a": many.clone()},
            doc! {"$set": {"a.$[]": "x".repeat(100_000)}},
        ),
        (arrays, doc! {"$set": far}),
        (
            doc! {"a": vec![Value::Array(Vec::new()); 1_000]},
            doc! {"$push": {"a.$[]": {"$each": vec!["x".repeat(100_000)]}}},
        ),
        (
            doc! {"a": vec![Value::Array(Vec::new()); 1_000]},
            doc! {"$addToSet": {"a.$[]": "x".repeat(100_000)}},
        ),
    ];
    for (document, update) in cases {
        assert_eq!(code(document, update), 17_419);
    }
    let pushed = doc! {"$push": {"a.$[]": {"$each": vec!["x".repeat(100_000)], "$slice": 0}}};
    let arrays = doc! {"a": vec![Value::Array(Vec::new()); 1_000]};
    assert_eq!(updated(arrays.clone(), pushed), arrays);
}

#[test]
fn a_document_that_an_upsert_makes_too_large_has_a_code_of_its_own() {
    let variables = Variables::new(0);
    let scope = UpdateScope {
        variables: &variables,
    };
    let input = UpdateInput::Document(doc! {"$set": {"a.$[]": "x".repeat(100_000)}});
    let update = Update::parse(&input, &[], &scope).unwrap();
    for (is_insert, expected) in [(false, 17_419), (true, 17_420)] {
        let mut document = doc! {"a": vec![Value::Int32(1); 1_000]};
        let error = update
            .apply(&mut document, None, is_insert, &variables)
            .unwrap_err();
        assert_eq!(error.code.number(), expected);
    }
}

#[test]
fn very_many_operators_are_put_in_order_quickly() {
    let operands: Document = (0..200_000)
        .rev()
        .map(|at| (format!("a{at:06}"), Value::Int32(at)))
        .collect();
    let variables = Variables::new(0);
    let scope = UpdateScope {
        variables: &variables,
    };
    let update = UpdateInput::Document(doc! {"$set": operands});
    assert!(Update::parse(&update, &[], &scope).is_ok());
}

#[test]
fn wrong_updates_are_refused_with_mongodbs_codes() {
    let cases = [
        (doc! {"$foo": {"a": 1}}, 9),
        (doc! {"$set": 5}, 9),
        (doc! {"$set": {"": 1}}, 56),
        (doc! {"$set": {"a..b": 1}}, 56),
        (doc! {"$set": {"$a": 1}}, 52),
        (doc! {"$set": {"$a.b": 1}}, 52),
        (doc! {"$set": {"$old": 2}}, 52),
        (doc! {"$rename": {"n": "$a"}}, 52),
        (doc! {"$set": {"_id": 2}}, 66),
        (doc! {"$set": {"_id.x": 2}}, 28),
        (doc! {"$unset": {"_id": ""}}, 66),
        (doc! {"$set": {"a": 1, "a.b": 1}}, 40),
        (doc! {"$set": {"a": 1}, "$inc": {"a": 1}}, 40),
        (doc! {"$set": {"n.x": 1}}, 28),
        (doc! {"$set": {"a.x": 1}}, 28),
        (doc! {"$set": {"a.$": 1}}, 2),
        (doc! {"$set": {"$": 1}}, 2),
        (doc! {"$set": {"a.$[e]": 1}}, 2),
        (doc! {"$set": {"n.$[]": 1}}, 2),
        (doc! {"$set": {"m.$[]": 1}}, 2),
        (doc! {"$inc": {"s": 1}}, 14),
        (doc! {"$inc": {"n": "x"}}, 14),
        (doc! {"$inc": {"a.$[e]": "x"}}, 14),
        (doc! {"$inc": {"l": 1}}, 2),
        (doc! {"$push": {"n": 1}}, 2),
        (doc! {"$push": {"a": {"$each": [1], "$each": [2]}}}, 2),
        (doc! {"$addToSet": {"n": 1}}, 2),
        (doc! {"$pop": {"n": 1}}, 14),
        (doc! {"$pop": {"a": 2}}, 9),
        (doc! {"$pop": {"s.b": 1}}, 28),
        (doc! {"$pull": {"n": 1}}, 2),
        (doc! {"$pullAll": {"a": 1}}, 2),
        (doc! {"$bit": {"s": {"and": 1}}}, 2),
        (doc! {"$bit": {"n": {"nand": 1}}}, 2),
        (doc! {"$currentDate": {"n": 1}}, 2),
        (doc! {"$rename": {"n": "n"}}, 2),
        (doc! {"$rename": {"n": 1}}, 2),
        (doc! {"$rename": {"": 1}}, 56),
        (doc! {"$rename": {"s": "_id"}}, 66),
        (doc! {"$rename": {"_id": "x"}}, 66),
        (doc! {"$rename": {"n.x": "y"}}, 28),
        (doc! {"$rename": {"a.0": "y"}}, 2),
        (doc! {"$rename": {"n": "a.0"}}, 2),
        (doc! {"$rename": {"n": "s", "s": "t"}}, 40),
    ];
    let document = || doc! {"_id": 1, "a": [1], "n": 1, "s": "text", "l": i64::MAX, "$old": 1};
    for (update, expected) in cases {
        assert_eq!(code(document(), update.clone()), expected, "{update:?}");
    }
}

#[test]
fn messages_are_mongodbs() {
    let refused = error(doc! {"_id": 1, "a": "x"}, doc! {"$inc": {"a": 1}});
    assert_eq!(
        refused.message,
        "Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string"
    );
    let refused = error(doc! {"_id": 1, "a": 1}, doc! {"$set": {"a.b": 1}});
    assert_eq!(refused.message, "Cannot create field 'b' in element {a: 1}");
}
