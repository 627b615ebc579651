//! Patterns of Java's `DecimalFormat`, without a locale: `#,##0.00`, `0.0%`, `0.###E0`.

mod pattern;

use crate::error::{ErrorKind, Result, SearchError};
use std::fmt::Write;

/// A double has no more digits than these before its point, and after it.
const DIGITS_MAX: usize = 340;
/// Characters of a pattern at most.
const PATTERN_MAX: usize = 1_000;

/// A pattern that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct DecimalFormat {
    positive: (String, String),
    negative: (String, String),
    /// Digits before the point at least, and at most where there is an exponent.
    whole: (usize, usize),
    /// Digits after the point at least and at most.
    fraction: (usize, usize),
    /// How many digits are one group.
    group: Option<usize>,
    /// Digits of the exponent at least, where there is one.
    exponent: Option<usize>,
    /// Whether the point is written although nothing comes after it.
    ends_with_point: bool,
    factor: f64,
}

impl DecimalFormat {
    /// Reads a pattern.
    pub fn parse(pattern: &str) -> Result<DecimalFormat> {
        if pattern.len() > PATTERN_MAX {
            return Err(SearchError::illegal(format!(
                "a pattern of numbers has more than {PATTERN_MAX} characters"
            )));
        }
        if pattern.is_empty() {
            return Ok(DecimalFormat {
                positive: (String::new(), String::new()),
                negative: ("-".to_owned(), String::new()),
                whole: (0, DIGITS_MAX),
                fraction: (0, DIGITS_MAX),
                group: Some(3),
                exponent: None,
                ends_with_point: false,
                factor: 1.0,
            });
        }
        pattern::read(pattern)
    }

    /// A number as text.
    pub fn write(&self, number: f64) -> String {
        if !number.is_finite() {
            return special(number).to_owned();
        }
        let number = number * self.factor;
        let (prefix, suffix) = match number.is_sign_negative() {
            true => &self.negative,
            false => &self.positive,
        };
        let body = match self.exponent {
            Some(least) => self.scientific(number.abs(), least),
            None => self.plain(number.abs()),
        };
        format!("{prefix}{body}{suffix}")
    }

    fn plain(&self, number: f64) -> String {
        let (digits, point) = rounded(number, None, self.fraction.1);
        let digit = |at: i64| match usize::try_from(at).ok().and_then(|at| digits.get(at)) {
            Some(digit) => char::from(*digit),
            None => '0',
        };
        let count = (self.whole.0 as i64).max(point);
        let mut text = String::new();
        for place in (0..count).rev() {
            text.push(digit(point - 1 - place));
            if place > 0 && self.group.is_some_and(|group| place % group as i64 == 0) {
                text.push(',');
            }
        }
        let given = (digits.len() as i64 - point).clamp(0, self.fraction.1 as i64);
        let fraction = given.max(self.fraction.0 as i64);
        if fraction == 0 && text.is_empty() {
            text.push('0');
        }
        if fraction > 0 || self.ends_with_point {
            text.push('.');
        }
        text.extend((0..fraction).map(|at| digit(point + at)));
        text
    }

    fn scientific(&self, number: f64, least: usize) -> String {
        let (digits, point) = rounded(number, Some(self.whole.1 + self.fraction.1), 0);
        let repeat = self.whole.1 as i64;
        let mut whole = self.whole.0 as i64;
        let mut exponent = if digits.is_empty() { 0 } else { point };
        if repeat > 1 && repeat > whole {
            // The exponent is a multiple of the digits before the point.
            exponent = (exponent - 1).div_euclid(repeat) * repeat;
            whole = 1;
        } else {
            exponent -= whole;
        }
        let before = match digits.is_empty() {
            true => {
                exponent = 0;
                whole
            }
            false => point - exponent,
        };
        let count = ((self.whole.0 + self.fraction.0) as i64)
            .max(before)
            .max(digits.len() as i64);
        let mut text = String::new();
        for at in 0..count {
            if at == before {
                text.push('.');
            }
            text.push(digits.get(at as usize).map_or('0', |digit| char::from(*digit)));
        }
        if self.ends_with_point && count == before {
            text.push('.');
        }
        let sign = if exponent < 0 { "-" } else { "" };
        let _ = write!(text, "E{sign}{:0least$}", exponent.abs());
        text
    }
}

/// The digits of a number and the position of its decimal point, rounded half-even to `all` significant digits, or else to
/// `fraction` digits after the point. Zero has no digits.
fn rounded(number: f64, all: Option<usize>, fraction: usize) -> (Vec<u8>, i64) {
    if number == 0.0 {
        return (Vec::new(), 0);
    }
    let shortest = format!("{number:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let mut point = exponent.parse::<i64>().unwrap_or(0) + 1;
    let kept = all.map_or(point + fraction as i64, |all| {
        if all == 0 { i64::MAX } else { all as i64 }
    });
    if kept < digits.len() as i64 {
        let is_up = kept >= 0 && is_rounded_up(&digits, kept as usize, point, number);
        digits.truncate(kept.max(0) as usize);
        if is_up && carry(&mut digits) {
            point += 1;
        }
    }
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    match digits.is_empty() {
        true => (digits, 0),
        false => (digits, point),
    }
}

/// Whether the digits that are left out make the last that is kept one more.
fn is_rounded_up(digits: &[u8], kept: usize, point: i64, number: f64) -> bool {
    let Some((first, rest)) = digits[kept..].split_first() else {
        return false;
    };
    if *first != b'5' || rest.iter().any(|digit| *digit != b'0') {
        return *first >= b'5';
    }
    // What looks like a half is one only where the double is exactly that.
    let places = (digits.len() as i64 - point).max(0) as usize;
    let exact = format!("{number:.prec$}", prec = places.saturating_add(60).min(1_100));
    let exact: Vec<u8> = exact.bytes().filter(u8::is_ascii_digit).collect();
    let start = exact.iter().position(|digit| *digit != b'0').unwrap_or(0);
    let exact = &exact[start..];
    match exact.get(kept..).unwrap_or_default().split_first() {
        Some((b'5', rest)) if rest.iter().all(|digit| *digit == b'0') => {
            kept > 0 && (digits[kept - 1] - b'0') % 2 == 1
        }
        Some((first, _)) => *first >= b'5',
        None => false,
    }
}

/// Adds one to the last digit; true where there is one more digit before the point then.
fn carry(digits: &mut Vec<u8>) -> bool {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return false;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
    true
}

/// A double as Java's `Double.toString` has it: `5.0`, `1.0E7`.
pub fn double_text(number: f64) -> String {
    if !number.is_finite() {
        return special(number).to_owned();
    }
    let size = number.abs();
    if number == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{number:?}");
    }
    let shortest = format!("{number:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    match mantissa.contains('.') {
        true => format!("{mantissa}E{exponent}"),
        false => format!("{mantissa}.0E{exponent}"),
    }
}

/// A number as Java reads it from a text.
pub fn java_number(text: &str) -> Result<f64> {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number = text.trim().parse::<f64>().ok().filter(|_| is_plain);
    number.ok_or_else(|| {
        let reason = match text {
            "" => "empty String".to_owned(),
            text if is_plain && text.matches('.').count() > 1 => "multiple points".to_owned(),
            text => format!("For input string: \"{text}\""),
        };
        SearchError::new(ErrorKind::NumberFormat, reason)
    })
}

/// What is no number of digits.
fn special(number: f64) -> &'static str {
    match number {
        number if number.is_nan() => "NaN",
        number if number > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_java_writes_them() {
        for (pattern, texts) in [
            ("0000.00", ["-0982.59", "0986.19", "3541.19"]),
            ("#,##0.0", ["-982.6", "986.2", "3,541.2"]),
            ("0.00%", ["-98258.96%", "98619.19%", "354119.30%"]),
            ("000 'units'", ["-983 units", "986 units", "3541 units"]),
            ("0.###E0", ["-9.826E2", "9.862E2", "3.541E3"]),
            ("#.##", ["-982.59", "986.19", "3541.19"]),
            ("$#,##0.00;($#,##0.00)", ["($982.59)", "$986.19", "$3,541.19"]),
            ("##0.###E0", ["-982.59E0", "986.192E0", "3.54119E3"]),
            (
                "0.0\u{2030}",
                ["-982589.6\u{2030}", "986191.9\u{2030}", "3541193.0\u{2030}"],
            ),
            ("'#'0", ["-#983", "#986", "#3541"]),
            ("#E0", ["-.1E4", ".1E4", ".4E4"]),
            ("00.##E00", ["-98.26E01", "98.62E01", "35.41E02"]),
            ("yyyy", ["-yyyy983", "yyyy986", "yyyy3541"]),
            ("", ["-982.5896", "986.1919", "3,541.193"]),
            ("0,00,000.0", ["-000,982.6", "000,986.2", "003,541.2"]),
            ("#,##0.00;-#", ["-982.59", "986.19", "3,541.19"]),
            ("0;#", ["-983", "986", "3541"]),
            ("'x''y'0", ["-x'y983", "x'y986", "x'y3541"]),
            ("###,###.##E0", ["-982.5896E0", "986.1919E0", "3541.193E0"]),
            ("0.00;[0]", ["[982.59]", "986.19", "3541.19"]),
            ("#;", ["-983", "986", "3541"]),
        ] {
            let format = DecimalFormat::parse(pattern).expect("a pattern");
            let written = [-982.5896, 986.1919, 3541.193].map(|number| format.write(number));
            assert_eq!(written, texts, "{pattern}");
        }
    }

    #[test]
    fn a_half_is_rounded_to_the_even_digit_where_the_double_is_one() {
        let format = DecimalFormat::parse("0.0").expect("a pattern");
        for (number, text) in [
            (400.25, "400.2"),
            (0.35, "0.3"),
            (0.25, "0.2"),
            (0.75, "0.8"),
            (9.96, "10.0"),
            (-0.01, "-0.0"),
            (0.0, "0.0"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(format.write(number), text, "{number}");
        }
    }

    #[test]
    fn malformed_patterns_are_refused() {
        for (pattern, why) in [
            ("0.00.0", "Multiple decimal separators in pattern \"0.00.0\""),
            ("##.##E", "Malformed exponential pattern \"##.##E\""),
            ("0.0#0", "Unexpected '0' in pattern \"0.0#0\""),
            ("0'", "Malformed pattern \"0'\""),
        ] {
            assert_eq!(DecimalFormat::parse(pattern), Err(SearchError::illegal(why)));
        }
    }

    #[test]
    fn doubles_have_an_exponent_where_they_are_long() {
        for (number, text) in [
            (5.0, "5.0"),
            (1e7, "1.0E7"),
            (1.58e12, "1.58E12"),
            (1e-4, "1.0E-4"),
            (0.001, "0.001"),
        ] {
            assert_eq!(double_text(number), text);
        }
    }
}
