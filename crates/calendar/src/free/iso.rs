//! ISO 8601 as programs write it, `2017-07-04T11:56:02.813Z`: what nearly all dates in texts look like, read without
//! trying the other forms.

use super::{Read, Time};

/// Reads a text of exactly this form; `None` for any other, which may still be a date.
pub(super) fn read(text: &str) -> Option<Read> {
    let mut rest = text.as_bytes();
    let year = number(&mut rest, 4, None)?;
    let month = number(&mut rest, 2, Some(b'-'))?;
    let day = number(&mut rest, 2, Some(b'-'))?;
    let mut read = Read {
        year: Some(year),
        month: Some(month),
        day: Some(day),
        has_date: true,
        ..Read::default()
    };
    if let Some((b'T' | b' ', after)) = rest.split_first() {
        rest = after;
        read.time = time(&mut rest)?;
    }
    match rest {
        [] => {}
        [b'Z'] => read.offset_ms = Some(0),
        _ => return None,
    }
    Some(read)
}

fn time(rest: &mut &[u8]) -> Option<Time> {
    let hour = number(rest, 2, None)?;
    let minute = number(rest, 2, Some(b':'))?;
    let second = number(rest, 2, Some(b':'))?;
    let milliseconds = match rest.first() {
        Some(b'.') => number(rest, 3, Some(b'.'))?,
        _ => 0,
    };
    Some(Time {
        hour,
        minute,
        second,
        microsecond: milliseconds * 1_000,
    })
}

/// A number of exactly `digits` digits, after the character `after` if it is given.
fn number(rest: &mut &[u8], digits: usize, after: Option<u8>) -> Option<i64> {
    let present = match after {
        Some(wanted) => rest.split_first().filter(|(found, _)| **found == wanted)?.1,
        None => *rest,
    };
    let (taken, left) = present.split_at_checked(digits)?;
    let mut value = 0;
    for digit in taken {
        value = value * 10 + i64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    *rest = left;
    Some(value)
}
