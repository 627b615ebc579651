//! Reducing values one by one as they are read, by those functions that need nothing else of a row.

use super::stats::Total;
use super::{Function, Reducer, sum};
use crate::{Error, Result};
use bytes::Bytes;
use serde_json::Value;

/// The digits of a whole number that is surely no larger than 64 bits.
const DIGITS_MAX: usize = 18;

/// A reduction that grows value by value.
pub struct Fold<'r> {
    reducer: &'r Reducer,
    so_far: SoFar,
}

enum SoFar {
    Count(u64),
    /// A sum of whole numbers, which most are.
    Whole(i64),
    Sum(Value),
    /// What cannot be added takes the place of the sum.
    Failed(Value),
    Stats(Total),
}

impl Reducer {
    /// A reduction of no values yet; `None` where the function needs whole rows.
    pub fn fold(&self) -> Option<Fold<'_>> {
        let so_far = match self.function {
            Function::Count => SoFar::Count(0),
            Function::Sum => SoFar::Whole(0),
            Function::Stats => SoFar::Stats(Total::default()),
            _ => return None,
        };
        Some(Fold {
            reducer: self,
            so_far,
        })
    }
}

impl Fold<'_> {
    /// Adds a value, given as JSON text.
    pub fn add(&mut self, text: &[u8]) -> Result<()> {
        match &mut self.so_far {
            SoFar::Count(count) => *count += 1,
            SoFar::Failed(_) => {}
            SoFar::Stats(total) => total.add(&self.reducer.parse(text)?)?,
            SoFar::Whole(total) => match whole(text).and_then(|number| total.checked_add(number)) {
                Some(sum) => *total = sum,
                None => {
                    let value = self.reducer.parse(text)?;
                    self.so_far = summed(&value, Value::from(*total));
                }
            },
            SoFar::Sum(total) => {
                let value = self.reducer.parse(text)?;
                self.so_far = summed(&value, total.take());
            }
        }
        Ok(())
    }

    /// The reduction, as it is kept.
    pub fn finish(self) -> Bytes {
        match self.so_far {
            SoFar::Count(count) => count.to_string().into(),
            SoFar::Whole(total) => total.to_string().into(),
            SoFar::Sum(total) | SoFar::Failed(total) => total.to_string().into(),
            SoFar::Stats(total) => total.to_value().to_string().into(),
        }
    }
}

impl Reducer {
    fn parse(&self, text: &[u8]) -> Result<Value> {
        let wrong = |error| Error::InvalidValue(format!("the values of {}: {error}", self.name));
        serde_json::from_slice(text).map_err(wrong)
    }
}

fn summed(value: &Value, total: Value) -> SoFar {
    match sum::add(value, total) {
        Ok(total) => SoFar::Sum(total),
        Err(error) => SoFar::Failed(error),
    }
}

/// A whole number of few digits. `-0` is none: it is a fraction in JSON's reader.
fn whole(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty()
        || digits.len() > DIGITS_MAX
        || !digits.iter().all(u8::is_ascii_digit)
        || text == b"-0"
    {
        return None;
    }
    let digit = |number: i64, &digit: &u8| number * 10 + i64::from(digit - b'0');
    let number = digits.iter().fold(0, digit);
    Some(if digits.len() < text.len() {
        -number
    } else {
        number
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_one_by_one_are_what_all_together_are() {
        let cases: [&[&str]; 9] = [
            &[],
            &["1", "2", "-3"],
            &["1", "2.5"],
            &["9223372036854775807", "1"],
            &["999999999999999999", "-999999999999999999", "-0"],
            &["[1,2]", "3"],
            &[r#"{"a":1}"#, r#"{"a":2,"b":3}"#],
            &["1", r#""x""#, "2"],
            &["1", "[1,[2]]"],
        ];
        for function in [Function::Sum, Function::Count, Function::Stats] {
            let reducer = Reducer {
                function,
                name: "v".to_owned(),
                program: None,
            };
            for case in cases {
                let texts: Vec<Bytes> = case
                    .iter()
                    .map(|text| Bytes::copy_from_slice(text.as_bytes()))
                    .collect();
                let together = match function {
                    Function::Count => Ok(Bytes::from(texts.len().to_string())),
                    _ => reducer.combine(texts.iter()),
                };
                let mut fold = reducer.fold().expect("a function of values");
                let added: Result<Vec<()>> = texts.iter().map(|text| fold.add(text)).collect();
                match together {
                    Ok(together) => assert_eq!(fold.finish(), together, "{function:?} {case:?}"),
                    Err(error) => assert_eq!(added.unwrap_err().to_string(), error.to_string(), "{case:?}"),
                }
            }
        }
    }
}
