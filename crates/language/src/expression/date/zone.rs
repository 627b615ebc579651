//! Time zones by name or by offset.

use super::Civil;
use crate::{Code, Error, Result};
use jiff::tz::TimeZone;
use value::date::MILLISECONDS_A_DAY;

/// A time zone.
#[derive(Clone, Debug)]
pub enum Zone {
    /// Ahead of UTC by this many milliseconds.
    Fixed(i64),
    /// One of the tz database.
    Named(TimeZone),
}

impl Zone {
    /// Coordinated Universal Time.
    pub const UTC: Zone = Zone::Fixed(0);

    /// The zone of this name or offset (`+05`, `+0530`, `+05:30`).
    pub fn parse(text: &str) -> Result<Zone> {
        // Of all names this one alone is UTC to MongoDB, which writes no `Z` for `GMT`.
        if text == "UTC" {
            return Ok(Zone::UTC);
        }
        if let Some(offset) = parse_offset(text) {
            return Ok(Zone::Fixed(offset));
        }
        let known = TimeZone::get(text).ok().filter(|zone| {
            // The database looks names up whatever their case, MongoDB does not.
            zone.iana_name().is_none_or(|name| name == text)
        });
        known.map(Zone::Named).ok_or_else(|| {
            Error::new(
                Code::location(40_485),
                format!("unrecognized time zone identifier: \"{text}\""),
            )
        })
    }

    /// Milliseconds ahead of UTC at this moment.
    pub fn offset_at(&self, ms: i64) -> i64 {
        match self {
            Zone::Fixed(offset) => *offset,
            Zone::Named(zone) => {
                let clamped = ms.clamp(
                    jiff::Timestamp::MIN.as_millisecond() + MILLISECONDS_A_DAY,
                    jiff::Timestamp::MAX.as_millisecond() - MILLISECONDS_A_DAY,
                );
                match jiff::Timestamp::from_millisecond(clamped) {
                    Ok(at) => i64::from(zone.to_offset(at).seconds()) * 1_000,
                    Err(_) => 0,
                }
            }
        }
    }

    /// The civil time at this moment.
    pub fn civil_at(&self, ms: i64) -> Civil {
        Civil::from_milliseconds(ms.saturating_add(self.offset_at(ms)))
    }

    /// The moment of a civil time; in a gap the one as far after it, of two the earlier. None beyond 64 bits.
    pub fn moment(&self, civil: Civil) -> Option<i64> {
        let local = civil.to_milliseconds()?;
        match self {
            Zone::Fixed(offset) => local.checked_sub(*offset),
            Zone::Named(_) => {
                // The offset before the change is right for gaps and for the earlier of two.
                let before = self.offset_at(local.saturating_sub(MILLISECONDS_A_DAY));
                let first = local.checked_sub(before)?;
                if self.offset_at(first) == before {
                    return Some(first);
                }
                let after = self.offset_at(first);
                let second = local.checked_sub(after)?;
                // In a gap neither offset leads back to itself.
                Some(if self.offset_at(second) == after {
                    second
                } else {
                    first
                })
            }
        }
    }
}

/// An offset in milliseconds: sign, hours, and minutes if any.
fn parse_offset(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = match digits.len() {
        2 => (digits, "0"),
        4 => digits.split_at_checked(2)?,
        5 => digits.split_once(':').filter(|(hours, _)| hours.len() == 2)?,
        _ => return None,
    };
    let number = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| text.parse::<i64>().ok())?
    };
    Some(sign * (number(hours)? * 60 + number(minutes)?) * 60_000)
}
