//! `%Y-%m-%d` and the other conversions of `$dateToString` and `$dateFromString`.

use super::Zone;
use crate::{Error, Result};
use code::Code;
use std::fmt::Write;
use value::civil::MONTHS;

/// The conversions that a format may have.
const CONVERSIONS: &str = "dGHjLmMSwuUVYzZbB%";

/// The months by Roman numbers.
const ROMAN: [&str; 12] = [
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii",
];

/// The place in the year, from 0, of the month with this name, abbreviation or Roman number.
pub(super) fn month_of(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    let name = if name == "sept" { "sep" } else { name.as_str() };
    let named = MONTHS.iter().position(|month| {
        let month = month.to_ascii_lowercase();
        month == name || (name.len() == 3 && month.starts_with(name))
    });
    named.or_else(|| ROMAN.iter().position(|number| *number == name))
}

/// The conversions that only make sense when writing.
const WRITTEN_ONLY: &str = "Uw";

/// Fails for a format that `$dateFromString` does not know.
pub fn check_read_format(format: &str) -> Result<()> {
    check(format, |conversion| {
        CONVERSIONS.contains(conversion) && !WRITTEN_ONLY.contains(conversion)
    })
}

/// Fails for a format that `$dateToString` does not know.
pub fn check_format(format: &str) -> Result<()> {
    check(format, |conversion| CONVERSIONS.contains(conversion))
}

fn check(format: &str, knows: impl Fn(char) -> bool) -> Result<()> {
    let mut rest = format.chars();
    while let Some(next) = rest.next() {
        if next != '%' {
            continue;
        }
        match rest.next() {
            None => {
                return Err(Error::new(
                    Code::location(18_535),
                    "Unmatched '%' at end of format string",
                ));
            }
            Some(conversion) if knows(conversion) => {}
            Some(unknown) => {
                return Err(Error::new(
                    Code::location(18_536),
                    format!("Invalid format character '%{unknown}' in format string"),
                ));
            }
        }
    }
    Ok(())
}

/// The date in this format, which must have been checked.
pub fn format(ms: i64, format: &str, zone: &Zone) -> Result<String> {
    let civil = zone.civil_at(ms);
    let offset_minutes = zone.offset_at(ms) / 60_000;
    let mut out = String::with_capacity(format.len() * 2);
    let mut rest = format.chars();
    while let Some(next) = rest.next() {
        let conversion = match next {
            '%' => rest.next(),
            literal => {
                out.push(literal);
                continue;
            }
        };
        let written = match conversion {
            Some('Y') => {
                check_year(civil.year)?;
                write!(out, "{:04}", civil.year)
            }
            Some('G') => {
                let year = civil.iso_week().year;
                check_year(year)?;
                write!(out, "{year:04}")
            }
            Some('m') => write!(out, "{:02}", civil.month),
            Some('d') => write!(out, "{:02}", civil.day),
            Some('H') => write!(out, "{:02}", civil.hour),
            Some('M') => write!(out, "{:02}", civil.minute),
            Some('S') => write!(out, "{:02}", civil.second),
            Some('L') => write!(out, "{:03}", civil.millisecond),
            Some('j') => write!(out, "{:03}", civil.day_of_year()),
            Some('w') => write!(out, "{}", civil.iso_day_of_week() % 7 + 1),
            Some('u') => write!(out, "{}", civil.iso_day_of_week()),
            Some('U') => write!(out, "{:02}", civil.week_from_sunday()),
            Some('V') => write!(out, "{:02}", civil.iso_week().week),
            Some('b') => write!(out, "{}", &month_name(civil.month)[..3]),
            Some('B') => write!(out, "{}", month_name(civil.month)),
            Some('z') => {
                let (sign, minutes) = (if offset_minutes < 0 { '-' } else { '+' }, offset_minutes.abs());
                write!(out, "{sign}{:02}{:02}", minutes / 60, minutes % 60)
            }
            Some('Z') => write!(out, "{offset_minutes}"),
            Some(other) => write!(out, "{other}"),
            None => Ok(()),
        };
        // Writing to a string cannot fail.
        debug_assert!(written.is_ok());
    }
    Ok(out)
}

fn month_name(month: i64) -> &'static str {
    usize::try_from(month - 1)
        .ok()
        .and_then(|at| MONTHS.get(at))
        .copied()
        .unwrap_or("")
}

fn check_year(year: i64) -> Result<()> {
    if (0..=9999).contains(&year) {
        return Ok(());
    }
    Err(Error::new(
        Code::location(18_537),
        format!(
            "Could not convert date to string: date component was outside the supported range of 0-9999: {year}"
        ),
    ))
}
