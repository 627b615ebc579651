//! The parts of JSON that are no structure: white space, texts, numbers, words.
//!
//! Grammar: RFC 8259.

use super::JsonError;
use memchr::memchr2;
use std::borrow::Cow;

/// A number as it is kept: an int or a long if it is written without point and exponent, and fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An int.
    Int32(i32),
    /// A long.
    Int64(i64),
    /// A double.
    Double(f64),
}

/// A place in the text.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// The beginning of a text.
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// How many bytes stand before the place.
    pub fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn error<T>(&self, what: impl Into<String>) -> Result<T, JsonError> {
        Err(JsonError {
            offset: self.at,
            what: what.into(),
        })
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn slice(&self, from: usize) -> &'a str {
        // Both ends are next to an ASCII byte, so they are on character boundaries.
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// The next byte, not taken.
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte after white space, without taking it.
    pub fn next_token(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    /// Takes this byte if it is the next.
    pub fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips white space and takes this byte, or fails.
    pub(super) fn expect(&mut self, byte: u8, what: &str) -> Result<(), JsonError> {
        self.next_token();
        if self.take(byte) {
            Ok(())
        } else {
            self.error(format!("{what} is expected here"))
        }
    }

    /// Takes this word, or fails.
    pub fn word(&mut self, word: &str) -> Result<(), JsonError> {
        if !self.rest().starts_with(word.as_bytes()) {
            return self.error("a value is expected here");
        }
        self.at += word.len();
        Ok(())
    }

    /// Takes a text, its opening quote being next. Most have no escapes and are not copied.
    pub fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let plain = self.plain()?;
        if self.take(b'"') {
            return Ok(Cow::Borrowed(plain));
        }
        let mut out = plain.to_owned();
        loop {
            out.push(self.escape()?);
            out.push_str(self.plain()?);
            if self.take(b'"') {
                return Ok(Cow::Owned(out));
            }
        }
    }

    /// Takes the characters up to the next quote or backslash.
    fn plain(&mut self) -> Result<&'a str, JsonError> {
        let (start, rest) = (self.at, self.rest());
        let Some(length) = memchr2(b'"', b'\\', rest) else {
            self.at = self.text.len();
            return self.error("the text has no closing quote");
        };
        if let Some(control) = rest[..length].iter().position(|&byte| byte < 0x20) {
            self.at += control;
            return self.error("control characters in a text must be escaped");
        }
        self.at += length;
        Ok(self.slice(start))
    }

    /// A character written as an escape, the backslash being next.
    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let Some(kind) = self.peek() else {
            return self.error("the text has no closing quote");
        };
        self.at += 1;
        Ok(match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(start),
            _ => {
                self.at = start;
                return self.error(r#"an escape is one of \" \\ \/ \b \f \n \r \t \u"#);
            }
        })
    }

    /// What follows `\u`; characters beyond the first 65,536 are written as two escapes.
    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let first = self.hex4()?;
        let code = match first {
            0xD800..0xDC00 if self.rest().starts_with(b"\\u") => {
                self.at += 2;
                match self.hex4()? {
                    second @ 0xDC00..0xE000 => 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00),
                    _ => first,
                }
            }
            _ => first,
        };
        // Only half of a pair is no character.
        char::from_u32(code).ok_or_else(|| JsonError {
            offset: start,
            what: "half of a surrogate pair stands for no character".to_owned(),
        })
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => self.error(r"\u is followed by four hexadecimal digits"),
        }
    }

    /// Takes a number.
    pub fn number(&mut self) -> Result<Number, JsonError> {
        let start = self.at;
        self.take(b'-');
        let leading_zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        if leading_zero && digits > 1 {
            self.at = start;
            return self.error("a number does not begin with 0");
        }
        let mut is_integer = true;
        if self.take(b'.') {
            is_integer = false;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            is_integer = false;
            self.at += 1;
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let text = self.slice(start);
        if is_integer && let Ok(long) = text.parse::<i64>() {
            return Ok(i32::try_from(long).map_or(Number::Int64(long), Number::Int32));
        }
        match text.parse::<f64>() {
            Ok(double) if double.is_finite() => Ok(Number::Double(double)),
            _ => {
                self.at = start;
                self.error("the number is beyond the range of a double")
            }
        }
    }

    fn digits(&mut self) -> Result<usize, JsonError> {
        let count = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        self.at += count;
        if count == 0 {
            self.error("a digit is expected here")
        } else {
            Ok(count)
        }
    }
}
