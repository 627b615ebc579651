//! A line by its format.

use crate::{access, logfmt, object, pattern, syslog};
use jiff::tz::TimeZone;
use regex::Regex;
use value::Document;

/// What lines look like.
#[derive(Clone, Debug)]
pub enum Format {
    /// Nothing is known of them: `{message: line}`.
    Plain,
    /// Syslog: RFC 5424, RFC 3164, and lines of files, which have no priority.
    Syslog,
    /// The access logs of Apache and nginx, "common" and "combined".
    Combined,
    /// `name=value name="value with blanks"`.
    Logfmt,
    /// A JSON object a line.
    Json,
    /// The named groups of a regular expression.
    Pattern(Regex),
}

impl Format {
    /// The names by which formats are asked for; `Pattern` is asked for by its expression.
    pub const NAMES: [&str; 5] = ["plain", "syslog", "combined", "logfmt", "json"];

    /// The format of this name.
    pub fn named(name: &str) -> Option<Format> {
        match name {
            "plain" => Some(Format::Plain),
            "syslog" => Some(Format::Syslog),
            "combined" => Some(Format::Combined),
            "logfmt" => Some(Format::Logfmt),
            "json" => Some(Format::Json),
            _ => None,
        }
    }
}

/// Why a line is not of the format that it should have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Mismatch(pub(crate) String);

/// Makes documents of lines.
#[derive(Clone, Debug)]
pub struct Parser {
    format: Format,
    zone: TimeZone,
}

impl Parser {
    /// A parser for which times without a zone are of the machine's.
    pub fn new(format: Format) -> Parser {
        Parser {
            format,
            zone: TimeZone::system(),
        }
    }

    /// A parser for which times without a zone are of this one.
    pub fn in_zone(format: Format, zone: TimeZone) -> Parser {
        Parser { format, zone }
    }

    /// The document of a line. `now_ms` says which year is meant if a line has none.
    pub fn parse(&self, line: &str, now_ms: i64) -> Result<Document, Mismatch> {
        match &self.format {
            Format::Plain => Ok(Document::new().with("message", line)),
            Format::Syslog => syslog::parse(line, &self.zone, now_ms),
            Format::Combined => access::parse(line),
            Format::Logfmt => logfmt::parse(line),
            Format::Json => object::parse(line),
            Format::Pattern(pattern) => pattern::parse(pattern, line),
        }
    }
}
