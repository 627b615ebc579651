//! `$currentDate`.

use language::{Error, Result};
use value::{Document, Timestamp, Value, shell};

/// How the time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    Date,
    Timestamp,
}

impl Clock {
    pub(super) fn value(self, now_ms: i64) -> Value {
        match self {
            Clock::Date => Value::DateTime(now_ms),
            Clock::Timestamp => Value::Timestamp(Timestamp {
                seconds: u32::try_from(now_ms / 1000).unwrap_or(0),
                increment: 1,
            }),
        }
    }
}

pub(super) fn parse(operand: &Value) -> Result<Clock> {
    match operand {
        Value::Bool(_) => Ok(Clock::Date),
        Value::Document(options) => parse_options(options),
        other => Err(Error::bad_value(format!(
            "{} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({{$type: \
             'timestamp/date'}}).",
            other.type_of().alias()
        ))),
    }
}

fn parse_options(options: &Document) -> Result<Clock> {
    let mut clock = None;
    for (name, value) in options.iter() {
        if name != "$type" {
            return Err(Error::bad_value(format!(
                "Unrecognized $currentDate option: {}",
                shell::field(name, value.as_ref())
            )));
        }
        clock = match value.as_ref().as_str() {
            Some("date") => Some(Clock::Date),
            Some("timestamp") => Some(Clock::Timestamp),
            _ => None,
        };
        if clock.is_none() {
            break;
        }
    }
    clock.ok_or_else(|| {
        Error::bad_value(
            "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: \
             'date'}}}",
        )
    })
}
