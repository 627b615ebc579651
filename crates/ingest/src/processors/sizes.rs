//! Sizes as people write them: `1.5kb`.

use crate::error::{Failure, Result};

/// The bytes of a size.
pub(super) fn bytes_of(text: &str) -> Result<i64> {
    let lower = text.trim().to_ascii_lowercase();
    let units = [('k', 10), ('m', 20), ('g', 30), ('t', 40), ('p', 50)];
    let parsed = units.into_iter().find_map(|(letter, shift)| {
        let number = lower
            .strip_suffix('b')
            .and_then(|rest| rest.strip_suffix(letter))
            .or_else(|| lower.strip_suffix(letter))?;
        Some((number.trim().to_owned(), shift))
    });
    let wrong = |reason: String| Failure::of("parse_exception", reason);
    let size = match parsed {
        Some((number, shift)) => of_unit(&number, shift).ok_or_else(|| {
            wrong(match number.parse::<f64>() {
                Ok(_) => {
                    format!("failed to parse setting [Ingest Field] with value [{text}] as a size in bytes")
                }
                Err(_) => format!("failed to parse [{text}]"),
            })
        })?,
        None if lower == "-1" || lower == "0" => lower.parse().unwrap_or(0),
        None => match lower.strip_suffix('b') {
            Some(number) => number.trim().parse::<i64>().map_err(|_| {
                let reason = format!("For input string: \"{}\"", number.trim());
                Failure::of("number_format_exception", reason)
            })?,
            None => {
                return Err(wrong(format!(
                    "failed to parse setting [Ingest Field] with value [{text}] as a size in bytes: unit is missing or unrecognized"
                )));
            }
        },
    };
    match size < -1 {
        true => Err(wrong(format!(
            "failed to parse setting [Ingest Field] with value [{text}] as a size in bytes"
        ))),
        false => Ok(size),
    }
}

/// A number of units; `None` where it is none, or too large.
fn of_unit(number: &str, shift: u32) -> Option<i64> {
    let unit = 1_i64 << shift;
    if let Ok(whole) = number.parse::<i64>() {
        return whole.checked_mul(unit).filter(|size| *size >= 0);
    }
    let bytes = number.parse::<f64>().ok()? * unit as f64;
    (bytes >= 0.0 && bytes < i64::MAX as f64).then_some(bytes as i64)
}
