//! From values to text.

use super::{Mode, date};
use crate::ValueRef;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt::{Display, Write as _};

/// Appends the value's text.
pub(super) fn value(value: ValueRef<'_>, mode: Mode, out: &mut String) {
    Writer { mode, out }.value(value);
}

struct Writer<'a> {
    mode: Mode,
    out: &'a mut String,
}

impl Writer<'_> {
    fn value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::String(text) => self.string(text),
            ValueRef::Document(document) => self.object(document.iter()),
            ValueRef::Array(array) => self.array(array.iter()),
            ValueRef::Bool(true) => self.out.push_str("true"),
            ValueRef::Bool(false) => self.out.push_str("false"),
            ValueRef::Null => self.out.push_str("null"),
            ValueRef::Int32(int) => self.number("$numberInt", itoa::Buffer::new().format(int)),
            ValueRef::Int64(int) => self.number("$numberLong", itoa::Buffer::new().format(int)),
            ValueRef::Double(double) => self.double(double),
            ValueRef::Decimal128(decimal) => self.wrapped("$numberDecimal", decimal),
            ValueRef::ObjectId(id) => self.wrapped("$oid", id),
            ValueRef::DateTime(ms) => self.date_time(ms),
            ValueRef::Binary { subtype, bytes } => self.binary(subtype, bytes),
            ValueRef::Regex { pattern, options } => {
                self.out.push_str(r#"{"$regularExpression":{"pattern":"#);
                self.string(pattern);
                self.out.push_str(r#","options":"#);
                self.string(options);
                self.out.push_str("}}");
            }
            ValueRef::Timestamp(timestamp) => {
                self.format(format_args!(
                    r#"{{"$timestamp":{{"t":{},"i":{}}}}}"#,
                    timestamp.seconds, timestamp.increment
                ));
            }
            ValueRef::JavaScript(code) => self.object([("$code", ValueRef::String(code))]),
            ValueRef::JavaScriptWithScope { code, scope } => {
                self.object([
                    ("$code", ValueRef::String(code)),
                    ("$scope", ValueRef::Document(scope)),
                ]);
            }
            ValueRef::Symbol(text) => self.object([("$symbol", ValueRef::String(text))]),
            ValueRef::DbPointer { namespace, id } => {
                self.out.push_str(r#"{"$dbPointer":{"$ref":"#);
                self.string(namespace);
                self.out.push_str(r#","$id":"#);
                self.wrapped("$oid", id);
                self.out.push_str("}}");
            }
            ValueRef::Undefined => self.out.push_str(r#"{"$undefined":true}"#),
            ValueRef::MinKey => self.out.push_str(r#"{"$minKey":1}"#),
            ValueRef::MaxKey => self.out.push_str(r#"{"$maxKey":1}"#),
        }
    }

    fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.out.write_fmt(arguments);
    }

    fn object<'v>(&mut self, fields: impl IntoIterator<Item = (&'v str, ValueRef<'v>)>) {
        self.out.push('{');
        for (position, (name, value)) in fields.into_iter().enumerate() {
            if position > 0 {
                self.out.push(',');
            }
            self.string(name);
            self.out.push(':');
            self.value(value);
        }
        self.out.push('}');
    }

    fn array<'v>(&mut self, elements: impl Iterator<Item = ValueRef<'v>>) {
        self.out.push('[');
        for (position, element) in elements.enumerate() {
            if position > 0 {
                self.out.push(',');
            }
            self.value(element);
        }
        self.out.push(']');
    }

    /// `{"$name":"text"}`, for a text without characters to escape.
    fn wrapped(&mut self, name: &str, text: impl Display) {
        self.format(format_args!(r#"{{"{name}":"{text}"}}"#));
    }

    fn number(&mut self, name: &str, text: &str) {
        match self.mode {
            Mode::Relaxed => self.out.push_str(text),
            Mode::Canonical => self.wrapped(name, text),
        }
    }

    fn double(&mut self, double: f64) {
        if double.is_nan() {
            self.wrapped("$numberDouble", "NaN");
        } else if double.is_infinite() {
            self.wrapped(
                "$numberDouble",
                if double > 0.0 { "Infinity" } else { "-Infinity" },
            );
        } else if self.mode == Mode::Canonical {
            self.out.push_str(r#"{"$numberDouble":""#);
            self.finite(double);
            self.out.push_str(r#""}"#);
        } else {
            self.finite(double);
        }
    }

    /// The shortest digits that read back as the same double, always with a point or an exponent.
    fn finite(&mut self, double: f64) {
        let start = self.out.len();
        self.format(format_args!("{double:?}"));
        if let Some(at) = self
            .out
            .get(start..)
            .and_then(|text| text.find('e'))
            .map(|at| at + start)
        {
            let sign = if self
                .out
                .get(at + 1..)
                .is_some_and(|exponent| exponent.starts_with('-'))
            {
                ""
            } else {
                "+"
            };
            self.out.replace_range(at..=at, &format!("E{sign}"));
        }
    }

    fn date_time(&mut self, ms: i64) {
        self.out.push_str(r#"{"$date":"#);
        let start = self.out.len();
        self.out.push('"');
        if self.mode == Mode::Relaxed && date::write(ms, self.out) {
            self.out.push('"');
        } else {
            self.out.truncate(start);
            self.wrapped("$numberLong", ms);
        }
        self.out.push('}');
    }

    fn binary(&mut self, subtype: u8, bytes: &[u8]) {
        self.out.push_str(r#"{"$binary":{"base64":""#);
        STANDARD.encode_string(bytes, self.out);
        self.format(format_args!(r#"","subType":"{subtype:02x}"}}}}"#));
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        while let Some(at) = rest
            .bytes()
            .position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
        {
            let (plain, special) = rest.split_at(at);
            self.out.push_str(plain);
            let mut characters = special.chars();
            if let Some(character) = characters.next() {
                self.escaped(character);
            }
            rest = characters.as_str();
        }
        self.out.push_str(rest);
        self.out.push('"');
    }

    fn escaped(&mut self, character: char) {
        match character {
            '"' => self.out.push_str(r#"\""#),
            '\\' => self.out.push_str(r"\\"),
            '\n' => self.out.push_str(r"\n"),
            '\r' => self.out.push_str(r"\r"),
            '\t' => self.out.push_str(r"\t"),
            '\u{8}' => self.out.push_str(r"\b"),
            '\u{C}' => self.out.push_str(r"\f"),
            control => self.format(format_args!(r"\u{:04x}", u32::from(control))),
        }
    }
}
