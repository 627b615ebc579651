//! Texts: `lowercase`, `uppercase`, `trim`, `split`, `join`, `gsub`, `bytes`, `html_strip`, `urldecode`.

use super::sizes::bytes_of;
use crate::context::Context;
use crate::error::{PipelineError, Result, cannot_cast, failed};
use crate::limits::{collected, fits};
use crate::options::{self, Options};
use crate::template::shown;
use mapping::analysis::without_html;
use regex::Regex;
use value::Value;

/// Bytes of a compiled expression.
pub(crate) const REGEX_BYTES_MAX: usize = 1 << 20;

/// A processor that makes another text of a text.
#[derive(Debug)]
pub(crate) struct Text {
    field: String,
    target: Option<String>,
    ignores_missing: bool,
    operation: Operation,
}

#[derive(Debug)]
enum Operation {
    Bytes,
    HtmlStrip,
    UrlDecode,
    Lowercase,
    Uppercase,
    Trim,
    Split {
        separator: Regex,
        keeps_trailing: bool,
    },
    Join(String),
    Replace {
        pattern: Regex,
        /// In the words of the library; or why it replaces nothing.
        replacement: std::result::Result<String, String>,
    },
}

/// An expression; what it takes to match is linear in the text.
pub(crate) fn regex(property: &str, pattern: &str) -> options::Result<Regex> {
    let built = regex::RegexBuilder::new(pattern)
        .size_limit(REGEX_BYTES_MAX)
        .build();
    built.map_err(|error| PipelineError::of(property, format!("Invalid regex pattern. {error}")))
}

impl Text {
    pub(super) fn parse(kind: &str, options: &mut Options) -> options::Result<Text> {
        let operation = match kind {
            "bytes" => Operation::Bytes,
            "html_strip" => Operation::HtmlStrip,
            "urldecode" => Operation::UrlDecode,
            "lowercase" => Operation::Lowercase,
            "uppercase" => Operation::Uppercase,
            "trim" => Operation::Trim,
            "split" => Operation::Split {
                separator: regex("separator", &options.text("separator")?)?,
                keeps_trailing: options.flag("preserve_trailing", false)?,
            },
            "join" => Operation::Join(options.text("separator")?),
            _ => {
                let pattern = regex("pattern", &options.text("pattern")?)?;
                let replacement = replacement(&options.text("replacement")?, &pattern);
                Operation::Replace { pattern, replacement }
            }
        };
        Ok(Text {
            field: options.text("field")?,
            target: options.optional_text("target_field")?,
            ignores_missing: options.flag("ignore_missing", false)?,
            operation,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let found = match context.get(&self.field) {
            None | Some(Value::Null) if self.ignores_missing => return Ok(()),
            Some(value) => value,
            None => context.required(&self.field)?,
        };
        let made = match (&self.operation, &found) {
            (Operation::Join(separator), Value::Array(list)) => {
                let parts: Vec<String> = list.iter().map(shown).collect();
                fits(separator.len().saturating_mul(list.len()))?;
                Value::from(parts.join(separator))
            }
            (Operation::Join(_), other) => return self.wrong(other, "java.util.List"),
            (Operation::Split { .. }, Value::Array(_)) => return self.wrong(&found, "java.lang.String"),
            (_, Value::Array(list)) => Value::Array(collected(list.iter().map(|one| self.of(one)))?),
            (_, one) => self.of(one)?,
        };
        context.set(self.target.as_deref().unwrap_or(&self.field), made)
    }

    fn wrong<T>(&self, found: &Value, wanted: &str) -> Result<T> {
        match found {
            Value::Null => failed(format!("field [{}] is null, cannot process it.", self.field)),
            found => cannot_cast(&self.field, found, wanted),
        }
    }

    fn of(&self, value: &Value) -> Result<Value> {
        let Value::String(text) = value else {
            return self.wrong(value, "java.lang.String");
        };
        Ok(match &self.operation {
            Operation::Bytes => Value::integer(bytes_of(text)?),
            // Where there are no tags, entities are left as well.
            Operation::HtmlStrip if !text.contains('<') || !text.contains('>') => value.clone(),
            Operation::HtmlStrip => Value::from(without_html(text)),
            Operation::UrlDecode => Value::from(decoded(text)?),
            Operation::Lowercase => Value::from(text.to_lowercase()),
            Operation::Uppercase => Value::from(text.to_uppercase()),
            Operation::Trim => Value::from(text.trim()),
            Operation::Split {
                separator,
                keeps_trailing,
            } => {
                let mut parts: Vec<&str> = separator.split(text).collect();
                // Nothing in front of a text is no part of it.
                let first = separator.find(text).filter(|_| parts.len() > 1);
                if first.is_some_and(|first| first.start() == 0 && first.is_empty()) {
                    parts.remove(0);
                }
                let parts = match keeps_trailing {
                    true => parts,
                    false => without_last_empty(parts),
                };
                Value::Array(parts.into_iter().map(Value::from).collect())
            }
            Operation::Join(_) => value.clone(),
            Operation::Replace { pattern, replacement } => match replacement {
                Err(_) if !pattern.is_match(text) => value.clone(),
                Err(reason) => return failed(reason.clone()),
                Ok(replacement) => Value::from(replaced(pattern, replacement, text)?),
            },
        })
    }
}

/// The parts of a text that was split, as Java gives them: without the empty ones at the end, even if nothing is left, but for
/// a text that was not split at all.
pub(crate) fn without_last_empty(mut parts: Vec<&str>) -> Vec<&str> {
    if parts.len() > 1 {
        let kept = parts.iter().rposition(|part| !part.is_empty());
        parts.truncate(kept.map_or(0, |last| last + 1));
    }
    parts
}

/// A text as a form of HTML sent it.
fn decoded(text: &str) -> Result<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let (Some(high), Some(low)) = (bytes.next(), bytes.next()) else {
                    return failed("URLDecoder: Incomplete trailing escape (%) pattern");
                };
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (Some(high), Some(low)) = (digit(high), digit(low)) else {
                    return failed("URLDecoder: Illegal hex characters in escape (%) pattern");
                };
                out.push((high * 16 + low) as u8);
            }
            other => out.push(other),
        }
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// What replaces a match may be much larger than it, so its length is watched.
fn replaced(pattern: &Regex, replacement: &str, text: &str) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let groups_named = replacement.matches('$').count();
    for groups in pattern.captures_iter(text) {
        let Some(whole) = groups.get(0) else { continue };
        out.push_str(&text[copied..whole.start()]);
        fits(out.len() + replacement.len() + whole.len().saturating_mul(groups_named))?;
        groups.expand(replacement, &mut out);
        copied = whole.end();
    }
    out.push_str(&text[copied..]);
    Ok(out)
}

/// A replacement as Java writes it: `$1` has as many digits as there are groups for, `\\$` is the sign itself.
fn replacement(text: &str, pattern: &Regex) -> std::result::Result<String, String> {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('$') => out.push_str("$$"),
                Some(other) => out.push(other),
                None => return Err("character to be escaped is missing".to_owned()),
            },
            '$' if chars.next_if_eq(&'{').is_some() => {
                let name: String = chars.by_ref().take_while(|c| *c != '}').collect();
                if !pattern.capture_names().flatten().any(|known| known == name) {
                    return Err(format!("No group with name {{{name}}}"));
                }
                out.push_str(&format!("${{{name}}}"));
            }
            '$' => {
                let first = chars.next().and_then(|c| c.to_digit(10));
                let mut group = first.ok_or("Illegal group reference")? as usize;
                if group >= pattern.captures_len() {
                    return Err(format!("No group {group}"));
                }
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                    let longer = group * 10 + digit as usize;
                    if longer >= pattern.captures_len() {
                        break;
                    }
                    group = longer;
                    chars.next();
                }
                out.push_str(&format!("${{{group}}}"));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}
