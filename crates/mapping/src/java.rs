//! The classes that Java has values in, which Elasticsearch names in its errors.

use serde_json::Value as Json;
use value::Value;

/// The class of a value of JSON.
pub fn class_of_json(value: &Json) -> &'static str {
    let is_int = |number: i64| i32::try_from(number).is_ok();
    match value {
        Json::Null => "null",
        Json::Bool(_) => "java.lang.Boolean",
        Json::Number(number) if number.is_f64() => "java.lang.Double",
        Json::Number(number) if number.as_i64().is_some_and(is_int) => "java.lang.Integer",
        Json::Number(_) => "java.lang.Long",
        Json::String(_) => "java.lang.String",
        Json::Array(_) => "java.util.ArrayList",
        Json::Object(_) => "java.util.HashMap",
    }
}

/// The class of a value of a document.
pub fn class_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "java.lang.Boolean",
        Value::Int32(_) => "java.lang.Integer",
        Value::Int64(_) => "java.lang.Long",
        Value::Double(_) => "java.lang.Double",
        Value::String(_) => "java.lang.String",
        Value::Array(_) => "java.util.ArrayList",
        Value::Document(_) => "java.util.HashMap",
        _ => "java.lang.Object",
    }
}
