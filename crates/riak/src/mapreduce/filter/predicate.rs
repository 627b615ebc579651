//! Steps that say whether something holds.

use super::bad;
use super::operand::Operand;
use super::range::KeyRange;
use crate::error::Result;
use crate::limits::PATTERN_BYTES_MAX;
use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;
use std::collections::BTreeSet;

/// The bytes of a text that keys are compared with letter by letter.
const SIMILAR_BYTES_MAX: usize = 1_000;

#[derive(Clone, Debug)]
pub(super) enum Predicate {
    Equal(Operand),
    NotEqual(Operand),
    Greater(Operand),
    Less(Operand),
    GreaterOrEqual(Operand),
    LessOrEqual(Operand),
    /// The last says whether the ends are meant too.
    Between(Operand, Operand, bool),
    Matches(Regex),
    Member(BTreeSet<Vec<u8>>),
    /// It differs by this many letters at most.
    Similar(Vec<u8>, usize),
    StartsWith(Vec<u8>),
    EndsWith(Vec<u8>),
}

impl Predicate {
    /// The step of a name.
    pub(super) fn read(name: &str, arguments: &[Value]) -> Result<Predicate> {
        let first = || Operand::read(arguments.first());
        Ok(match name {
            "eq" => Predicate::Equal(first()?),
            "neq" => Predicate::NotEqual(first()?),
            "greater_than" => Predicate::Greater(first()?),
            "less_than" => Predicate::Less(first()?),
            "greater_than_eq" => Predicate::GreaterOrEqual(first()?),
            "less_than_eq" => Predicate::LessOrEqual(first()?),
            "between" => {
                let is_inclusive = arguments.get(2).is_none_or(|flag| flag == &Value::Bool(true));
                Predicate::Between(first()?, Operand::read(arguments.get(1))?, is_inclusive)
            }
            "matches" => Predicate::Matches(compile(&first()?.to_text())?),
            "set_member" => {
                let members = arguments
                    .iter()
                    .map(|argument| Ok(Operand::read(Some(argument))?.to_text().into_owned()));
                Predicate::Member(members.collect::<Result<_>>()?)
            }
            "similar_to" => {
                let text = first()?.to_text().into_owned();
                let distance = arguments.get(1).and_then(Value::as_u64);
                let distance = distance.ok_or_else(|| bad("similar_to wants a text and a distance"))?;
                if text.len() > SIMILAR_BYTES_MAX {
                    return Err(bad(format!(
                        "the text of similar_to has more than {SIMILAR_BYTES_MAX} bytes"
                    )));
                }
                Predicate::Similar(text, distance as usize)
            }
            "starts_with" => Predicate::StartsWith(first()?.to_text().into_owned()),
            "ends_with" => Predicate::EndsWith(first()?.to_text().into_owned()),
            other => return Err(bad(format!("{other} is not known"))),
        })
    }

    pub(super) fn holds(&self, operand: &Operand) -> bool {
        let compared = |with: &Operand| operand.compare(with);
        match self {
            Predicate::Equal(with) => operand == with,
            Predicate::NotEqual(with) => operand != with,
            Predicate::Greater(with) => compared(with).is_gt(),
            Predicate::Less(with) => compared(with).is_lt(),
            Predicate::GreaterOrEqual(with) => compared(with).is_ge(),
            Predicate::LessOrEqual(with) => compared(with).is_le(),
            Predicate::Between(low, high, true) => compared(low).is_ge() && compared(high).is_le(),
            Predicate::Between(low, high, false) => compared(low).is_gt() && compared(high).is_lt(),
            Predicate::Matches(pattern) => match operand {
                Operand::Text(text) => pattern.is_match(text),
                _ => false,
            },
            Predicate::Member(members) => members.contains(&*operand.to_text()),
            Predicate::Similar(text, distance) => {
                let operand = operand.to_text().into_owned();
                operand.len().abs_diff(text.len()) <= *distance
                    && strsim::generic_levenshtein(&operand, text) <= *distance
            }
            Predicate::StartsWith(prefix) => operand.to_text().starts_with(prefix),
            Predicate::EndsWith(suffix) => operand.to_text().ends_with(suffix),
        }
    }

    /// A range in which all texts lie for which it holds.
    pub(super) fn range(&self) -> KeyRange {
        match self {
            Predicate::Equal(Operand::Text(text)) => KeyRange::between(text, text),
            Predicate::Greater(low) | Predicate::GreaterOrEqual(low) => KeyRange::from(low),
            Predicate::Less(high) | Predicate::LessOrEqual(high) => KeyRange::up_to(high),
            Predicate::Between(low, high, _) => KeyRange::from(low).and(KeyRange::up_to(high)),
            Predicate::Member(members) => match (members.first(), members.last()) {
                (Some(first), Some(last)) => KeyRange::between(first, last),
                _ => KeyRange::none(),
            },
            Predicate::StartsWith(prefix) => KeyRange::of_prefix(prefix),
            // No text is a number.
            Predicate::Equal(_) => KeyRange::none(),
            Predicate::NotEqual(_)
            | Predicate::Matches(_)
            | Predicate::Similar(..)
            | Predicate::EndsWith(_) => KeyRange::all(),
        }
    }
}

fn compile(pattern: &[u8]) -> Result<Regex> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(bad(format!(
            "the pattern has more than {PATTERN_BYTES_MAX} bytes"
        )));
    }
    let pattern = String::from_utf8_lossy(pattern);
    let built = RegexBuilder::new(&pattern).unicode(false).build();
    built.map_err(|error| bad(format!("the pattern {pattern}: {error}")))
}
