//! Formats for others than mappings: what pipelines read and write dates by.

use super::{DateFormats, Rounding, zone};
use crate::error::Result;
use jiff::tz::TimeZone;

/// Formats by name or pattern, with the zone of what says none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateFormat {
    formats: DateFormats,
    zone: TimeZone,
}

impl DateFormat {
    /// Reads `yyyy-MM-dd||epoch_millis` and the name or offset of a zone.
    pub fn parse(text: &str, zone_name: &str) -> Result<DateFormat> {
        Ok(DateFormat {
            formats: DateFormats::parse(text)?,
            zone: zone(zone_name)?,
        })
    }

    /// The moment of a text, in milliseconds since 1970; `None` where it is of another form.
    pub fn read(&self, text: &str) -> Option<i64> {
        self.formats.read(text, &self.zone, Rounding::Down)
    }

    /// A moment as text.
    pub fn write(&self, ms: i64) -> String {
        self.formats.write(ms, &self.zone)
    }
}
