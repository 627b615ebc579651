//! Texts with the values of fields in them: `{{host.name}}`.

use crate::context::Context;
use crate::error::{PipelineError, Result};
use crate::limits::fits;
use value::Value;

/// A text that may name fields.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// Texts, and the fields after them.
    parts: Vec<(String, Option<String>)>,
}

impl Template {
    pub(crate) fn parse(text: &str) -> Result<Template, PipelineError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (after, end) = match after.strip_prefix('{') {
                Some(after) => (after, "}}}"),
                None => (after, "}}"),
            };
            let Some((name, behind)) = after.split_once(end) else {
                return Err(PipelineError::new(format!(
                    "the template [{text}] has no end of a field's name"
                )));
            };
            let name = name.trim();
            if name.is_empty() || name.starts_with(['#', '/', '^', '>', '!', '=', '&']) {
                return Err(PipelineError::unsupported(format!(
                    "[{{{{{name}}}}}] in a template"
                )));
            }
            parts.push((before.to_owned(), Some(name.to_owned())));
            rest = behind;
        }
        parts.push((rest.to_owned(), None));
        Ok(Template { parts })
    }

    /// The text with the values of a document's fields; those that are not there give nothing.
    pub(crate) fn render(&self, context: &Context) -> Result<String> {
        let mut out = String::new();
        for (text, name) in &self.parts {
            out.push_str(text);
            if let Some(value) = name.as_deref().and_then(|name| context.get(name)) {
                out.push_str(&rendered(&value));
            }
            fits(out.len())?;
        }
        Ok(out)
    }
}

/// A value in place of its name: of lists, the places are told like the names of members.
fn rendered(value: &Value) -> String {
    let Value::Array(list) = value else {
        return shown(value);
    };
    let members = list.iter().enumerate();
    let members = members.map(|(at, value)| format!("{at}={}", within(value)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

/// A value within another one, as Java writes it.
fn within(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        value => shown(value),
    }
}

/// A value within a text, as Java writes it.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(bool) => bool.to_string(),
        Value::Int32(int) => int.to_string(),
        Value::Int64(int) => int.to_string(),
        Value::Double(double) if double.fract() == 0.0 && double.abs() < 1e7 => format!("{double:.1}"),
        Value::Double(double) => double.to_string(),
        Value::Array(list) => {
            let texts: Vec<String> = list.iter().map(within).collect();
            format!("[{}]", texts.join(", "))
        }
        Value::Document(inner) => {
            let members = inner
                .iter()
                .map(|(name, value)| format!("{name}={}", within(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => match json::unsigned(other.as_ref()) {
            Some(number) => number.to_string(),
            None => {
                let mut out = String::new();
                json::write(other.as_ref(), &mut out);
                out
            }
        },
    }
}
