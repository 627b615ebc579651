//! `csv`: the fields of one line of comma-separated values.

use crate::context::Context;
use crate::error::{PipelineError, Result, cannot_cast, failed};
use crate::options::{self, Options, value_of};
use serde_json::Value as Json;
use value::Value;

/// The processor.
#[derive(Debug)]
pub(crate) struct Csv {
    field: String,
    targets: Vec<String>,
    separator: char,
    quote: char,
    trims: bool,
    /// What stands for a field without any text.
    empty: Option<Value>,
    ignores_missing: bool,
}

/// The one character that an option is.
fn character(options: &mut Options, name: &str, default: char, such_as: &str) -> options::Result<char> {
    let Some(text) = options.optional_text(name)? else {
        return Ok(default);
    };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(PipelineError::of(
            name,
            format!("{name} has to be single character like {such_as}"),
        )),
    }
}

impl Csv {
    pub(super) fn parse(options: &mut Options) -> options::Result<Csv> {
        let field = options.text("field")?;
        let targets = options
            .list("target_fields")?
            .ok_or_else(|| PipelineError::of("target_fields", "required property is missing"))?;
        let names = targets.iter().map(|name| match name {
            Json::String(name) => Ok(name.clone()),
            _ => Err(PipelineError::of(
                "target_fields",
                "property isn't a list of strings",
            )),
        });
        let targets: Vec<String> = names.collect::<options::Result<_>>()?;
        if targets.is_empty() {
            return Err(PipelineError::of(
                "target_fields",
                "target fields list can't be empty",
            ));
        }
        Ok(Csv {
            field,
            targets,
            separator: character(options, "separator", ',', ", or ;")?,
            quote: character(options, "quote", '"', "\" or '")?,
            trims: options.flag("trim", false)?,
            empty: options.take("empty_value").as_ref().map(value_of),
            ignores_missing: options.flag("ignore_missing", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let found = match context.get(&self.field) {
            None | Some(Value::Null) if self.ignores_missing => return Ok(()),
            Some(value) => value,
            None => context.required(&self.field)?,
        };
        let text = match &found {
            Value::String(text) => text,
            Value::Null => return failed(format!("field [{}] is null, cannot process it.", self.field)),
            other => return cannot_cast(&self.field, other, "java.lang.String"),
        };
        let fields = self.fields(text)?;
        for (target, text) in self.targets.iter().zip(fields) {
            match (text.is_empty(), &self.empty) {
                (false, _) => context.set(target, Value::from(text))?,
                (true, Some(empty)) => context.set(target, empty.clone())?,
                (true, None) => {}
            }
        }
        Ok(())
    }

    fn is_blank(&self, c: char) -> bool {
        matches!(c, ' ' | '\t') && c != self.separator && c != self.quote
    }

    /// The fields of a line, as many as there are names for.
    fn fields(&self, line: &str) -> Result<Vec<String>> {
        let place = |rest: &str| line[..line.len() - rest.len()].encode_utf16().count();
        let mut fields = Vec::new();
        let mut rest = line;
        while fields.len() < self.targets.len() {
            let begun = rest.trim_start_matches(|c| self.is_blank(c));
            if begun.is_empty() {
                break;
            }
            if let Some(quoted) = begun.strip_prefix(self.quote) {
                let (field, behind) = self.quoted(quoted)?;
                fields.push(field);
                let behind = behind.trim_start_matches(|c| self.is_blank(c));
                match (behind.chars().next(), behind.strip_prefix(self.separator)) {
                    (_, Some(next)) => rest = next,
                    (None, _) => break,
                    (Some(c), _) => {
                        return failed(format!("character '{c}' after quoted field at {}", place(behind)));
                    }
                }
                continue;
            }
            if let Some(next) = begun.strip_prefix(self.separator) {
                fields.push(String::new());
                rest = next;
                continue;
            }
            let begun = if self.trims { begun } else { rest };
            let Some(end) = begun.find([self.separator, self.quote, '\n', '\r']) else {
                fields.push(begun.to_owned());
                break;
            };
            let (field, behind) = begun.split_at(end);
            let Some(next) = behind.strip_prefix(self.separator) else {
                return failed(format!(
                    "Illegal character inside unquoted field at {}",
                    place(behind)
                ));
            };
            let field = if self.trims {
                field.trim_end_matches([' ', '\t'])
            } else {
                field
            };
            fields.push(field.to_owned());
            rest = next;
        }
        Ok(fields)
    }

    /// A field up to its second quotation mark, and what is after that; two marks within it are one.
    fn quoted<'t>(&self, text: &'t str) -> Result<(String, &'t str)> {
        let mut field = String::new();
        let mut rest = text;
        loop {
            let Some((part, behind)) = rest.split_once(self.quote) else {
                return failed("Unmatched quote");
            };
            field.push_str(part);
            match behind.strip_prefix(self.quote) {
                Some(within) => {
                    field.push(self.quote);
                    rest = within;
                }
                None => return Ok((field, behind)),
            }
        }
    }
}
