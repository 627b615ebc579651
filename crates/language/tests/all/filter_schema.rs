//! `$jsonSchema`: which documents a schema accepts, and which schemas are refused.

use language::filter::{Filter, FilterScope};
use value::{Binary, Document, Value, doc};

#[track_caller]
fn check(cases: Vec<(Document, Vec<Document>, Vec<Document>)>) {
    for (schema, yes, no) in cases {
        let filter = Filter::parse(&doc! {"$jsonSchema": (schema.clone())}, &FilterScope::default())
            .unwrap_or_else(|error| panic!("{schema:?}: {}", error.message));
        for document in yes {
            assert!(
                filter.matches((&document).into()).unwrap(),
                "{schema:?} refuses {document:?}"
            );
        }
        for document in no {
            assert!(
                !filter.matches((&document).into()).unwrap(),
                "{schema:?} takes {document:?}"
            );
        }
    }
}

#[test]
fn a_schema_checks_types_and_presence() {
    check(vec![
        (doc! {"required": ["a"]}, vec![doc! {"a": null}], vec![doc! {}]),
        (
            doc! {"properties": {"a": {"bsonType": "int"}}},
            vec![doc! {"a": 1}, doc! {}],
            vec![doc! {"a": "x"}, doc! {"a": [1]}],
        ),
        (
            doc! {"properties": {"a": {"type": ["number", "null"]}}},
            vec![doc! {"a": 1.5}, doc! {"a": null}],
            vec![doc! {"a": true}],
        ),
        (doc! {"type": "object"}, vec![doc! {}], vec![]),
        (doc! {"bsonType": "array"}, vec![], vec![doc! {}]),
        (
            doc! {"properties": {"a": {"enum": [1, {"x": 1, "y": 2}]}}},
            vec![doc! {"a": 1i64}, doc! {"a": {"y": 2, "x": 1}}],
            vec![doc! {"a": 2}, doc! {"a": {"x": 1}}],
        ),
    ]);
}

#[test]
fn a_name_with_dots_is_a_path() {
    let (nested, text, empty) = (doc! {"a": {"b": 1}}, doc! {"a": {"b": "x"}}, doc! {"a": {}});
    let literal = doc! {"a.b": 1};
    let listed = doc! {"a": [{}, {"b": "x"}, {"b": 1}]};
    let second = doc! {"a": [3, 4]};
    check(vec![
        (
            doc! {"required": ["a.b"]},
            vec![nested.clone(), text.clone(), listed.clone()],
            vec![empty.clone(), literal.clone(), second.clone()],
        ),
        (
            doc! {"required": ["a.1"]},
            vec![second.clone()],
            vec![empty.clone()],
        ),
        (
            doc! {"properties": {"a.b": {"bsonType": "string"}}},
            vec![text.clone(), empty.clone(), literal.clone(), listed, second],
            vec![nested.clone()],
        ),
        (
            doc! {"dependencies": {"a.b": ["c"]}},
            vec![empty.clone(), literal.clone(), doc! {"a": {"b": 1}, "c": 1}],
            vec![nested.clone(), text.clone()],
        ),
        (
            doc! {"dependencies": {"c": ["a.b"]}},
            vec![doc! {"a": {"b": 1}, "c": 1}, empty.clone()],
            vec![doc! {"a.b": 1, "c": 1}],
        ),
        (
            doc! {"properties": {"p": {"required": ["a.b"]}}},
            vec![doc! {"p": (nested.clone())}],
            vec![doc! {"p": (empty)}],
        ),
        // These look at the names that documents have.
        (
            doc! {"properties": {"a.b": {}}, "additionalProperties": false},
            vec![literal],
            vec![nested, text],
        ),
    ]);
}

#[test]
fn violated_rules_are_reported_with_their_paths() {
    let schema = doc! {"required": ["a.b", "a.c"], "properties": {"a.b": {"bsonType": "string"}}};
    let filter = Filter::parse(&doc! {"$jsonSchema": schema}, &FilterScope::default()).expect("a filter");
    let told = filter.unsatisfied((&doc! {"a": {"b": 1}}).into());
    let expected = doc! {
        "operatorName": "$jsonSchema",
        "schemaRulesNotSatisfied": [
            {
                "operatorName": "required",
                "specifiedAs": {"required": ["a.b", "a.c"]},
                "missingProperties": ["a.c"]
            },
            {"operatorName": "properties", "propertiesNotSatisfied": [{
                "propertyName": "a.b",
                "details": [{
                    "operatorName": "bsonType",
                    "specifiedAs": {"bsonType": "string"},
                    "reason": "type did not match",
                    "consideredValue": 1,
                    "consideredType": "int"
                }]
            }]}
        ]
    };
    assert_eq!(told, expected);
}

#[test]
fn a_schema_checks_numbers_and_strings() {
    check(vec![
        (
            doc! {"properties": {"a": {"minimum": 1, "exclusiveMinimum": true, "maximum": 5}}},
            vec![doc! {"a": 2}, doc! {"a": 5}, doc! {"a": "x"}, doc! {}],
            vec![doc! {"a": 1}, doc! {"a": 5.5}],
        ),
        (
            doc! {"properties": {"a": {"multipleOf": 0.1}}},
            vec![doc! {"a": 0.3}, doc! {"a": 2}],
            vec![doc! {"a": 0.25}],
        ),
        (
            doc! {"properties": {"a": {"minLength": 2, "maxLength": 3, "pattern": "^é"}}},
            vec![doc! {"a": "éa"}, doc! {"a": 1}],
            vec![doc! {"a": "é"}, doc! {"a": "éabc"}, doc! {"a": "ab"}],
        ),
    ]);
}

#[test]
fn a_schema_checks_arrays() {
    check(vec![
        (
            doc! {"properties": {"a": {"items": {"bsonType": "int"}, "minItems": 1, "maxItems": 2}}},
            vec![doc! {"a": [1]}, doc! {"a": 7}],
            vec![doc! {"a": []}, doc! {"a": ["x"]}, doc! {"a": [1, 2, 3]}],
        ),
        (
            doc! {"properties": {"a": {"items": [{"type": "string"}], "additionalItems": false}}},
            vec![doc! {"a": ["x"]}, doc! {"a": []}],
            vec![doc! {"a": ["x", 1]}, doc! {"a": [1]}],
        ),
        (
            doc! {"properties": {"a": {"uniqueItems": true}}},
            vec![doc! {"a": [1, 2]}],
            vec![
                doc! {"a": [1, 1.0]},
                doc! {"a": [{"x": 1, "y": 2}, {"y": 2, "x": 1}]},
            ],
        ),
    ]);
}

#[test]
fn a_schema_checks_objects() {
    check(vec![
        (
            doc! {"properties": {"a": {}}, "patternProperties": {"^s_": {"type": "string"}}, "additionalProperties": false},
            vec![doc! {"a": 1, "s_x": "y"}],
            vec![doc! {"b": 1}, doc! {"s_x": 1}],
        ),
        (
            doc! {"additionalProperties": {"type": "number"}},
            vec![doc! {"a": 1}],
            vec![doc! {"a": "x"}],
        ),
        (
            doc! {"minProperties": 1, "maxProperties": 2},
            vec![doc! {"a": 1}],
            vec![doc! {}, doc! {"a": 1, "b": 1, "c": 1}],
        ),
        (
            doc! {"dependencies": {"a": ["b"], "c": {"required": ["d"]}, "title": "what needs what"}},
            vec![doc! {"a": 1, "b": 1}, doc! {"c": 1, "d": 1}, doc! {}],
            vec![doc! {"a": 1}, doc! {"c": 1}],
        ),
    ]);
}

#[test]
fn a_schema_combines_schemas() {
    let (number, small) = (
        doc! {"properties": {"a": {"type": "number"}}},
        doc! {"properties": {"a": {"maximum": 5}}},
    );
    check(vec![
        (
            doc! {"allOf": [(number.clone()), (small.clone())]},
            vec![doc! {"a": 1}],
            vec![doc! {"a": 9}, doc! {"a": "x"}],
        ),
        (
            doc! {"anyOf": [(number.clone()), (small.clone())]},
            vec![doc! {"a": 9}, doc! {"a": "x"}],
            vec![],
        ),
        (
            doc! {"oneOf": [(number.clone()), small]},
            vec![doc! {"a": 9}],
            vec![doc! {"a": 1}],
        ),
        (doc! {"not": number}, vec![doc! {"a": "x"}], vec![doc! {"a": 1}]),
    ]);
}

#[test]
fn wrong_schemas_are_refused() {
    let cases = [
        (doc! {"unknown": 1}, 9),
        (doc! {"$ref": "x"}, 9),
        (doc! {"type": "integer"}, 9),
        (doc! {"type": "objectId"}, 2),
        (doc! {"bsonType": "foo"}, 2),
        (doc! {"type": 1}, 14),
        (doc! {"required": []}, 9),
        (doc! {"required": [1]}, 14),
        (doc! {"minLength": (-1)}, 9),
        (doc! {"minLength": "x"}, 9),
        (doc! {"multipleOf": 0}, 9),
        (doc! {"multipleOf": (f64::NEG_INFINITY)}, 9),
        (doc! {"multipleOf": (f64::INFINITY)}, 2),
        (doc! {"multipleOf": (f64::NAN)}, 2),
        (doc! {"exclusiveMinimum": true}, 9),
        (doc! {"exclusiveMaximum": 1}, 9),
        (doc! {"dependencies": {"title": 1}}, 14),
        (doc! {"dependencies": {"a": "title"}}, 14),
        (doc! {"maximum": 1, "exclusiveMaximum": 1}, 14),
        (doc! {"minimum": "x", "unknown": 1}, 9),
        (doc! {"minimum": "x", "format": "date"}, 9),
        (doc! {"minLength": (-1), "title": 1}, 14),
        (doc! {"type": 1, "bsonType": 1}, 9),
        (doc! {"bsonType": "binData", "encrypt": {}}, 9),
        (doc! {"minimum": 1}.with("minimum", 2), 9),
        (doc! {"allOf": [1]}, 14),
        (doc! {"pattern": "["}, 51091),
        (doc! {"encrypt": 1}, 14),
        (doc! {"encrypt": {"bsonType": "foo"}}, 2),
        (doc! {"encrypt": {"algorithm": "foo"}}, 2),
        (doc! {"encrypt": {"initializationVector": 1}}, 14),
        (doc! {"encrypt": {"keyId": 1}}, 51085),
        (doc! {"encrypt": {"keyId": [1]}}, 51088),
        (doc! {"encrypt": {"unknown": 1}}, 40415),
        (doc! {"encryptMetadata": {}}, 9),
        (doc! {"encryptMetadata": {"bsonType": "int"}}, 40415),
        (doc! {"encrypt": {}, "encryptMetadata": {"keyId": "/key"}}, 9),
        (doc! {"type": "object", "bsonType": "object"}, 9),
    ];
    for (schema, code) in cases {
        let error =
            Filter::parse(&doc! {"$jsonSchema": (schema.clone())}, &FilterScope::default()).unwrap_err();
        assert_eq!(error.code.number(), code, "{schema:?}: {}", error.message);
    }
}

/// A payload of an encrypted value of the type with this byte.
fn encrypted(kind: u8, original: u8) -> Value {
    let mut bytes = vec![kind];
    bytes.extend([0; 16]);
    bytes.extend([original, 7]);
    Value::Binary(Binary { subtype: 6, bytes })
}

#[test]
fn encrypted_fields_hold_encrypted_values_of_their_type() {
    let plain = || doc! {"a": "x"};
    let text = || doc! {"a": (encrypted(1, 2))};
    let number = || doc! {"a": (encrypted(2, 16))};
    let short = doc! {"a": (Value::Binary(Binary { subtype: 6, bytes: vec![1] }))};
    let algorithm = "AEAD_AES_256_CBC_HMAC_SHA_512-Random";
    check(vec![
        (
            doc! {"properties": {"a": {"encrypt": {}}}},
            vec![doc! {}, text(), number(), short.clone()],
            vec![plain(), doc! {"a": [(encrypted(1, 2))]}],
        ),
        (
            doc! {"properties": {"a": {"encrypt": {"bsonType": ["string", "date"], "algorithm": algorithm}}}},
            vec![text()],
            vec![plain(), number(), short, doc! {"a": (encrypted(0, 2))}],
        ),
        (
            doc! {"encryptMetadata": {"algorithm": algorithm, "keyId": "/key"}},
            vec![plain()],
            vec![],
        ),
        (doc! {"encrypt": {}}, vec![], vec![plain(), text()]),
    ]);
}

#[test]
fn values_that_are_not_encrypted_are_told_apart_from_those_of_another_type() {
    let schema = doc! {"properties": {"a": {"encrypt": {"bsonType": "int"}}}};
    let filter = Filter::parse(&doc! {"$jsonSchema": schema}, &FilterScope::default()).unwrap();
    assert!(filter.has_encryption());
    let cases = [
        (Value::from("x"), "value was not encrypted"),
        (encrypted(1, 2), "encrypted value has wrong type"),
    ];
    for (value, reason) in cases {
        let details = filter.unsatisfied((&doc! {"a": value}).into());
        let expected = doc! {
            "operatorName": "$jsonSchema",
            "schemaRulesNotSatisfied": [{"operatorName": "properties", "propertiesNotSatisfied": [
                {"propertyName": "a", "details": [{"operatorName": "encrypt", "reason": reason}]}
            ]}]
        };
        assert_eq!(details, expected);
    }
}

#[test]
fn a_refused_document_is_told_which_rules_it_breaks() {
    let schema = doc! {
        "required": ["a", "b"],
        "properties": {"a": {"bsonType": "int", "description": "a count"}},
        "additionalProperties": false
    };
    let filter = Filter::parse(&doc! {"$jsonSchema": schema}, &FilterScope::default()).unwrap();
    let details = filter.unsatisfied((&doc! {"a": "x", "z": 1}).into());
    let expected = doc! {
        "operatorName": "$jsonSchema",
        "schemaRulesNotSatisfied": [
            {"operatorName": "required", "specifiedAs": {"required": ["a", "b"]}, "missingProperties": ["b"]},
            {"operatorName": "properties", "propertiesNotSatisfied": [{
                "propertyName": "a",
                "description": "a count",
                "details": [{
                    "operatorName": "bsonType",
                    "specifiedAs": {"bsonType": "int"},
                    "reason": "type did not match",
                    "consideredValue": "x",
                    "consideredType": "string"
                }]
            }]},
            {
                "operatorName": "additionalProperties",
                "specifiedAs": {"additionalProperties": false},
                "additionalProperties": ["z"]
            }
        ]
    };
    assert_eq!(details, expected);
}

#[test]
fn a_refused_document_is_told_which_conditions_it_fails() {
    let filter = Filter::parse(&doc! {"a": {"$gt": 5}, "b": 1}, &FilterScope::default()).unwrap();
    let details = filter.unsatisfied((&doc! {"a": 3, "b": 1}).into());
    let expected = doc! {
        "operatorName": "$and",
        "clausesNotSatisfied": [{"index": 0, "details": {
            "operatorName": "$gt",
            "specifiedAs": {"a": {"$gt": 5}},
            "reason": "comparison failed",
            "consideredValue": 3
        }}]
    };
    assert_eq!(details, expected);
}
