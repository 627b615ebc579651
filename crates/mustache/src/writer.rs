//! Writing what a template becomes.

use crate::{OUTPUT_BYTES_MAX, Part, Result, STEPS_MAX, failed};
use serde_json::Value;

/// What a template becomes.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) out: String,
    steps: usize,
}

impl Writer {
    /// Counts parts, or values that a part is written for.
    fn count(&mut self, steps: usize) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        match self.steps > STEPS_MAX || self.out.len() > OUTPUT_BYTES_MAX {
            false => Ok(()),
            true => Err(failed(format!(
                "the template becomes more than {OUTPUT_BYTES_MAX} bytes, or {STEPS_MAX} parts"
            ))),
        }
    }

    /// Writes parts with what the innermost scope says last.
    pub(crate) fn all(&mut self, parts: &[Part], scopes: &mut Vec<&Value>) -> Result<()> {
        for part in parts {
            self.count(1)?;
            match part {
                Part::Text(text) => self.out.push_str(text),
                Part::Value { path, is_raw } => {
                    let text = found(scopes, path).map(shown).unwrap_or_default();
                    match is_raw {
                        true => self.out.push_str(&text),
                        false => self.out.push_str(&escaped(&text)),
                    }
                }
                Part::Json(path) => match found(scopes, path) {
                    None => {}
                    Some(value @ (Value::Array(_) | Value::Object(_))) => {
                        self.out.push_str(&value.to_string());
                    }
                    Some(other) => self.out.push_str(&shown(other)),
                },
                Part::Join { path, delimiter } => match found(scopes, path) {
                    None => {}
                    Some(Value::Array(list)) => {
                        self.count(list.len())?;
                        let texts: Vec<String> = list.iter().map(shown).collect();
                        self.out.push_str(&texts.join(delimiter));
                    }
                    Some(other) => self.out.push_str(&shown(other)),
                },
                Part::Url(parts) => {
                    let begun = self.out.len();
                    self.all(parts, scopes)?;
                    let text = self.out.split_off(begun);
                    self.out.push_str(&url_encoded(&text));
                }
                Part::Section {
                    path,
                    is_inverted,
                    parts,
                } => {
                    let value = found(scopes, path).filter(|value| is_something(value));
                    match (value, is_inverted) {
                        (None, true) => self.all(parts, scopes)?,
                        (Some(value), false) => self.section(value, parts, scopes)?,
                        (None, false) | (Some(_), true) => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the parts of a section with each element of a list, or with what else is there.
    fn section<'v>(&mut self, value: &'v Value, parts: &[Part], scopes: &mut Vec<&'v Value>) -> Result<()> {
        let each = match value {
            Value::Array(list) => {
                self.count(list.len())?;
                list.as_slice()
            }
            one => std::slice::from_ref(one),
        };
        for one in each {
            scopes.push(one);
            self.all(parts, scopes)?;
            scopes.pop();
        }
        Ok(())
    }
}

/// The value at a path, whose first name is looked for from the inside out.
fn found<'v>(scopes: &[&'v Value], path: &str) -> Option<&'v Value> {
    if path == "." {
        return scopes.last().copied();
    }
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    let mut value = scopes.iter().rev().find_map(|scope| member(scope, first))?;
    for name in rest.into_iter().flat_map(|rest| rest.split('.')) {
        value = member(value, name)?;
    }
    Some(value)
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(object) => object.get(name),
        Value::Array(list) => list.get(name.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Whether a section of a value is written.
fn is_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}

/// A value as Java writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Object(object) => {
            let members = object
                .iter()
                .map(|(name, value)| format!("{name}={}", shown(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A text as it stands within the quotation marks of JSON.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A text as a form of HTML sends it, which is what Java's encoder of URLs makes.
fn url_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'.' | b'-' | b'*' | b'_' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
