//! Reading the JSON of requests strictly: what is not taken is an error.

use crate::error::{ErrorKind, Result, SearchError};
use serde_json::{Map, Value};

/// An object whose members are taken one by one; [`Members::end`] refuses what is left.
pub struct Members<'a> {
    context: String,
    left: Vec<(&'a str, &'a Value)>,
    /// Whether values have the types that Elasticsearch's object parsers take, and errors their words.
    is_content: bool,
}

impl<'a> Members<'a> {
    /// The members of a value that must be an object. Errors name the context.
    pub fn of(context: impl Into<String>, value: &'a Value) -> Result<Members<'a>> {
        let context = context.into();
        match value {
            Value::Object(object) => Ok(Members::of_object(context, object)),
            _ => Err(SearchError::parsing(format!(
                "[{context}] query malformed, no start_object after query name"
            ))),
        }
    }

    /// The members of an object.
    pub fn of_object(context: impl Into<String>, object: &'a Map<String, Value>) -> Members<'a> {
        Members {
            context: context.into(),
            left: object
                .iter()
                .map(|(name, value)| (name.as_str(), value))
                .collect(),
            is_content: false,
        }
    }

    /// The same, read as strictly as Elasticsearch's object parsers do.
    pub fn of_content(context: impl Into<String>, object: &'a Map<String, Value>) -> Members<'a> {
        Members {
            is_content: true,
            ..Members::of_object(context, object)
        }
    }

    /// What the members are of.
    pub fn context(&self) -> &str {
        &self.context
    }

    /// Whether a member is left.
    pub fn has(&self, name: &str) -> bool {
        self.left.iter().any(|(left, _)| *left == name)
    }

    /// Takes a member.
    pub fn take(&mut self, name: &str) -> Option<&'a Value> {
        let at = self.left.iter().position(|(left, _)| *left == name)?;
        Some(self.left.remove(at).1)
    }

    /// Takes the first of the members that are left.
    pub fn take_first(&mut self) -> Option<(&'a str, &'a Value)> {
        (!self.left.is_empty()).then(|| self.left.remove(0))
    }

    /// Takes a member that must be a text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Null) if !self.is_content => Ok(None),
            Some(value) => scalar(value)
                .filter(|_| !self.is_content || value.is_string())
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a string", value)),
        }
    }

    /// Takes a member that must be a number.
    pub fn number(&mut self, name: &str) -> Result<Option<f64>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Null) if !self.is_content => Ok(None),
            Some(value) => as_f64(value)
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a number", value)),
        }
    }

    /// Takes a member that must be a whole number.
    pub fn integer(&mut self, name: &str) -> Result<Option<i64>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Null) if !self.is_content => Ok(None),
            // A parser drops the fraction.
            Some(Value::Number(number)) if self.is_content && number.is_f64() => {
                Ok(number.as_f64().and_then(whole))
            }
            Some(value) => as_i64(value)
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a whole number", value)),
        }
    }

    /// Takes a member that must be a whole number that is not negative.
    pub fn count(&mut self, name: &str) -> Result<Option<usize>> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => as_i64(value)
                .and_then(|number| usize::try_from(number).ok())
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a whole number that is not negative", value)),
        }
    }

    /// Takes a member that must be true or false.
    pub fn flag(&mut self, name: &str) -> Result<Option<bool>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Null) if !self.is_content => Ok(None),
            Some(value) => as_bool(value)
                .map(Some)
                .ok_or_else(|| self.wrong(name, "[true] or [false]", value)),
        }
    }

    /// Takes a query's factor for scores: 1 unless it says otherwise.
    pub fn boost(&mut self) -> Result<f32> {
        let boost = self.number("boost")?.unwrap_or(1.0) as f32;
        check_boost(&self.context, boost)?;
        Ok(boost)
    }

    fn wrong(&self, name: &str, wanted: &str, value: &Value) -> SearchError {
        let reason = format!("[{}] [{name}] must be {wanted}, but is [{value}]", self.context);
        match value {
            _ if !self.is_content => SearchError::parsing(reason),
            Value::String(text) => {
                let cause = format!("For input string: \"{text}\"");
                SearchError::of_member(
                    &self.context,
                    name,
                    SearchError::new(ErrorKind::NumberFormat, cause),
                )
            }
            value => self.wrong_type(name, value),
        }
    }

    /// A member cannot have a value of this type.
    pub fn wrong_type(&self, name: &str, value: &Value) -> SearchError {
        SearchError::content(format!(
            "[{}] {name} doesn't support values of type: {}",
            self.context,
            token(value)
        ))
    }

    /// Refuses what was not taken.
    pub fn end(mut self) -> Result<()> {
        match self.take_first() {
            None => Ok(()),
            Some((name, _)) if self.is_content => Err(SearchError::content(format!(
                "[{}] unknown field [{name}]",
                self.context
            ))),
            Some((name, _)) => Err(SearchError::parsing(format!(
                "[{}] query does not support [{name}]",
                self.context
            ))),
        }
    }

    /// Refuses what was not taken of the parameters of a field.
    pub fn end_of_field(mut self, field: &str) -> Result<()> {
        match self.take_first() {
            None => Ok(()),
            Some((parameter, value)) => Err(SearchError::mapper(format!(
                "Mapping definition for [{field}] has unsupported parameters:  [{parameter} : {}]",
                scalar(value).unwrap_or_else(|| value.to_string())
            ))),
        }
    }
}

/// The name that Elasticsearch's errors have for the beginning of a value.
pub fn token(value: &Value) -> &'static str {
    match value {
        Value::Null => "VALUE_NULL",
        Value::Bool(_) => "VALUE_BOOLEAN",
        Value::Number(_) => "VALUE_NUMBER",
        Value::String(_) => "VALUE_STRING",
        Value::Array(_) => "START_ARRAY",
        Value::Object(_) => "START_OBJECT",
    }
}

/// Refuses a factor of scores that is negative.
pub fn check_boost(query: &str, boost: f32) -> Result<()> {
    match boost.total_cmp(&0.0).is_lt() {
        false => Ok(()),
        true => Err(SearchError::illegal(format!(
            "negative [boost] are not allowed in [{query}], use a value between 0 and 1 to deboost"
        ))),
    }
}

/// What a parser calls what a value begins with.
pub fn token_of(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "START_OBJECT",
        Value::Array(_) => "START_ARRAY",
        Value::String(_) => "VALUE_STRING",
        Value::Number(_) => "VALUE_NUMBER",
        Value::Bool(_) => "VALUE_BOOLEAN",
        Value::Null => "VALUE_NULL",
    }
}

/// The text of a scalar.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A number, as JSON has it or as text.
pub fn as_f64(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A whole number, as JSON has it or as text.
pub fn as_i64(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number
            .as_i64()
            .or_else(|| number.as_f64().filter(|n| n.fract() == 0.0).and_then(whole)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A number without its fraction; `None` where that is no `i64`.
pub(crate) fn whole(number: f64) -> Option<i64> {
    /// 2^63, which the greatest `i64` becomes where a client has doubles alone.
    const END: f64 = 9_223_372_036_854_775_808.0;
    (-END..=END).contains(&number).then_some(number as i64)
}

/// True or false, as JSON has it or as text.
pub fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) if text == "true" => Some(true),
        Value::String(text) if text == "false" => Some(false),
        _ => None,
    }
}

/// One value or an array of them.
pub fn one_or_many(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(many) => many.iter().collect(),
        one => vec![one],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_whole_where_nothing_of_them_is_lost() {
        for (given, number) in [
            (json!(5), Some(5)),
            (json!(5.0), Some(5)),
            (json!("5"), Some(5)),
            (json!(-9.223_372_036_854_776e18), Some(i64::MIN)),
            (json!(9_223_372_036_854_776_000_u64), Some(i64::MAX)),
            (json!(u64::MAX), None),
            (json!(1e300), None),
            (json!(5.5), None),
            (json!("9223372036854775808"), None),
        ] {
            assert_eq!(as_i64(&given), number, "{given}");
        }
        let object = json!({"a": -1, "b": 3});
        let mut members = Members::of("x", &object).expect("an object");
        assert!(members.count("a").is_err());
        assert_eq!(members.count("b").expect("a number"), Some(3));
        assert_eq!(members.count("c").expect("nothing"), None);
    }
}
