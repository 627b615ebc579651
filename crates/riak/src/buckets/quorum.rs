//! How many copies a request asks for. One store has all copies of an object, so whatever can be asked for is there.

use crate::error::{Result, RiakError};
use serde_json::Value;

/// A number of copies, or one of Riak's words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quorum {
    One,
    Majority,
    All,
    Default,
    Count(u32),
}

/// Protocol buffers write the words as the highest numbers.
const ONE: u32 = u32::MAX - 1;
const QUORUM: u32 = u32::MAX - 2;
const ALL: u32 = u32::MAX - 3;
const DEFAULT: u32 = u32::MAX - 4;

impl Quorum {
    pub(crate) fn of_number(number: u32) -> Quorum {
        match number {
            ONE => Quorum::One,
            QUORUM => Quorum::Majority,
            ALL => Quorum::All,
            DEFAULT => Quorum::Default,
            count => Quorum::Count(count),
        }
    }

    pub(crate) fn to_number(self) -> u32 {
        match self {
            Quorum::One => ONE,
            Quorum::Majority => QUORUM,
            Quorum::All => ALL,
            Quorum::Default => DEFAULT,
            Quorum::Count(count) => count,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Quorum> {
        Some(match text {
            "one" => Quorum::One,
            "quorum" => Quorum::Majority,
            "all" => Quorum::All,
            "default" => Quorum::Default,
            number => Quorum::Count(number.parse().ok()?),
        })
    }

    pub(crate) fn of_json(value: &Value) -> Option<Quorum> {
        match value {
            Value::String(text) => Quorum::parse(text),
            Value::Number(number) => Some(Quorum::Count(u32::try_from(number.as_u64()?).ok()?)),
            _ => None,
        }
    }

    pub(crate) fn to_json(self) -> Value {
        match self {
            Quorum::One => "one".into(),
            Quorum::Majority => "quorum".into(),
            Quorum::All => "all".into(),
            Quorum::Default => "default".into(),
            Quorum::Count(count) => count.into(),
        }
    }

    /// Refuses more copies than an object has.
    pub(crate) fn check(self, copies: u64) -> Result<()> {
        match self {
            Quorum::Count(count) if u64::from(count) > copies => Err(RiakError::too_few_copies(copies)),
            _ => Ok(()),
        }
    }
}
