//! Dates in text.

use jiff::tz::TimeZone;
use value::date::{days_of, days_of_month};

/// Milliseconds since 1970 of ISO 8601 dates and times, with a space or a T between; UTC if no zone is given.
pub fn milliseconds(text: &str) -> Option<i64> {
    let text = text.trim();
    plain_milliseconds(text.as_bytes()).or_else(|| milliseconds_in(text, &TimeZone::UTC))
}

/// The same, but in this zone if none is given.
pub fn milliseconds_in(text: &str, zone: &TimeZone) -> Option<i64> {
    let text = text.trim();
    if text.len() < 10 || text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let zoned = text.parse::<jiff::Timestamp>().ok();
    let plain = || {
        text.parse::<jiff::civil::DateTime>()
            .ok()?
            .to_zoned(zone.clone())
            .ok()
    };
    let at = zoned.or_else(|| plain().map(|zoned| zoned.timestamp()))?;
    Some(at.as_millisecond())
}

/// Milliseconds since 1970 of `2026-01-31T12:00:00`, a blank or a T between, by far the most usual form in logs. `None`
/// if it has another form, or no such date exists.
pub fn plain_milliseconds(text: &[u8]) -> Option<i64> {
    let text: &[u8; 19] = text.try_into().ok()?;
    let century = text[..2].iter().try_fold(0, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then_some(number * 10 + i64::from(digit))
    })?;
    let [year, month, day] = three_pairs(text[2..10].try_into().ok()?, b'-')?;
    let [hour, minute, second] = three_pairs(text[11..].try_into().ok()?, b':')?;
    let year = century * 100 + year;
    // One condition, so that a date that is as it should takes one branch.
    let is_date = matches!(text[10], b'T' | b' ') & (1..=days_of_month(year, month)).contains(&day);
    let is_time = (hour < 24) & (minute < 60) & (second < 60);
    if !(is_date & is_time) {
        return None;
    }
    let seconds = days_of(year, month, day) * 86_400 + (hour * 60 + minute) * 60 + second;
    Some(seconds * 1000)
}

/// The numbers of `26-01-31`, or of `12:00:00` with another mark. All bytes are looked at together, in one word (Lamport,
/// "Multiple byte processing with full-word instructions", 1975).
fn three_pairs(text: [u8; 8], mark: u8) -> Option<[i64; 3]> {
    let form = [b'0', b'0', mark, b'0', b'0', mark, b'0', b'0'];
    // Digits become 0 to 9, marks 0; what is larger reaches the highest bit of its byte by these.
    const BEYOND: u64 = u64::from_le_bytes([0x76, 0x76, 0x7f, 0x76, 0x76, 0x7f, 0x76, 0x76]);
    const HIGHEST_BITS: u64 = u64::from_le_bytes([0x80; 8]);
    let digits = u64::from_le_bytes(text) ^ u64::from_le_bytes(form);
    if (digits.wrapping_add(BEYOND) | digits) & HIGHEST_BITS != 0 {
        return None;
    }
    // Each byte times ten plus the byte after it: the values of all pairs of digits at once.
    let pairs = (digits * 10 + (digits >> 8)).to_le_bytes();
    Some([pairs[0], pairs[3], pairs[6]].map(i64::from))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn usual_dates_are_read_as_all_others() {
        for year in [0, 4, 1582, 1900, 1969, 1970, 2000, 2023, 2024, 2100, 9998] {
            for month in 0..14 {
                for day in [0, 1, 28, 29, 30, 31, 32] {
                    let text = format!("{year:04}-{month:02}-{day:02}T23:59:58");
                    let slow = text.parse::<jiff::civil::DateTime>().ok();
                    let slow = slow.map(|plain| plain.to_zoned(TimeZone::UTC).unwrap());
                    let slow = slow.map(|zoned| zoned.timestamp().as_millisecond());
                    assert_eq!(plain_milliseconds(text.as_bytes()), slow, "{text}");
                }
            }
        }
        for other in [
            "2026-01-31T24:00:00",
            "2026-01-31T12:60:00",
            "2026-01-31t12:00:00",
            "2026-01-3aT12:00:00",
            "2026-01-31T12:00:0/",
            "2026/01/31T12:00:00",
            "2026-01-31T12-00-00",
            "20\u{e9}6-01-31T12:00:0",
            "2x26-01-31T12:00:00",
            "-026-01-31T12:00:00",
            "2026-01-31T12:00:00Z",
        ] {
            assert_eq!(plain_milliseconds(other.as_bytes()), None, "{other}");
        }
    }
}
