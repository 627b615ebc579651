//! Dates as MongoDB's date operators see them: milliseconds since 1970 of any 64-bit value, civil time of the proleptic
//! Gregorian calendar, time zones by name (the tz database) or by offset.
//!
//! - [`Zone`]: civil time of a moment, and back.
//! - [`Unit`]: [`add`], [`difference`] and [`truncate`] by units of time.
//! - [`format()`], [`parse_with_format`]: texts in a given format.
//! - [`parse_text`]: texts in no particular format, as timelib reads them.
//!
//! What must hold: no value depends on a clock, nor on the zone of the machine.
//!
//! Left to others: which operator takes which operands (`language`).

mod error;
mod format;
mod free;
mod parse;
mod unit;
mod zone;

pub use error::{Error, Result};
pub use format::{check_format, check_read_format, format};
pub use free::parse_text;
pub use parse::{NotADate, parse_with_format};
pub use unit::{Unit, Weekday, add, difference, truncate};
pub use value::civil::Civil;
pub use zone::Zone;
