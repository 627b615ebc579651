//! Reading a pattern of numbers.

use super::{DIGITS_MAX, DecimalFormat};
use crate::error::{Result, SearchError};

/// The digits of a pattern, as they are read.
#[derive(Default)]
struct Digits {
    left: usize,
    zeros: usize,
    right: usize,
    point: Option<usize>,
    group: Option<usize>,
    exponent: Option<usize>,
}

/// Reads a pattern: one for all numbers, or one for positive and after a `;` one for negative ones.
pub(super) fn read(pattern: &str) -> Result<DecimalFormat> {
    let mut reader = Reader {
        pattern,
        left: pattern,
        factor: 1.0,
    };
    let positive = reader.part(true)?;
    let negative = match reader.left.strip_prefix(';') {
        Some(rest) if !rest.is_empty() => {
            reader.left = rest;
            Some(reader.part(false)?)
        }
        _ => None,
    };
    let (prefix, digits, suffix) = positive;
    let positive = (prefix, suffix);
    let negative = negative
        .map(|(prefix, _, suffix)| (prefix, suffix))
        .filter(|given| *given != positive)
        .unwrap_or_else(|| (format!("-{}", positive.0), positive.1.clone()));
    Ok(digits.format(positive, negative, reader.factor))
}

struct Reader<'p> {
    pattern: &'p str,
    left: &'p str,
    factor: f64,
}

impl Reader<'_> {
    fn wrong<T>(&self, what: &str) -> Result<T> {
        Err(SearchError::illegal(format!(
            "{what} in pattern \"{}\"",
            self.pattern
        )))
    }

    fn malformed<T>(&self, what: &str) -> Result<T> {
        Err(SearchError::illegal(format!(
            "Malformed {what}pattern \"{}\"",
            self.pattern
        )))
    }

    /// A prefix, digits and a suffix, up to a `;` or the end.
    fn part(&mut self, is_first: bool) -> Result<(String, Digits, String)> {
        let prefix = self.affix(true, is_first)?;
        let mut digits = Digits::default();
        if is_first {
            self.digits(&mut digits)?;
        } else {
            // Those of the second part say nothing.
            self.left = self.left.trim_start_matches(['#', '0', ',', '.']);
        }
        let suffix = self.affix(false, is_first)?;
        if is_first {
            digits.check(self)?;
        }
        Ok((prefix, digits, suffix))
    }

    fn affix(&mut self, is_prefix: bool, is_first: bool) -> Result<String> {
        let mut text = String::new();
        let mut is_quoted = false;
        let mut has_factor = false;
        while let Some(c) = self.left.chars().next() {
            let after = &self.left[c.len_utf8()..];
            match c {
                '\'' if after.starts_with('\'') => {
                    self.left = &after[1..];
                    text.push('\'');
                    continue;
                }
                '\'' => is_quoted = !is_quoted,
                c if is_quoted => text.push(c),
                '#' | '0' | ',' | '.' if is_prefix => break,
                '#' | '0' | ',' | '.' => return self.wrong(&format!("Unquoted special character '{c}'")),
                ';' if is_first && !is_prefix => break,
                ';' => return self.wrong(&format!("Unquoted special character '{c}'")),
                '%' | '\u{2030}' => {
                    if has_factor || (is_first && self.factor != 1.0) {
                        return self.wrong("Too many percent/per mille characters");
                    }
                    has_factor = true;
                    if is_first {
                        self.factor = if c == '%' { 100.0 } else { 1000.0 };
                    }
                    text.push(c);
                }
                c => text.push(c),
            }
            self.left = after;
        }
        match is_quoted {
            true => self.malformed(""),
            false => Ok(text),
        }
    }

    fn digits(&mut self, digits: &mut Digits) -> Result<()> {
        while let Some(c) = self.left.chars().next() {
            match c {
                '#' => {
                    match digits.zeros {
                        0 => digits.left += 1,
                        _ => digits.right += 1,
                    }
                    digits.grow();
                }
                '0' => {
                    if digits.right > 0 {
                        return self.wrong("Unexpected '0'");
                    }
                    digits.zeros += 1;
                    digits.grow();
                }
                ',' => digits.group = Some(0),
                '.' if digits.point.is_some() => return self.wrong("Multiple decimal separators"),
                '.' => digits.point = Some(digits.left + digits.zeros + digits.right),
                'E' => {
                    let after = &self.left[1..];
                    let zeros = after.len() - after.trim_start_matches('0').len();
                    if digits.left + digits.zeros < 1 || zeros < 1 {
                        return self.malformed("exponential ");
                    }
                    digits.exponent = Some(zeros);
                    self.left = &after[zeros..];
                    break;
                }
                _ => break,
            }
            self.left = &self.left[1..];
        }
        Ok(())
    }
}

impl Digits {
    /// One more digit, which is in the last group where the point did not come yet.
    fn grow(&mut self) {
        if self.point.is_none()
            && let Some(group) = &mut self.group
        {
            *group += 1;
        }
    }

    fn check(&mut self, reader: &Reader<'_>) -> Result<()> {
        if self.zeros == 0
            && self.left > 0
            && let Some(point) = self.point
        {
            // `#.##` is as `0.##` but for the zero.
            let before = point.max(1);
            self.right = self.left - before;
            self.left = before - 1;
            self.zeros = 1;
        }
        let is_amiss = self
            .point
            .is_some_and(|point| point < self.left || point > self.left + self.zeros);
        match is_amiss || self.group == Some(0) {
            true => reader.malformed(""),
            false => Ok(()),
        }
    }

    fn format(self, positive: (String, String), negative: (String, String), factor: f64) -> DecimalFormat {
        let total = self.left + self.zeros + self.right;
        let point = self.point.unwrap_or(total);
        let whole = point - self.left;
        let most = match self.exponent {
            Some(_) => self.left + whole,
            None => DIGITS_MAX,
        };
        let fraction = self
            .point
            .map_or((0, 0), |point| (self.left + self.zeros - point, total - point));
        DecimalFormat {
            positive,
            negative,
            whole: (whole, most),
            fraction,
            group: self.group.filter(|group| *group > 0),
            exponent: self.exponent,
            ends_with_point: self.point == Some(0) || self.point == Some(total),
            factor,
        }
    }
}
