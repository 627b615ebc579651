//! What is done with a record before it is kept.

use super::units::Pattern;
use anyhow::{Result, bail};
use logline::Stamp;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One change of a record, at the fields of its top level.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Transform {
    /// Fields that get another name: old names and new ones.
    Rename(BTreeMap<String, String>),
    /// Fields that are left out.
    Drop(Vec<String>),
    /// Fields that are given a value.
    Set(BTreeMap<String, toml::Value>),
    /// Fields that are converted to another type; one that cannot be converted is left as it is, and counted.
    Convert(BTreeMap<String, ConvertTo>),
    /// A field that is a time.
    Timestamp(Timestamp),
    /// Only records that match are kept.
    Keep(Match),
    /// Records that match are not kept.
    Discard(Match),
}

/// The type that a field is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConvertTo {
    /// An integer of 64 bits.
    Int,
    /// A number.
    Double,
    /// True or false.
    Bool,
    /// Text.
    String,
}

/// A field that is a time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Timestamp {
    /// The field's name.
    pub field: String,
    /// Its form: `iso8601`, `unix`, `unix-ms`, or a description for strptime.
    pub form: String,
    /// The zone of times without one: `UTC`, `Europe/Berlin`; the machine's own by default.
    pub zone: Option<String>,
    /// The field that holds the date then.
    #[serde(default = "time")]
    pub to: String,
}

fn time() -> String {
    "time".to_owned()
}

/// A field, and what its text must match.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Match {
    /// The field's name.
    pub field: String,
    /// The expression.
    pub matches: Pattern,
}

impl Transform {
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Transform::Timestamp(timestamp) => {
                Stamp::named(&timestamp.form)?;
                timestamp.time_zone()?;
            }
            Transform::Set(fields) => {
                for (name, value) in fields {
                    if matches!(value, toml::Value::Array(_) | toml::Value::Table(_)) {
                        bail!("set: '{name}' is given a text, a number, true, false or a time");
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Timestamp {
    /// The zone of times without one.
    pub fn time_zone(&self) -> Result<jiff::tz::TimeZone> {
        Ok(match &self.zone {
            None => jiff::tz::TimeZone::system(),
            Some(name) => jiff::tz::TimeZone::get(name)?,
        })
    }
}
