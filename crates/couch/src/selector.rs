//! Mango selectors, translated into the one filter language of the store.
//!
//! The operators are those of `src/mango/src/mango_selector.erl`. Where MongoDB's operator of the same name means more (a path that
//! meets an array matches its elements too), CouchDB's meaning is kept by asking for the type besides.

use crate::error::{CouchError, Result};
use engine::DocumentFilter;
use value::{Document, Value, doc};

/// The filter of a selector.
pub(crate) fn filter(selector: &Document) -> Result<DocumentFilter> {
    let translated = translate(selector)?;
    DocumentFilter::parse(&translated).map_err(|error| CouchError::bad_request(error.message))
}

fn translate(selector: &Document) -> Result<Document> {
    let mut all = Vec::new();
    for (name, value) in selector.iter() {
        match name {
            "$and" | "$or" | "$nor" => {
                let Value::Array(parts) = value else {
                    return Err(CouchError::bad_request(format!(
                        "Bad argument for operator {name}"
                    )));
                };
                let parts: Vec<Value> = parts.iter().map(part).collect::<Result<_>>()?;
                if !parts.is_empty() {
                    all.push(doc! {name: Value::Array(parts)});
                }
            }
            "$not" => all.push(doc! {"$nor": Value::Array(vec![part(value)?])}),
            name if name.starts_with('$') => {
                return Err(CouchError::bad_request(format!("Invalid operator: {name}")));
            }
            path => field(path, value, &mut all)?,
        }
    }
    Ok(match all.len() {
        0 => Document::new(),
        _ => doc! {"$and": all.into_iter().map(Value::from).collect::<Value>()},
    })
}

fn part(value: &Value) -> Result<Value> {
    match value {
        Value::Document(selector) => translate(selector).map(Value::from),
        _ => Err(CouchError::bad_request("Selector error: expected a JSON object")),
    }
}

/// The conditions on one path.
fn field(path: &str, condition: &Value, all: &mut Vec<Document>) -> Result<()> {
    let Value::Document(operators) = condition else {
        return operator(path, "$eq", condition, all);
    };
    if operators.is_empty() {
        return operator(path, "$eq", condition, all);
    }
    for (name, argument) in operators.iter() {
        match name.starts_with('$') {
            true => operator(path, name, argument, all)?,
            // A nested object names fields of the field.
            false => field(&format!("{path}.{name}"), argument, all)?,
        }
    }
    Ok(())
}

fn operator(path: &str, name: &str, argument: &Value, all: &mut Vec<Document>) -> Result<()> {
    let no_array = || doc! {path: {"$not": {"$type": "array"}}};
    let there = || doc! {path: {"$exists": true}};
    match name {
        "$eq" if matches!(argument, Value::Null) => all.push(doc! {path: {"$type": "null"}}),
        "$eq" => {
            all.push(doc! {path: {"$eq": argument.clone()}});
            if !matches!(argument, Value::Array(_)) {
                all.push(no_array());
            }
        }
        "$ne" => {
            let mut equal = Vec::new();
            operator(path, "$eq", argument, &mut equal)?;
            all.push(there());
            all.push(none_of(equal));
        }
        "$lt" | "$lte" | "$gt" | "$gte" => {
            all.push(doc! {path: {name: argument.clone()}});
            all.push(no_array());
        }
        "$in" => {
            all.push(doc! {path: {"$in": argument.clone()}});
            all.push(there());
        }
        "$nin" => {
            all.push(doc! {path: {"$nin": argument.clone()}});
            all.push(there());
        }
        "$not" => {
            let mut inner = Vec::new();
            field(path, argument, &mut inner)?;
            all.push(none_of(inner));
        }
        "$exists" | "$all" | "$size" | "$mod" => all.push(doc! {path: {name: argument.clone()}}),
        "$regex" => {
            all.push(doc! {path: {"$regex": argument.clone()}});
            all.push(doc! {path: {"$type": "string"}});
        }
        "$beginsWith" => {
            let Value::String(prefix) = argument else {
                return Err(CouchError::bad_request("Bad argument for operator $beginsWith"));
            };
            let pattern = format!("^\\Q{}\\E", prefix.replace("\\E", "\\E\\\\E\\Q"));
            all.push(doc! {path: {"$regex": pattern}});
            all.push(no_array());
        }
        "$type" => all.push(doc! {path: {"$type": type_names(argument)?}}),
        "$elemMatch" => {
            let (Value::Document(condition), is_operators) = (argument, starts_with_operator(argument))
            else {
                return Err(CouchError::bad_request("Bad argument for operator $elemMatch"));
            };
            let condition = match is_operators {
                true => condition.clone(),
                false => translate(condition)?,
            };
            all.push(doc! {path: {"$elemMatch": condition}});
        }
        other => {
            return Err(CouchError::bad_request(format!("Invalid operator: {other}")));
        }
    }
    Ok(())
}

fn none_of(conditions: Vec<Document>) -> Document {
    let all = doc! {"$and": conditions.into_iter().map(Value::from).collect::<Value>()};
    doc! {"$nor": Value::Array(vec![Value::from(all)])}
}

fn starts_with_operator(value: &Value) -> bool {
    let Value::Document(document) = value else {
        return false;
    };
    document
        .iter()
        .next()
        .is_some_and(|(name, _)| name.starts_with('$') && !matches!(name, "$and" | "$or" | "$nor" | "$not"))
}

/// MongoDB's names of CouchDB's types.
fn type_names(argument: &Value) -> Result<Value> {
    let Value::String(name) = argument else {
        return Err(CouchError::bad_request("Bad argument for operator $type"));
    };
    Ok(Value::from(match name.as_str() {
        "null" => "null",
        "boolean" => "bool",
        "number" => "number",
        "string" => "string",
        "array" => "array",
        "object" => "object",
        _ => return Err(CouchError::bad_request("Bad argument for operator $type")),
    }))
}
