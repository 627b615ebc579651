//! Values of settings, as they are written.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Where a protocol listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// On this address.
    On(SocketAddr),
    /// Nowhere.
    Off,
}

impl Listen {
    /// Listens on this port of the machine itself.
    pub(super) fn loopback(port: u16) -> Listen {
        Listen::On(SocketAddr::from(([127, 0, 0, 1], port)))
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Listen, String> {
        if text == "off" {
            return Ok(Listen::Off);
        }
        text.parse().map(Listen::On).map_err(|_| {
            format!("'{text}' is not an address such as 127.0.0.1:27017 or [::1]:27017, nor the word off")
        })
    }
}

/// A number of bytes, written as `1048576`, `512k`, `512m` or `2g`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSize(pub usize);

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<ByteSize, String> {
        let wrong = || format!("'{text}' is not a size such as 512m or 2g");
        let lower = text.trim().to_ascii_lowercase();
        let unit = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
        let (digits, unit) = lower.split_at(unit);
        let shift = match unit {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            _ => return Err(wrong()),
        };
        let number: usize = digits.parse().map_err(|_| wrong())?;
        number.checked_mul(1 << shift).map(ByteSize).ok_or_else(wrong)
    }
}

/// How long Riak's clients are told that an object was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteMode {
    /// It is told for as long as the store knows.
    Keep,
    /// It is told for this many milliseconds.
    After(u32),
}

impl DeleteMode {
    /// How long they are told, if not for ever.
    pub fn told(self) -> Option<Duration> {
        match self {
            DeleteMode::Keep => None,
            DeleteMode::After(ms) => Some(Duration::from_millis(ms.into())),
        }
    }
}

impl Default for DeleteMode {
    /// The mode that Riak has unless told otherwise.
    fn default() -> DeleteMode {
        DeleteMode::After(3_000)
    }
}

impl FromStr for DeleteMode {
    type Err = String;

    fn from_str(text: &str) -> Result<DeleteMode, String> {
        match text {
            "keep" => Ok(DeleteMode::Keep),
            "immediate" => Ok(DeleteMode::After(0)),
            _ => text
                .parse()
                .map(DeleteMode::After)
                .map_err(|_| format!("'{text}' is neither keep nor immediate nor a number of milliseconds")),
        }
    }
}

/// What is logged: levels, for all or for one crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter(String);

impl LogFilter {
    /// The filter as the log takes it.
    pub fn compiled(&self) -> Result<EnvFilter, String> {
        EnvFilter::try_new(&self.0).map_err(|error| {
            format!("'{self}' is not a log filter such as info or info,mongo=debug: {error}")
        })
    }
}

impl Default for LogFilter {
    fn default() -> LogFilter {
        LogFilter("info".to_owned())
    }
}

impl FromStr for LogFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<LogFilter, String> {
        // A word by itself could name a crate: then everything of it would be logged, and nothing of the others.
        let is_level = |word: &str| word.trim().parse::<LevelFilter>().is_ok();
        let mut words = text.split(',').filter(|part| !part.contains(['=', '[']));
        if let Some(word) = words.find(|word| !is_level(word)) {
            return Err(format!(
                "'{word}' is no level: error, warn, info, debug, trace and off are; of one crate, mongo=debug"
            ));
        }
        let filter = LogFilter(text.to_owned());
        filter.compiled()?;
        Ok(filter)
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One line of text an event.
    #[default]
    Text,
    /// One JSON object an event.
    Json,
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listen::On(address) => address.fmt(f),
            Listen::Off => f.write_str("off"),
        }
    }
}

impl fmt::Display for DeleteMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeleteMode::Keep => f.write_str("keep"),
            DeleteMode::After(0) => f.write_str("immediate"),
            DeleteMode::After(ms) => ms.fmt(f),
        }
    }
}

/// With the largest unit of which it is a whole number.
impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, unit) in [(30, "g"), (20, "m"), (10, "k")] {
            if self.0 != 0 && self.0.is_multiple_of(1 << shift) {
                return write!(f, "{}{unit}", self.0 >> shift);
            }
        }
        self.0.fmt(f)
    }
}

macro_rules! as_text {
    ($type:ty, $what:literal) => {
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }

                    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<$type, E> {
                        self.visit_str(&number.to_string())
                    }
                }
                deserializer.deserialize_any(Visitor)
            }
        }
    };
}

as_text!(Listen, "an address such as \"127.0.0.1:27017\", or \"off\"");
as_text!(DeleteMode, "\"keep\", \"immediate\", or milliseconds");
as_text!(ByteSize, "a size such as \"512m\"");
as_text!(LogFilter, "a log filter such as \"info,mongo=debug\"");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_addresses_are_written_as_they_are_read() {
        for text in ["0", "1000", "512k", "48m", "3g"] {
            assert_eq!(text.parse::<ByteSize>().unwrap().to_string(), text);
        }
        for text in ["keep", "immediate", "3000"] {
            assert_eq!(text.parse::<DeleteMode>().unwrap().to_string(), text);
        }
        assert!("3 s".parse::<DeleteMode>().is_err());
        for text in ["127.0.0.1:27017", "[::1]:0", "off"] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_log_filter_says_levels() {
        for text in ["debug", "info,mongo=debug", "off", "2", "warn,[span]=trace"] {
            assert_eq!(text.parse::<LogFilter>().unwrap().to_string(), text);
        }
        for text in ["inof", "info,mongo", "info,mongo=deubg"] {
            assert!(text.parse::<LogFilter>().is_err(), "{text}");
        }
    }
}
