//! Time zones by name or by offset.

use super::Civil;
use crate::{Error, Result};
use code::Code;
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
            Zone::Named(zone) => jiff::Timestamp::from_millisecond(within_years(ms))
                .map_or(0, |at| milliseconds(zone.to_offset(at))),
        }
    }

    /// Whether it is summer time at this moment.
    fn is_summer_at(&self, ms: i64) -> bool {
        match self {
            Zone::Fixed(_) => false,
            Zone::Named(zone) => jiff::Timestamp::from_millisecond(within_years(ms))
                .is_ok_and(|at| zone.to_offset_info(at).dst().is_dst()),
        }
    }

    /// The civil time of this moment.
    pub fn civil_at(&self, ms: i64) -> Civil {
        Civil::from_milliseconds(ms.saturating_add(self.offset_at(ms)))
    }

    /// The moment of a civil time. In a gap, the moment as far after it. Of two moments, MongoDB's choice: where summer time
    /// ends, the one in the season in which 1970 began. `None` beyond 64 bits.
    pub fn moment(&self, civil: Civil) -> Option<i64> {
        self.moment_from(civil, 0)
    }

    /// As [`Zone::moment`], for a civil time that was reached from another moment. If two moments have that civil time, the one
    /// in the season of that other moment.
    pub fn moment_from(&self, civil: Civil, start: i64) -> Option<i64> {
        let local = civil.to_milliseconds()?;
        let offset = match self {
            Zone::Fixed(offset) => *offset,
            Zone::Named(_) => self.offset_of_local(local, || self.is_summer_at(start)),
        };
        local.checked_sub(offset)
    }

    /// The offset at a local time, as timelib finds it (`do_adjust_timezone`): it looks at the local time as if it were
    /// UTC, so that zones west and east of it meet a change from different sides.
    fn offset_of_local(&self, local: i64, from_summer: impl FnOnce() -> bool) -> i64 {
        let is_at = |offset: i64| self.offset_at(local.saturating_sub(offset)) == offset;
        let at_local = self.offset_at(local);
        let found = self.offset_at(local.saturating_sub(at_local));
        if at_local != found {
            let in_gap = found > at_local && !is_at(found);
            return if in_gap { at_local } else { found };
        }
        let utc = local.saturating_sub(at_local);
        let (earlier, later) = (
            self.offset_at(utc.saturating_sub(SEASONS_OVERLAP_MS)),
            self.offset_at(utc.saturating_add(SEASONS_OVERLAP_MS)),
        );
        if earlier == found && later == found {
            return found;
        }
        let other = match (self.is_summer_at(local), from_summer()) {
            (false, true) if at_local >= 0 => earlier,
            (true, false) if at_local <= 0 => later,
            _ => found,
        };
        if is_at(other) { other } else { found }
    }
}

/// How far around a local time another season is searched.
const SEASONS_OVERLAP_MS: i64 = 2 * 3_600_000;

/// The nearest moment whose offset is known.
fn within_years(ms: i64) -> i64 {
    ms.clamp(
        jiff::Timestamp::MIN.as_millisecond() + MILLISECONDS_A_DAY,
        jiff::Timestamp::MAX.as_millisecond() - MILLISECONDS_A_DAY,
    )
}

fn milliseconds(offset: jiff::tz::Offset) -> i64 {
    i64::from(offset.seconds()) * 1_000
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
