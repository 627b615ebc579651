//! Expressions made of named ones: `%{IP:client} %{NUMBER:bytes:int}`.

mod patterns;

pub use patterns::named_patterns;

use crate::error::{Failure, PipelineError, Result};
use crate::processors::Type;
use pcre2::bytes::{Regex, RegexBuilder};
use value::Value;

/// How deep named expressions may use each other.
const DEPTH_MAX: usize = 50;
/// Bytes of an expression with all that it uses.
const BYTES_MAX: usize = 60_000;
/// Steps back that one match may take before it fails.
const BACKTRACKS_MAX: u32 = 1_000_000;

/// A compiled expression, and the fields that its groups are.
#[derive(Debug)]
pub(crate) struct Expression {
    compiled: Regex,
    /// The name and type of each group `g0`, `g1` and so on.
    fields: Vec<(String, Option<Type>)>,
}

struct Writer<'o> {
    own: &'o [(String, String)],
    out: String,
    fields: Vec<(String, Option<Type>)>,
}

impl Expression {
    pub(crate) fn parse(pattern: &str, own: &[(String, String)]) -> Result<Expression, PipelineError> {
        let mut writer = Writer {
            own,
            out: format!("(*LIMIT_MATCH={BACKTRACKS_MAX})"),
            fields: Vec::new(),
        };
        writer.write(pattern, 0)?;
        let mut builder = RegexBuilder::new();
        builder
            .utf(true)
            .jit_if_available(true)
            .max_jit_stack_size(Some(512 << 10));
        let compiled = builder.build(&writer.out);
        let compiled = compiled.map_err(|error| {
            PipelineError::of(
                "patterns",
                format!("Invalid regex pattern found in: [{pattern}]. {error}"),
            )
        })?;
        Ok(Expression {
            compiled,
            fields: writer.fields,
        })
    }

    /// The fields of a text that matches.
    pub(crate) fn values(&self, text: &str) -> Result<Option<Vec<(String, Value)>>> {
        let groups = self.compiled.captures(text.as_bytes());
        let groups = groups
            .map_err(|error| Failure::new(format!("grok pattern matching was interrupted: {error}")))?;
        let Some(groups) = groups else { return Ok(None) };
        let mut values: Vec<(String, Value)> = Vec::new();
        for (at, (name, kind)) in self.fields.iter().enumerate() {
            let Some(group) = groups.name(&format!("g{at}")) else {
                continue;
            };
            let found = Value::from(text.get(group.start()..group.end()).unwrap_or_default());
            let value = match kind {
                Some(kind) => kind.of(&found)?,
                None => found,
            };
            // A field that is named in two places has all that both found.
            match values.iter_mut().find(|(known, _)| known == name) {
                None => values.push((name.clone(), value)),
                Some((_, Value::Array(list))) => list.push(value),
                Some((_, present)) => *present = Value::Array(vec![present.clone(), value]),
            }
        }
        Ok(Some(values))
    }
}

impl Writer<'_> {
    fn write(&mut self, pattern: &str, depth: usize) -> Result<(), PipelineError> {
        let wrong = |why: String| {
            Err(PipelineError::of(
                "patterns",
                format!("Invalid regex pattern found in: [{pattern}]. {why}"),
            ))
        };
        if depth > DEPTH_MAX {
            return wrong("circular reference in pattern".to_owned());
        }
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once("%{") {
            self.put(before)?;
            let Some((reference, behind)) = after.split_once('}') else {
                return wrong("a reference has no end".to_owned());
            };
            rest = behind;
            let mut sides = reference.splitn(3, ':');
            let name = sides.next().unwrap_or_default();
            // `%{NAME:field=definition}` defines as it goes.
            let (field, kind) = (sides.next(), sides.next());
            let own = self
                .own
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, pattern)| pattern.clone());
            let Some(inner) = own.or_else(|| patterns::find(name).map(str::to_owned)) else {
                return wrong(format!(
                    "Unable to find pattern [{name}] in Grok's pattern dictionary"
                ));
            };
            match field {
                None => self.put("(?:")?,
                Some(field) => {
                    let kind = match kind.map(|kind| (kind, Type::named(kind))) {
                        None => None,
                        Some((_, Some(kind))) => Some(kind),
                        Some((kind, None)) => return wrong(format!("unknown type [{kind}]")),
                    };
                    let at = self.fields.len();
                    self.fields.push((field_path(field), kind));
                    self.out.push_str(&format!("(?<g{at}>"));
                }
            }
            self.write(&inner, depth + 1)?;
            self.put(")")?;
        }
        self.put(rest)
    }

    /// Plain text of an expression; groups that it names are fields, too.
    fn put(&mut self, text: &str) -> Result<(), PipelineError> {
        let mut rest = text;
        while let Some(at) = rest.find("(?<") {
            let (before, after) = rest.split_at(at + 3);
            let name: String = after
                .chars()
                .take_while(|c| c.is_alphanumeric() || "_.@[]-".contains(*c))
                .collect();
            let is_name = !name.is_empty() && after[name.len()..].starts_with('>');
            self.out.push_str(before);
            rest = after;
            if is_name {
                self.out.push_str(&format!("g{}>", self.fields.len()));
                rest = &after[name.len() + 1..];
                self.fields.push((field_path(&name), None));
            }
        }
        self.out.push_str(rest);
        match self.out.len() > BYTES_MAX {
            false => Ok(()),
            true => Err(PipelineError::of(
                "patterns",
                format!("an expression is longer than {BYTES_MAX} bytes with all that it uses"),
            )),
        }
    }
}

/// `[client][ip]` is `client.ip`.
fn field_path(name: &str) -> String {
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(inner) => inner.replace("][", "."),
        None => name.to_owned(),
    }
}
