//! How `create` checks and refuses encrypted fields.

use crate::case::{Case, bad, run};
use value::{Binary, Document, Value, array, doc};

#[test]
fn commands_for_encrypted_fields_get_mongodbs_answers() {
    let mut cases = described();
    cases.extend(fields());
    cases.extend(queries());
    cases.extend(texts());
    cases.extend(beside());
    run(&cases);
}

fn key(byte: u8) -> Binary {
    Binary {
        subtype: 4,
        bytes: vec![byte; 16],
    }
}

fn create(fields: Vec<Value>) -> Document {
    doc! {"create": "secret", "encryptedFields": {"fields": Value::Array(fields)}}
}

/// One field with one or more ways to ask for it.
fn asked(kind: &str, queries: impl Into<Value>) -> Document {
    create(array![
        doc! {"keyId": key(1), "path": "a", "bsonType": kind, "queries": queries.into()}
    ])
}

fn described() -> Vec<Case> {
    let config = |fields: Document| doc! {"create": "secret", "encryptedFields": fields};
    vec![
        bad(config(doc! {}), 40_414, "encryptedFields.fields"),
        bad(config(doc! {"fields": 1}), 14, "encryptedFields.fields"),
        bad(config(doc! {"fields": [], "more": 1}), 40_415, "more"),
        bad(
            config(doc! {"fields": [], "strEncodeVersion": 1.5}),
            9,
            "strEncodeVersion",
        ),
        bad(
            doc! {"create": "secret", "encryptedFields": "x"},
            14,
            "encryptedFields",
        ),
        bad(config(doc! {"fields": []}), 238, "not supported"),
    ]
}

fn fields() -> Vec<Case> {
    let pair = |one: &str, other: &str| {
        create(array![
            doc! {"keyId": key(1), "path": one},
            doc! {"keyId": key(2), "path": other}
        ])
    };
    let same_key = create(array![
        doc! {"keyId": key(1), "path": "a"},
        doc! {"keyId": key(1), "path": "b"}
    ]);
    let one = |field: Document| create(array![field]);
    vec![
        bad(one(doc! {"path": "a"}), 40_414, "keyId"),
        bad(one(doc! {"keyId": 1, "path": "a"}), 14, "keyId"),
        bad(one(doc! {"keyId": key(1)}), 40_414, "path"),
        bad(one(doc! {"keyId": key(1), "path": ""}), 6_316_402, "non-empty"),
        bad(one(doc! {"keyId": key(1), "path": "_id.x"}), 6_316_403, "_id"),
        bad(
            one(doc! {"keyId": key(1), "path": "a", "bsonType": "word"}),
            2,
            "word",
        ),
        bad(
            one(doc! {"keyId": key(1), "path": "a", "bsonType": "minKey"}),
            6_338_406,
            "minKey",
        ),
        bad(same_key, 6_338_401, "key ids"),
        bad(pair("a", "a"), 6_338_402, "Duplicate"),
        bad(pair("a.b", "a"), 6_338_403, "prefix"),
        bad(pair("a", "ab"), 238, "not supported"),
    ]
}

fn queries() -> Vec<Case> {
    let range = |more: Document| {
        let query = more
            .iter()
            .fold(doc! {"queryType": "range"}, |query, (name, value)| {
                query.with(name, value.clone())
            });
        asked("int", query)
    };
    let untyped = doc! {"keyId": key(1), "path": "a", "queries": {"queryType": "equality"}};
    vec![
        bad(asked("int", Value::Null), 14, "queries"),
        bad(asked("int", Value::Array(array![])), 9_783_412, "query type"),
        bad(asked("int", doc! {}), 40_414, "queryType"),
        bad(asked("int", doc! {"queryType": "likeness"}), 2, "likeness"),
        bad(
            asked(
                "int",
                array![doc! {"queryType": "equality"}, doc! {"queryType": "range"}],
            ),
            9_783_414,
            "prefixes",
        ),
        bad(create(array![untyped]), 6_412_601, "type"),
        bad(
            asked("double", doc! {"queryType": "equality"}),
            6_338_405,
            "double",
        ),
        bad(
            asked("int", doc! {"queryType": "equality", "sparsity": 1}),
            6_775_205,
            "sparsity",
        ),
        bad(asked("string", doc! {"queryType": "range"}), 6_775_201, "string"),
        bad(range(doc! {"sparsity": 0}), 2, "sparsity"),
        bad(range(doc! {"sparsity": 1.5}), 9, "sparsity"),
        bad(range(doc! {"sparsity": f64::NAN}), 9, "sparsity"),
        bad(range(doc! {"contention": -1}), 2, "contention"),
        bad(range(doc! {"contention": 0.5}), 9, "contention"),
        bad(range(doc! {"trimFactor": -1}), 2, "trimFactor"),
        bad(range(doc! {"min": "x"}), 14, "min"),
        bad(range(doc! {"min": 0_i64, "max": 9_i64}), 7_018_200, "Min"),
        bad(range(doc! {"min": 0, "max": 9_i64}), 7_018_201, "Max"),
        bad(range(doc! {"min": 5, "max": 5}), 6_720_005, "less"),
        bad(
            asked("double", doc! {"queryType": "range", "min": 1.0}),
            6_967_100,
            "together",
        ),
        bad(range(doc! {"min": 4, "max": 5}), 238, "not supported"),
    ]
}

fn texts() -> Vec<Case> {
    let query = |kind: &str| {
        doc! {"queryType": kind, "strMinQueryLength": 2, "strMaxQueryLength": 9, "caseSensitive": true,
        "diacriticSensitive": false}
    };
    let without = |name: &str| {
        let mut query = query("suffixPreview");
        query.remove(name);
        asked("string", query)
    };
    let with = |name: &str, value: Value| {
        let mut query = query("suffixPreview");
        query.remove(name);
        asked("string", query.with(name, value))
    };
    let three = array![
        query("suffixPreview"),
        query("prefixPreview"),
        doc! {"queryType": "equality"}
    ];
    vec![
        bad(asked("int", query("suffixPreview")), 9_783_400, "int"),
        bad(
            asked("string", query("substringPreview")),
            9_783_401,
            "strMaxLength",
        ),
        bad(without("strMinQueryLength"), 9_783_402, "strMinQueryLength"),
        bad(without("strMaxQueryLength"), 9_783_403, "strMaxQueryLength"),
        bad(without("caseSensitive"), 9_783_404, "caseSensitive"),
        bad(without("diacriticSensitive"), 9_783_405, "diacriticSensitive"),
        bad(
            with("strMaxQueryLength", 1.into()),
            9_783_406,
            "strMinQueryLength",
        ),
        bad(with("strMaxQueryLength", 0.into()), 2, "strMaxQueryLength"),
        bad(with("caseSensitive", 1.into()), 14, "caseSensitive"),
        bad(asked("string", three), 9_783_413, "two query types"),
        bad(
            asked("string", array![query("suffixPreview"), query("prefixPreview")]),
            238,
            "not supported",
        ),
    ]
}

fn beside() -> Vec<Case> {
    let beside = |more: Document| {
        more.iter().fold(create(array![]), |create, (name, value)| {
            create.with(name, value.clone())
        })
    };
    vec![
        bad(
            beside(doc! {"capped": true, "size": 4096}),
            6_367_301,
            "capped collections",
        ),
        bad(beside(doc! {"viewOn": "plain"}), 6_346_401, "views"),
        bad(
            beside(doc! {"timeseries": {"timeField": "t"}}),
            6_346_401,
            "timeseries",
        ),
    ]
}
