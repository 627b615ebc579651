//! Which rules of a schema a value breaks, in the form of MongoDB's validation errors.
//!
//! Each keyword is tried as a schema of its own: this runs only for documents that were refused.

use super::{Property, encryption, parse};
use value::{Document, DocumentRef, Value, ValueRef, doc};

/// The rules of this schema that the value does not satisfy, one document each.
pub(super) fn rules(source: &Document, value: ValueRef<'_>) -> Vec<Value> {
    source
        .iter()
        .filter(|(keyword, _)| !is_companion(keyword))
        .filter_map(|(keyword, rule)| {
            let alone = alone(source, keyword, rule);
            if is_satisfied(&alone, value) {
                return None;
            }
            Some(Value::Document(broken(keyword, rule, alone, value)))
        })
        .collect()
}

/// Whether the keyword says nothing by itself.
fn is_companion(keyword: &str) -> bool {
    matches!(
        keyword,
        "exclusiveMinimum" | "exclusiveMaximum" | "title" | "description"
    )
}

/// The schema of this keyword alone, with those that change its meaning.
fn alone(source: &Document, keyword: &str, rule: &Value) -> Document {
    let companions: &[&str] = match keyword {
        "minimum" => &["exclusiveMinimum"],
        "maximum" => &["exclusiveMaximum"],
        "additionalItems" => &["items"],
        "additionalProperties" => &["properties", "patternProperties"],
        _ => &[],
    };
    let mut alone = Document::new().with(keyword, rule.clone());
    for companion in companions {
        // Their own rules are reported under their own names.
        match (keyword, source.get(companion)) {
            ("additionalProperties", Some(Value::Document(named))) => {
                let free: Document = named
                    .iter()
                    .map(|(name, _)| (name.to_owned(), Value::Document(Document::new())))
                    .collect();
                alone.push(*companion, free);
            }
            ("additionalItems", Some(Value::Array(items))) => {
                let free: Vec<Document> = items.iter().map(|_| Document::new()).collect();
                alone.push(*companion, free);
            }
            (_, Some(rule)) => alone.push(*companion, rule.clone()),
            (_, None) => {}
        }
    }
    alone
}

/// The schema was parsed as part of the whole; a pattern that goes past its limit counts as broken.
fn is_satisfied(schema: &Document, value: ValueRef<'_>) -> bool {
    parse::schema(schema).is_ok_and(|schema| schema.matches(value).unwrap_or(false))
}

fn broken(keyword: &str, rule: &Value, alone: Document, value: ValueRef<'_>) -> Document {
    let detail = doc! {"operatorName": keyword};
    match (keyword, rule, value) {
        ("properties", Value::Document(properties), ValueRef::Document(document)) => {
            detail.with("propertiesNotSatisfied", properties_broken(properties, document))
        }
        ("required", Value::Array(names), ValueRef::Document(document)) => {
            let is_missing = |name: &&Value| {
                name.as_ref()
                    .as_str()
                    .is_some_and(|name| !Property::new(name).exists(document))
            };
            let missing: Vec<Value> = names.iter().filter(is_missing).cloned().collect();
            detail
                .with("specifiedAs", alone)
                .with("missingProperties", missing)
        }
        ("additionalProperties", _, ValueRef::Document(document)) => {
            let is_extra = |(name, value): &(&str, ValueRef<'_>)| {
                let single = Document::new().with(*name, value.to_value());
                !is_satisfied(&alone, ValueRef::Document(DocumentRef::Tree(&single)))
            };
            let extra: Vec<&str> = document.iter().filter(is_extra).map(|(name, _)| name).collect();
            detail
                .with("specifiedAs", doc! {"additionalProperties": (rule.clone())})
                .with("additionalProperties", extra)
        }
        ("items", Value::Document(schema), ValueRef::Array(array)) => {
            let failing = array
                .iter()
                .enumerate()
                .find(|(_, item)| !is_satisfied(schema, *item));
            let detail = detail.with("reason", "At least one item did not match the sub-schema");
            match failing {
                Some((index, item)) => detail
                    .with("itemIndex", index as i32)
                    .with("details", rules(schema, item)),
                None => detail,
            }
        }
        ("allOf" | "anyOf", Value::Array(schemas), value) => {
            detail.with("schemasNotSatisfied", schemas_broken(schemas, value))
        }
        ("oneOf", Value::Array(schemas), value) => one_of_broken(detail, schemas, value),
        ("not", ..) => detail.with("reason", "child expression matched"),
        ("encrypt", ..) => detail.with("reason", encryption::reason(value)),
        _ => {
            let detail = detail
                .with("specifiedAs", alone)
                .with("reason", reason(keyword))
                .with("consideredValue", value.to_value());
            match keyword {
                "bsonType" | "type" => detail.with("consideredType", value.type_of().alias()),
                _ => detail,
            }
        }
    }
}

fn properties_broken(properties: &Document, document: DocumentRef<'_>) -> Vec<Value> {
    properties
        .iter()
        .filter_map(|(name, rule)| {
            let field = Property::new(name);
            let (Value::Document(schema), Some(value)) = (rule, field.first_value(document)) else {
                return None;
            };
            if field
                .passes(document, |value| Ok(is_satisfied(schema, value)))
                .unwrap_or(false)
            {
                return None;
            }
            let mut property = doc! {"propertyName": name};
            for text in ["title", "description"] {
                if let Some(words) = schema.get(text) {
                    property.push(text, words.clone());
                }
            }
            Some(Value::Document(property.with("details", rules(schema, value))))
        })
        .collect()
}

fn schemas_broken(schemas: &[Value], value: ValueRef<'_>) -> Vec<Value> {
    schemas
        .iter()
        .enumerate()
        .filter_map(|(index, schema)| match schema {
            Value::Document(schema) if !is_satisfied(schema, value) => Some(Value::Document(
                doc! {"index": (index as i32), "details": (rules(schema, value))},
            )),
            _ => None,
        })
        .collect()
}

fn one_of_broken(detail: Document, schemas: &[Value], value: ValueRef<'_>) -> Document {
    let is_matching =
        |schema: &Value| matches!(schema, Value::Document(schema) if is_satisfied(schema, value));
    let matching: Vec<i32> = (0..)
        .zip(schemas)
        .filter(|(_, schema)| is_matching(schema))
        .map(|(index, _)| index)
        .collect();
    if matching.is_empty() {
        detail.with("schemasNotSatisfied", schemas_broken(schemas, value))
    } else {
        detail
            .with("reason", "more than one subschema matched")
            .with("matchingSchemaIndexes", matching)
    }
}

fn reason(keyword: &str) -> &'static str {
    match keyword {
        "bsonType" | "type" => "type did not match",
        "enum" => "value was not found in enum",
        "minimum" | "maximum" => "comparison failed",
        "multipleOf" => "considered value is not a multiple of the specified value",
        "minLength" | "maxLength" => "specified string length was not satisfied",
        "pattern" => "regular expression did not match",
        "minItems" | "maxItems" => "array did not match specified length",
        "uniqueItems" => "found a duplicate item",
        "additionalItems" => "found additional items",
        "minProperties" | "maxProperties" => "specified number of properties was not satisfied",
        _ => "the rule was not satisfied",
    }
}
