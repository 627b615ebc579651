//! Reading the JSON of requests strictly: what is not taken is an error.

use crate::error::{Result, SearchError};
use serde_json::{Map, Value};

/// An object whose members are taken one by one; [`Members::end`] refuses what is left.
pub(crate) struct Members<'a> {
    context: String,
    left: Vec<(&'a str, &'a Value)>,
}

impl<'a> Members<'a> {
    pub(crate) fn of(context: impl Into<String>, value: &'a Value) -> Result<Members<'a>> {
        let context = context.into();
        match value {
            Value::Object(object) => Ok(Members::of_object(context, object)),
            _ => Err(SearchError::parsing(format!(
                "[{context}] query malformed, no start_object after query name"
            ))),
        }
    }

    pub(crate) fn of_object(context: impl Into<String>, object: &'a Map<String, Value>) -> Members<'a> {
        Members {
            context: context.into(),
            left: object
                .iter()
                .map(|(name, value)| (name.as_str(), value))
                .collect(),
        }
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<&'a Value> {
        let at = self.left.iter().position(|(left, _)| *left == name)?;
        Some(self.left.remove(at).1)
    }

    /// The first of the members that are left.
    pub(crate) fn next(&mut self) -> Option<(&'a str, &'a Value)> {
        (!self.left.is_empty()).then(|| self.left.remove(0))
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => scalar(value)
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a string", value)),
        }
    }

    pub(crate) fn number(&mut self, name: &str) -> Result<Option<f64>> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => as_f64(value)
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a number", value)),
        }
    }

    pub(crate) fn integer(&mut self, name: &str) -> Result<Option<i64>> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => as_i64(value)
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a whole number", value)),
        }
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<bool>> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => as_bool(value)
                .map(Some)
                .ok_or_else(|| self.wrong(name, "[true] or [false]", value)),
        }
    }

    pub(crate) fn boost(&mut self) -> Result<f32> {
        // The name of a query is given back by nothing here, and changes nothing.
        Ok(self.number("boost")?.unwrap_or(1.0) as f32)
    }

    fn wrong(&self, name: &str, wanted: &str, value: &Value) -> SearchError {
        SearchError::parsing(format!(
            "[{}] [{name}] must be {wanted}, but is [{value}]",
            self.context
        ))
    }

    /// Refuses what was not taken.
    pub(crate) fn end(mut self) -> Result<()> {
        match self.next() {
            None => Ok(()),
            Some((name, _)) => Err(SearchError::parsing(format!(
                "[{}] query does not support [{name}]",
                self.context
            ))),
        }
    }
}

/// The text of a scalar.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

pub(crate) fn as_f64(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(crate) fn as_i64(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number
            .as_i64()
            .or_else(|| number.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(crate) fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) if text == "true" => Some(true),
        Value::String(text) if text == "false" => Some(false),
        _ => None,
    }
}

/// One value or an array of them.
pub(crate) fn one_or_many(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(many) => many.iter().collect(),
        one => vec![one],
    }
}
