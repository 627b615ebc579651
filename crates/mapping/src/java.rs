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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_are_longs_where_an_integer_is_too_short() {
        let class = |value: Json| class_of_json(&value);
        assert_eq!(class(json!(i32::MAX)), "java.lang.Integer");
        assert_eq!(class(json!(i64::from(i32::MAX) + 1)), "java.lang.Long");
        assert_eq!(class(json!(u64::MAX)), "java.lang.Long");
        assert_eq!(class(json!(1.0)), "java.lang.Double");
    }
}
