//! Key filters: chains of steps that change a key and, at the end, say whether it is wanted.
//!
//! What a step cannot take (a key without that many tokens, a text that is no number) is not wanted; Riak ends the job there.
//! Texts compare with texts by their bytes, numbers come before texts, as in Riak.

mod operand;
mod predicate;
mod range;
mod transform;

pub(crate) use range::KeyRange;

use crate::error::{Result, RiakError};
use operand::Operand;
use predicate::Predicate;
use serde_json::Value;
use transform::Transform;

/// The steps of one list of filters, those within others included.
const STEPS_MAX: usize = 1_000;
/// How deep `and`, `or` and `not` lie in each other.
const DEPTH_MAX: usize = 50;

/// A chain of filters.
#[derive(Clone, Debug)]
pub(crate) struct KeyFilter(Vec<Step>);

#[derive(Clone, Debug)]
enum Step {
    Transform(Transform),
    Predicate(Predicate),
    And(Vec<KeyFilter>),
    Or(Vec<KeyFilter>),
    Not(KeyFilter),
}

impl KeyFilter {
    /// Reads `[["tokenize", "-", 1], ["eq", "x"], …]`.
    pub(crate) fn read(filters: &Value) -> Result<KeyFilter> {
        let mut steps_left = STEPS_MAX;
        read_chain(filters, 0, &mut steps_left)
    }

    /// Whether a key is wanted.
    pub(crate) fn matches(&self, key: &[u8]) -> bool {
        self.holds(Operand::Text(key.to_vec()))
    }

    fn holds(&self, mut operand: Operand) -> bool {
        for step in &self.0 {
            let next = match step {
                Step::Transform(transform) => transform.apply(operand),
                Step::Predicate(predicate) => Some(Operand::Bool(predicate.holds(&operand))),
                Step::And(chains) => {
                    let holds = chains.iter().all(|chain| chain.holds(operand.clone()));
                    Some(Operand::Bool(holds))
                }
                Step::Or(chains) => {
                    let holds = chains.iter().any(|chain| chain.holds(operand.clone()));
                    Some(Operand::Bool(holds))
                }
                Step::Not(chain) => Some(Operand::Bool(!chain.holds(operand))),
            };
            match next {
                Some(next) => operand = next,
                None => return false,
            }
        }
        operand == Operand::Bool(true) || self.0.is_empty()
    }

    /// A range in which all keys lie that are texts and wanted.
    pub(crate) fn range(&self) -> KeyRange {
        match self.0.first() {
            // Later steps see whether that held, so what it left out may still be wanted then.
            _ if self.0.len() > 1 => KeyRange::all(),
            Some(Step::Predicate(predicate)) => predicate.range(),
            Some(Step::And(chains)) => chains
                .iter()
                .map(KeyFilter::range)
                .fold(KeyRange::all(), KeyRange::and),
            Some(Step::Or(chains)) => chains
                .iter()
                .map(KeyFilter::range)
                .reduce(KeyRange::or)
                .unwrap_or_else(KeyRange::all),
            Some(Step::Transform(_) | Step::Not(_)) | None => KeyRange::all(),
        }
    }
}

fn read_chain(filters: &Value, depth: usize, steps_left: &mut usize) -> Result<KeyFilter> {
    if depth > DEPTH_MAX {
        return Err(bad(format!(
            "filters lie more than {DEPTH_MAX} deep in each other"
        )));
    }
    let not_a_list = || bad(format!("{filters} is no list of filters"));
    let filters = filters.as_array().ok_or_else(not_a_list)?;
    *steps_left = steps_left
        .checked_sub(filters.len())
        .ok_or_else(|| bad(format!("more than {STEPS_MAX} filters")))?;
    let steps = filters.iter().map(|filter| read_step(filter, depth, steps_left));
    Ok(KeyFilter(steps.collect::<Result<_>>()?))
}

fn read_step(filter: &Value, depth: usize, steps_left: &mut usize) -> Result<Step> {
    let parts = filter.as_array().and_then(|parts| parts.split_first());
    let Some((Value::String(name), arguments)) = parts else {
        return Err(bad(format!(
            "{filter} is not a list that begins with a filter's name"
        )));
    };
    let mut chains = || {
        let chain = |filters| read_chain(filters, depth + 1, steps_left);
        arguments.iter().map(chain).collect::<Result<Vec<_>>>()
    };
    Ok(match name.as_str() {
        "and" => Step::And(chains()?),
        "or" => Step::Or(chains()?),
        "not" => match <[KeyFilter; 1]>::try_from(chains()?) {
            Ok([chain]) => Step::Not(chain),
            Err(_) => return Err(bad("not wants one list of filters")),
        },
        name => match Transform::read(name, arguments)? {
            Some(transform) => Step::Transform(transform),
            None => Step::Predicate(Predicate::read(name, arguments)?),
        },
    })
}

fn bad(what: impl std::fmt::Display) -> RiakError {
    RiakError::bad(format!("Invalid key filter: {what}"))
}
