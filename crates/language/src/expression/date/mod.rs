//! Dates as the date operators see them: milliseconds since 1970 of any 64-bit value, civil time of the proleptic
//! Gregorian calendar, time zones by name (the tz database) or by offset.

mod format;
mod free;
mod parse;
mod unit;
mod zone;

pub use format::{check_format, check_read_format, format};
pub use free::parse_text;
pub use parse::parse_with_format;
pub use unit::{Unit, Weekday, add, difference, truncate};
pub use value::civil::Civil;
pub use zone::Zone;
