//! Sizes, periods and patterns as they are written in a configuration.

use regex::Regex;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::time::Duration;

/// A number of bytes: `1048576`, `512k`, `64m`, `2g`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// A span of time: `200ms`, `10s`, `5m`, `1h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period(pub Duration);

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Pattern(pub Regex);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Bytes, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(input)? {
            Written::Number(bytes) => Ok(Bytes(bytes)),
            Written::Text(text) => bytes(&text)
                .ok_or_else(|| D::Error::custom(format!("'{text}' is not a size such as 512k, 64m or 2g"))),
        }
    }
}

fn bytes(text: &str) -> Option<Bytes> {
    let (number, unit) = number_and_unit(text)?;
    let shift = match unit {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        _ => return None,
    };
    number.checked_mul(1 << shift).map(Bytes)
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Period, D::Error> {
        let text = String::deserialize(input)?;
        period(&text).ok_or_else(|| {
            D::Error::custom(format!(
                "'{text}' is not a span of time such as 200ms, 10s, 5m or 1h"
            ))
        })
    }
}

fn period(text: &str) -> Option<Period> {
    let (number, unit) = number_and_unit(text)?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let milliseconds = number.checked_mul(milliseconds).filter(|period| *period > 0)?;
    Some(Period(Duration::from_millis(milliseconds)))
}

fn number_and_unit(text: &str) -> Option<(u64, &str)> {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit))
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Pattern, D::Error> {
        let text = String::deserialize(input)?;
        Regex::new(&text).map(Pattern).map_err(D::Error::custom)
    }
}
