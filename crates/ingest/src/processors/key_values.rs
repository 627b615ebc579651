//! `kv`: `name=value name=value`.

use super::texts::{regex, without_last_empty};
use crate::context::Context;
use crate::error::{Result, failed};
use crate::options::{self, Options};
use regex::Regex;
use value::Value;

/// Pairs that a text may have.
const PAIRS_MAX: usize = 10_000;

/// The processor.
#[derive(Debug)]
pub(crate) struct KeyValue {
    field: String,
    target: Option<String>,
    between_pairs: Regex,
    between_sides: Regex,
    include: Option<Vec<String>>,
    exclude: Vec<String>,
    ignores_missing: bool,
    prefix: String,
    trim_key: Option<String>,
    trim_value: Option<String>,
    strips_brackets: bool,
}

impl KeyValue {
    pub(super) fn parse(options: &mut Options) -> options::Result<KeyValue> {
        Ok(KeyValue {
            field: options.text("field")?,
            target: options.optional_text("target_field")?,
            between_pairs: regex("field_split", &options.text("field_split")?)?,
            between_sides: regex("value_split", &options.text("value_split")?)?,
            include: options.optional_texts("include_keys")?,
            exclude: options.optional_texts("exclude_keys")?.unwrap_or_default(),
            ignores_missing: options.flag("ignore_missing", false)?,
            prefix: options.optional_text("prefix")?.unwrap_or_default(),
            trim_key: options.optional_text("trim_key")?,
            trim_value: options.optional_text("trim_value")?,
            strips_brackets: options.flag("strip_brackets", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let Some(text) = context.text(&self.field, self.ignores_missing)? else {
            return Ok(());
        };
        let pairs = without_last_empty(self.between_pairs.split(&text).take(PAIRS_MAX + 1).collect());
        if pairs.len() > PAIRS_MAX {
            return failed(format!(
                "field [{}] has more than {PAIRS_MAX} pairs, which is the limit",
                self.field
            ));
        }
        for pair in pairs {
            let mut sides = self.between_sides.splitn(pair, 2);
            let (Some(name), Some(value)) = (sides.next(), sides.next()) else {
                return failed(format!(
                    "field [{}] does not contain value_split [{}]",
                    self.field, self.between_sides
                ));
            };
            let name = trimmed(name, self.trim_key.as_deref());
            let is_wanted = self
                .include
                .as_ref()
                .is_none_or(|names| names.iter().any(|known| known == name));
            if !is_wanted || self.exclude.iter().any(|known| known == name) {
                continue;
            }
            let mut value = trimmed(value, self.trim_value.as_deref());
            if self.strips_brackets {
                value = bare(value);
            }
            let path = match &self.target {
                Some(target) => format!("{target}.{}{name}", self.prefix),
                None => format!("{}{name}", self.prefix),
            };
            match context.has(&path) {
                true => context.append(&path, vec![Value::from(value)], true)?,
                false => context.set(&path, Value::from(value))?,
            }
        }
        Ok(())
    }
}

fn trimmed<'t>(text: &'t str, marks: Option<&str>) -> &'t str {
    marks.map_or(text, |marks| text.trim_matches(|c| marks.contains(c)))
}

fn bare(text: &str) -> &str {
    for (begin, end) in [('(', ')'), ('[', ']'), ('<', '>'), ('"', '"'), ('\'', '\'')] {
        if let Some(inner) = text.strip_prefix(begin).and_then(|text| text.strip_suffix(end)) {
            return inner;
        }
    }
    text
}
