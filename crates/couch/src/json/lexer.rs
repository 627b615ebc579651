//! Strings and numbers of JSON (RFC 8259, sections 6 and 7).

use super::JsonError;
use memchr::memchr2;
use std::borrow::Cow;

/// A number as it will be kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int32(i32),
    Int64(i64),
    /// With a fraction, an exponent, or beyond 64 bits.
    Double(f64),
}

/// Takes a string whose opening quote stands at `at`; the string, and where it ends.
pub(super) fn string(text: &str, at: usize) -> Result<(Cow<'_, str>, usize), JsonError> {
    let start = at + 1;
    let rest = text.as_bytes().get(start..).ok_or(JsonError::Invalid)?;
    let stop = memchr2(b'"', b'\\', rest).ok_or(JsonError::Invalid)?;
    check_no_control(&rest[..stop])?;
    if rest[stop] == b'"' {
        // Both ends stand beside ASCII bytes.
        let plain = text.get(start..start + stop).ok_or(JsonError::Invalid)?;
        return Ok((Cow::Borrowed(plain), start + stop + 1));
    }
    let (unescaped, end) = escaped(text, start)?;
    Ok((Cow::Owned(unescaped), end))
}

fn escaped(text: &str, start: usize) -> Result<(String, usize), JsonError> {
    let mut unescaped = String::new();
    let mut at = start;
    loop {
        let rest = text.get(at..).ok_or(JsonError::Invalid)?;
        let stop = memchr2(b'"', b'\\', rest.as_bytes()).ok_or(JsonError::Invalid)?;
        let plain = rest.get(..stop).ok_or(JsonError::Invalid)?;
        check_no_control(plain.as_bytes())?;
        unescaped.push_str(plain);
        at += stop + 1;
        if rest.as_bytes()[stop] == b'"' {
            return Ok((unescaped, at));
        }
        let (character, end) = escape(text, at)?;
        unescaped.push(character);
        at = end;
    }
}

/// The character of an escape whose backslash stands before `at`.
fn escape(text: &str, at: usize) -> Result<(char, usize), JsonError> {
    let simple = match text.as_bytes().get(at).ok_or(JsonError::Invalid)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{C}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(text, at + 1),
        _ => return Err(JsonError::Invalid),
    };
    Ok((simple, at + 1))
}

fn unicode(text: &str, at: usize) -> Result<(char, usize), JsonError> {
    let first = hex4(text, at)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, at + 4));
    }
    // The first half of a pair (RFC 8259, section 7); a half alone is no text.
    let is_high = (0xD800..0xDC00).contains(&first);
    let marked = text.get(at + 4..at + 6) == Some("\\u");
    if !is_high || !marked {
        return Err(JsonError::Invalid);
    }
    let second = hex4(text, at + 6)?;
    let low = second
        .checked_sub(0xDC00)
        .filter(|low| *low < 0x400)
        .ok_or(JsonError::Invalid)?;
    let character = char::from_u32(0x10000 + ((first - 0xD800) << 10) + low).ok_or(JsonError::Invalid)?;
    Ok((character, at + 10))
}

fn hex4(text: &str, at: usize) -> Result<u32, JsonError> {
    let digits = text.get(at..at + 4).ok_or(JsonError::Invalid)?;
    let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all_hex
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
        .ok_or(JsonError::Invalid)
}

fn check_no_control(bytes: &[u8]) -> Result<(), JsonError> {
    match bytes.iter().any(|&byte| byte < 0x20) {
        true => Err(JsonError::Invalid),
        false => Ok(()),
    }
}

/// Takes a number; the number, and where it ends.
pub(super) fn number(text: &str, at: usize) -> Result<(Number, usize), JsonError> {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at > start {
            Ok(at)
        } else {
            Err(JsonError::Invalid)
        }
    };
    let first = at + usize::from(bytes.get(at) == Some(&b'-'));
    let mut end = digits(first)?;
    if bytes[first] == b'0' && end > first + 1 {
        return Err(JsonError::Invalid);
    }
    let mut is_integer = true;
    if bytes.get(end) == Some(&b'.') {
        is_integer = false;
        end = digits(end + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        is_integer = false;
        let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        end = digits(end + 1 + usize::from(signed))?;
    }
    let digits = text.get(at..end).ok_or(JsonError::Invalid)?;
    if is_integer && let Ok(integer) = digits.parse::<i64>() {
        let short = i32::try_from(integer).map(Number::Int32);
        return Ok((short.unwrap_or(Number::Int64(integer)), end));
    }
    let double: f64 = digits.parse().map_err(|_| JsonError::Invalid)?;
    match double.is_finite() {
        true => Ok((Number::Double(double), end)),
        false => Err(JsonError::Invalid),
    }
}
