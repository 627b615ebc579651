//! Dates as MongoDB's date operators have them: any 64-bit number of milliseconds since 1970, civil time in the proleptic
//! Gregorian calendar, time zones by name (of the tz database) or by offset.
//!
//! - [`Zone`]: the civil time of a moment, and back.
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
