//! `dissect`: a text taken apart at what stands between its parts.

use crate::context::Context;
use crate::error::{PipelineError, Result, failed};
use crate::options::{self, Options};
use value::Value;

/// What becomes of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Use {
    Named(String),
    /// Added to others of the name, in this order.
    Appended(String, u32),
    /// The name, or the value, of a pair of this number or name.
    PairName(String),
    PairValue(String),
    Skipped,
}

#[derive(Clone, Debug)]
struct Part {
    what: Use,
    /// Whether the mark after it may stand there several times (`->`).
    is_padded: bool,
    /// What stands after it.
    mark: String,
}

/// The processor.
#[derive(Debug)]
pub(crate) struct Dissect {
    field: String,
    pattern: String,
    begin: String,
    parts: Vec<Part>,
    separator: String,
    ignores_missing: bool,
}

impl Dissect {
    pub(super) fn parse(options: &mut Options) -> options::Result<Dissect> {
        let pattern = options.text("pattern")?;
        let (begin, parts) = parse(&pattern)?;
        Ok(Dissect {
            field: options.text("field")?,
            pattern,
            begin,
            parts,
            separator: options.optional_text("append_separator")?.unwrap_or_default(),
            ignores_missing: options.flag("ignore_missing", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let Some(text) = context.text(&self.field, self.ignores_missing)? else {
            return Ok(());
        };
        let Some(values) = self.values(&text) else {
            return failed(format!(
                "Unable to find match for dissect pattern: {} against source: {text}",
                self.pattern
            ));
        };
        for (path, value) in self.named(&values) {
            context.set(&path, Value::from(value))?;
        }
        Ok(())
    }

    /// The text of each part.
    fn values<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let mut rest = text.strip_prefix(self.begin.as_str())?;
        let mut values = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            if part.mark.is_empty() {
                values.push(std::mem::take(&mut rest));
                continue;
            }
            let (value, mut after) = rest.split_once(part.mark.as_str())?;
            while part.is_padded
                && let Some(behind) = after.strip_prefix(part.mark.as_str())
            {
                after = behind;
            }
            values.push(value);
            rest = after;
        }
        rest.is_empty().then_some(values)
    }

    fn named(&self, values: &[&str]) -> Vec<(String, String)> {
        let mut named: Vec<(String, String)> = Vec::new();
        let mut appended: Vec<(&str, u32, &str)> = Vec::new();
        for (part, value) in self.parts.iter().zip(values) {
            match &part.what {
                Use::Named(name) => named.push((name.clone(), (*value).to_owned())),
                Use::Appended(name, order) => appended.push((name, *order, value)),
                Use::PairName(key) => {
                    let of = self
                        .parts
                        .iter()
                        .zip(values)
                        .find(|(other, _)| other.what == Use::PairValue(key.clone()));
                    if let Some((_, of)) = of {
                        named.push(((*value).to_owned(), (*of).to_owned()));
                    }
                }
                Use::PairValue(_) | Use::Skipped => {}
            }
        }
        appended.sort_by_key(|(_, order, _)| *order);
        for (name, _, value) in appended {
            match named.iter_mut().find(|(known, _)| known == name) {
                Some((_, text)) => {
                    text.push_str(&self.separator);
                    text.push_str(value);
                }
                None => named.push((name.to_owned(), value.to_owned())),
            }
        }
        named
    }
}

/// What stands in front, and the parts.
fn parse(pattern: &str) -> options::Result<(String, Vec<Part>)> {
    let invalid = |why: &'static str| {
        PipelineError::of(
            "pattern",
            format!("Unable to parse pattern: {pattern} Reason: {why}"),
        )
    };
    let mut pieces = pattern.split("%{");
    let begin = pieces.next().unwrap_or_default().to_owned();
    let mut parts = Vec::new();
    for piece in pieces {
        parts.push(Part::parse(piece).map_err(invalid)?);
    }
    if parts.is_empty() {
        return Err(invalid("Unable to find any keys or delimiters."));
    }
    append_to_first(&mut parts);
    check_pairs(&parts).map_err(invalid)?;
    Ok((begin, parts))
}

impl Part {
    /// Reads a key without its beginning, and the mark after it.
    fn parse(piece: &str) -> std::result::Result<Part, &'static str> {
        let (key, mark) = piece.split_once('}').ok_or("a key has no end")?;
        let (key, is_padded) = match key.strip_suffix("->") {
            Some(key) => (key, true),
            None => (key, false),
        };
        let what = match key.chars().next() {
            None | Some('?') => Use::Skipped,
            Some('+') => {
                let (name, order) = key[1..].split_once('/').unwrap_or((&key[1..], "0"));
                let order = order.parse().map_err(|_| "invalid order of an append key")?;
                Use::Appended(name.to_owned(), order)
            }
            Some('*') => Use::PairName(key[1..].to_owned()),
            Some('&') => Use::PairValue(key[1..].to_owned()),
            Some(_) => Use::Named(key.to_owned()),
        };
        Ok(Part {
            what,
            is_padded,
            mark: mark.to_owned(),
        })
    }
}

/// `%{a} %{+a}`: the first is appended to, too.
fn append_to_first(parts: &mut [Part]) {
    let appended: Vec<String> = parts
        .iter()
        .filter_map(|part| match &part.what {
            Use::Appended(name, _) => Some(name.clone()),
            _ => None,
        })
        .collect();
    for part in parts {
        if let Use::Named(name) = &part.what
            && appended.contains(name)
        {
            part.what = Use::Appended(name.clone(), 0);
        }
    }
}

fn check_pairs(parts: &[Part]) -> std::result::Result<(), &'static str> {
    for part in parts {
        if let Use::PairName(key) = &part.what
            && !parts
                .iter()
                .any(|other| other.what == Use::PairValue(key.clone()))
        {
            return Err("a key reference has no value");
        }
    }
    Ok(())
}
