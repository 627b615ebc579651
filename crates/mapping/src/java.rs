//! What Elasticsearch has from Java: the classes of values, which it names in its errors, and how numbers are rounded.

use serde_json::Value as Json;
use value::Value;

/// The nearest whole number; of two as near, the greater one.
pub fn round(number: f64) -> f64 {
    let floor = number.floor();
    if number - floor < 0.5 { floor } else { floor + 1.0 }
}

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
    fn numbers_are_rounded_with_halves_up() {
        for (number, rounded) in [
            (2.5, 3.0),
            (-2.5, -2.0),
            (-2.6, -3.0),
            (0.499_999_999_999_999_94, 0.0),
            (9_007_199_254_740_991.0, 9_007_199_254_740_991.0),
        ] {
            assert_eq!(round(number), rounded, "{number}");
        }
    }

    #[test]
    fn whole_numbers_are_longs_where_an_integer_is_too_short() {
        let class = |value: Json| class_of_json(&value);
        assert_eq!(class(json!(i32::MAX)), "java.lang.Integer");
        assert_eq!(class(json!(i64::from(i32::MAX) + 1)), "java.lang.Long");
        assert_eq!(class(json!(u64::MAX)), "java.lang.Long");
        assert_eq!(class(json!(1.0)), "java.lang.Double");
    }
}
