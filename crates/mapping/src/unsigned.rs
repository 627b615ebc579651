//! Whole numbers of 64 bits without a sign.

use serde_json::Value;
use value::decimal::Parts;
use value::{Decimal128, ValueRef};

/// What stands for all numbers that are far beyond those of 64 bits.
const BEYOND: i128 = 1 << 100;
/// 2^64, the first number beyond.
const END: f64 = 18_446_744_073_709_551_616.0;

/// A value of a document; else why it is none, in Elasticsearch's words.
pub(crate) fn read(value: ValueRef<'_>) -> Result<u64, String> {
    let number = match value {
        ValueRef::String(text) => return of_text(text),
        ValueRef::Int32(number) => i64::from(number),
        ValueRef::Int64(number) => number,
        ValueRef::Double(number) => return of_double(number),
        ValueRef::Decimal128(number) => return of_text(&number.to_string()),
        ValueRef::Bool(flag) => return of_text(if flag { "true" } else { "false" }),
        _ => return Err("it is no number".to_owned()),
    };
    u64::try_from(number).map_err(|_| format!("Value [{number}] is out of range for unsigned long."))
}

fn of_double(number: f64) -> Result<u64, String> {
    match number {
        number if number.fract() != 0.0 || !number.is_finite() => {
            Err(format!("Value \"{number}\" has a decimal part"))
        }
        number if (0.0..END).contains(&number) => Ok(number as u64),
        number => Err(format!("Value [{number}] is out of range for unsigned long")),
    }
}

fn of_text(text: &str) -> Result<u64, String> {
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    match floor(text) {
        None => Err(format!("For input string: \"{text}\"")),
        Some((_, true)) => Err(format!("Value \"{text}\" has a decimal part")),
        Some((whole, false)) => {
            u64::try_from(whole).map_err(|_| format!("Value [{text}] is out of range for unsigned long"))
        }
    }
}

/// The greatest whole number that is not above a number, and whether the number has a fraction.
fn floor(text: &str) -> Option<(i128, bool)> {
    let Parts::Finite {
        negative,
        coefficient,
        exponent,
    } = text.parse::<Decimal128>().ok()?.parts()
    else {
        return None;
    };
    let power = 10_u128.checked_pow(exponent.unsigned_abs());
    let (whole, rest) = match (exponent < 0, power) {
        _ if coefficient == 0 => (0, 0),
        (true, Some(power)) => (coefficient / power, coefficient % power),
        (true, None) => (0, coefficient),
        (false, power) => (
            power
                .and_then(|power| coefficient.checked_mul(power))
                .unwrap_or(u128::MAX),
            0,
        ),
    };
    let whole = i128::try_from(whole).unwrap_or(BEYOND).min(BEYOND);
    let has_fraction = rest != 0;
    Some(match negative {
        true => (-whole - i128::from(has_fraction), has_fraction),
        false => (whole, has_fraction),
    })
}

/// The number that a query asks for; `None` for another one, which no document can have. Errors: it is no number.
pub(crate) fn asked(value: &Value) -> Result<Option<u64>, String> {
    let text = match value {
        Value::Number(number) => return Ok(number.as_u64()),
        Value::String(text) => text.as_str(),
        Value::Bool(true) => "true",
        _ => "false",
    };
    match (text.parse(), text.trim().parse::<f64>()) {
        (Ok(number), _) => Ok(Some(number)),
        (_, Ok(_)) => Ok(None),
        _ => Err(format!("For input string: \"{text}\"")),
    }
}

/// An end of a range, and whether it is within.
pub type End = Option<(Value, bool)>;

/// The least and the greatest number of a range; `None` where there is none in it. Errors: an end is no number.
pub(crate) fn range(low: &End, high: &End) -> Result<Option<(u64, u64)>, String> {
    let least = match low {
        None => 0,
        Some((value, includes)) => {
            let (whole, has_fraction) = end(value)?;
            (whole + i128::from(has_fraction || !includes)).max(0)
        }
    };
    let greatest = match high {
        None => i128::from(u64::MAX),
        Some((value, includes)) => {
            let (whole, has_fraction) = end(value)?;
            (whole - i128::from(!has_fraction && !includes)).min(i128::from(u64::MAX))
        }
    };
    let ends = u64::try_from(least).ok().zip(u64::try_from(greatest).ok());
    Ok(ends.filter(|(least, greatest)| least <= greatest))
}

fn end(value: &Value) -> Result<(i128, bool), String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    floor(&text).ok_or_else(|| format!("For input string: \"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_read_to_the_last_digit() {
        let decimal = |text: &str| text.parse::<Decimal128>().expect("a decimal");
        for (given, number) in [
            (ValueRef::Int32(0), Some(0)),
            (ValueRef::Int32(-1), None),
            (ValueRef::Int64(i64::MAX), Some(i64::MAX as u64)),
            (
                ValueRef::Decimal128(decimal("9223372036854775809")),
                Some((1 << 63) + 1),
            ),
            (ValueRef::Decimal128(decimal("18446744073709551616")), None),
            (ValueRef::String("18446744073709551615"), Some(u64::MAX)),
            (ValueRef::String("18446744073709551615.0"), Some(u64::MAX)),
            (ValueRef::String("18446744073709551616"), None),
            (ValueRef::String("1e3"), Some(1000)),
            (ValueRef::String("1.5"), None),
            (ValueRef::String("-1"), None),
            (ValueRef::String("x"), None),
            (ValueRef::Double(5.0), Some(5)),
            (ValueRef::Double(5.5), None),
            (ValueRef::Double(END), None),
            (ValueRef::Bool(true), None),
        ] {
            assert_eq!(read(given).ok(), number, "{given:?}");
        }
    }

    #[test]
    fn ranges_have_whole_ends() {
        let max = u64::MAX;
        let half = "9223372036854775807.5";
        for (low, high, found) in [
            (None, None, Some((0, max))),
            (
                Some((json!(-5), true)),
                Some((json!("1e30"), true)),
                Some((0, max)),
            ),
            (
                Some((json!(half), true)),
                Some((json!(max), false)),
                Some((1 << 63, max - 1)),
            ),
            (
                Some((json!(3), false)),
                Some((json!(half), false)),
                Some((4, (1 << 63) - 1)),
            ),
            (Some((json!(max), false)), None, None),
            (None, Some((json!(0), false)), None),
            (None, Some((json!(-0.5), true)), None),
            (Some((json!("1e30"), true)), None, None),
        ] {
            assert_eq!(range(&low, &high), Ok(found), "{low:?} {high:?}");
        }
        assert!(range(&Some((json!("x"), true)), &None).is_err());
    }

    #[test]
    fn a_query_may_ask_for_a_number_that_no_document_has() {
        assert_eq!(asked(&json!(u64::MAX)), Ok(Some(u64::MAX)));
        assert_eq!(asked(&json!("18446744073709551615")), Ok(Some(u64::MAX)));
        for none in [json!(-1), json!(1.5), json!("1.5"), json!("18446744073709551616")] {
            assert_eq!(asked(&none), Ok(None), "{none}");
        }
        assert!(asked(&json!("x")).is_err() && asked(&json!(true)).is_err());
    }
}
