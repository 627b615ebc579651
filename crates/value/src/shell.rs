//! Values as MongoDB's messages and plans show them: `{ _id: 1, a: "x" }`.
//!
//! The notation is `BSONElement::toString`'s, so that a search for a message of MongoDB's finds it. It is for people,
//! and cannot be read back: texts stand as they are, without escapes, and what is long is cut.

use crate::{DocumentRef, ValueRef, hex};
use std::fmt::Write;

/// Texts, scripts and binary data of more bytes than these are cut…
const TEXT_BYTES_MAX: usize = 159;
const CODE_BYTES_MAX: usize = 79;
const BINARY_BYTES_MAX: usize = 80;
/// …to this many.
const TEXT_BYTES_KEPT: usize = 150;
const CODE_BYTES_KEPT: usize = 70;
const BINARY_BYTES_KEPT: usize = 70;
/// `%.16g`: digits of a double that are shown.
const DOUBLE_DIGITS: i32 = 16;

/// A field: `a: "x"`.
pub fn field(name: &str, value: ValueRef<'_>) -> String {
    let mut out = format!("{name}: ");
    write(value, &mut out);
    out
}

/// A value alone.
pub fn value(value: ValueRef<'_>) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// A document.
pub fn document(document: DocumentRef<'_>) -> String {
    value(ValueRef::Document(document))
}

fn write(value: ValueRef<'_>, out: &mut String) {
    // Writing to a String cannot fail, so the results are dropped.
    let _ = match value {
        ValueRef::Document(fields) => {
            return write_list(
                fields.iter().map(|(name, value)| (Some(name), value)),
                ['{', '}'],
                out,
            );
        }
        ValueRef::Array(elements) => {
            return write_list(elements.iter().map(|value| (None, value)), ['[', ']'], out);
        }
        ValueRef::Double(v) => return write_double(v, out),
        ValueRef::String(v) | ValueRef::Symbol(v) => match cut(v, TEXT_BYTES_MAX, TEXT_BYTES_KEPT) {
            Some(kept) => write!(out, "\"{kept}...\""),
            None => write!(out, "\"{v}\""),
        },
        ValueRef::Binary { subtype, bytes } => return write_binary(subtype, bytes, out),
        ValueRef::Undefined => write!(out, "undefined"),
        ValueRef::ObjectId(v) => write!(out, "ObjectId('{v}')"),
        ValueRef::Bool(v) => write!(out, "{v}"),
        ValueRef::DateTime(v) => write!(out, "new Date({v})"),
        ValueRef::Null => write!(out, "null"),
        ValueRef::Regex { pattern, options } => write!(out, "/{pattern}/{options}"),
        ValueRef::DbPointer { namespace, id } => write!(out, "DBRef('{namespace}',{id})"),
        ValueRef::JavaScript(v) => match cut(v, CODE_BYTES_MAX, CODE_BYTES_KEPT) {
            Some(kept) => write!(out, "{kept}..."),
            None => write!(out, "{v}"),
        },
        ValueRef::JavaScriptWithScope { code, scope } => {
            write!(out, "CodeWScope( {code}, {})", document(scope))
        }
        ValueRef::Int32(v) => write!(out, "{v}"),
        ValueRef::Int64(v) => write!(out, "{v}"),
        ValueRef::Timestamp(v) => write!(out, "Timestamp({}, {})", v.seconds, v.increment),
        ValueRef::Decimal128(v) => write!(out, "{v}"),
        ValueRef::MinKey => write!(out, "MinKey"),
        ValueRef::MaxKey => write!(out, "MaxKey"),
    };
}

fn write_list<'a>(
    items: impl Iterator<Item = (Option<&'a str>, ValueRef<'a>)>,
    [open, close]: [char; 2],
    out: &mut String,
) {
    out.push(open);
    let mut is_empty = true;
    for (name, value) in items {
        out.push_str(if is_empty { " " } else { ", " });
        is_empty = false;
        if let Some(name) = name {
            out.push_str(name);
            out.push_str(": ");
        }
        write(value, out);
    }
    if !is_empty {
        out.push(' ');
    }
    out.push(close);
}

/// What C's `%.16g` makes of a double, with `.0` where it has no point: `1.0`, `1.5e+20`, `1e+16.0`, `inf.0`.
fn write_double(number: f64, out: &mut String) {
    let start = out.len();
    if number.is_nan() {
        out.push_str("nan");
    } else if number.is_infinite() {
        out.push_str(if number > 0.0 { "inf" } else { "-inf" });
    } else {
        let scientific = format!("{number:.*e}", (DOUBLE_DIGITS - 1) as usize);
        // There is always an exponent.
        let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let _ = match usize::try_from(DOUBLE_DIGITS - 1 - exponent) {
            Ok(decimals) if exponent >= -4 => {
                let fixed = format!("{number:.decimals$}");
                write!(out, "{}", without_zeros(&fixed))
            }
            _ => {
                let sign = if exponent < 0 { '-' } else { '+' };
                write!(out, "{}e{sign}{:02}", without_zeros(digits), exponent.abs())
            }
        };
    }
    if !out[start..].contains('.') {
        out.push_str(".0");
    }
}

/// A decimal fraction without the zeros that end it.
fn without_zeros(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

fn write_binary(subtype: u8, bytes: &[u8], out: &mut String) {
    const UUID: u8 = 4;
    let digits = hex(&bytes[..if bytes.len() > BINARY_BYTES_MAX {
        BINARY_BYTES_KEPT
    } else {
        bytes.len()
    }]);
    if subtype == UUID && bytes.len() == 16 {
        let parts = [
            &digits[..8],
            &digits[8..12],
            &digits[12..16],
            &digits[16..20],
            &digits[20..],
        ];
        let _ = write!(out, "UUID(\"{}\")", parts.join("-"));
        return;
    }
    let more = if bytes.len() > BINARY_BYTES_MAX { "..." } else { "" };
    let _ = write!(out, "BinData({subtype}, {}{more})", digits.to_ascii_uppercase());
}

/// The beginning of a text that is too long, whole characters of it.
fn cut(text: &str, max: usize, kept: usize) -> Option<&str> {
    (text.len() > max).then(|| &text[..text.floor_char_boundary(kept)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Binary, DbPointer, ObjectId, Regex, Timestamp, Value, array, doc};

    fn check(given: impl Into<Value>, expected: &str) {
        assert_eq!(value(given.into().as_ref()), expected);
    }

    #[test]
    fn documents_and_arrays_have_spaces_inside_unless_they_are_empty() {
        let nested = doc! {"a": 1, "b": array![true, Value::Null, array![]], "c": doc! {}};
        check(nested, "{ a: 1, b: [ true, null, [] ], c: {} }");
        assert_eq!(field("a.b", ValueRef::Int64(-5)), "a.b: -5");
    }

    #[test]
    fn doubles_have_a_point_and_sixteen_digits() {
        for (number, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-2.5, "-2.5"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.3333333333333333"),
            (123_456_789.0, "123456789.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16.0"),
            (1.5e20, "1.5e+20"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05.0"),
            (2.5e-300, "2.5e-300"),
            (f64::MAX, "1.797693134862316e+308"),
            (f64::NAN, "nan.0"),
            (f64::INFINITY, "inf.0"),
            (f64::NEG_INFINITY, "-inf.0"),
        ] {
            check(number, expected);
        }
    }

    #[test]
    fn each_type_has_its_form() {
        let id: ObjectId = "0123456789abcdef01234567".parse().expect("24 digits");
        let pointer = DbPointer {
            namespace: "d.c".into(),
            id,
        };
        let regex = Regex {
            pattern: "^a/b".into(),
            options: "i".into(),
        };
        let scoped = |scope| Value::JavaScriptWithScope("f()".into(), scope);
        check(id, "ObjectId('0123456789abcdef01234567')");
        check(Value::DbPointer(pointer), "DBRef('d.c',0123456789abcdef01234567)");
        check(Value::Regex(regex), "/^a/b/i");
        check(Value::DateTime(-1), "new Date(-1)");
        check(
            Value::Timestamp(Timestamp {
                seconds: 1,
                increment: 2,
            }),
            "Timestamp(1, 2)",
        );
        check(Value::JavaScript("f()".into()), "f()");
        check(scoped(doc! {}), "CodeWScope( f(), {})");
        check(scoped(doc! {"a": 1}), "CodeWScope( f(), { a: 1 })");
        check(Value::Symbol("s".into()), "\"s\"");
        check(Value::Decimal128("1.50".parse().expect("a decimal")), "1.50");
        check(Value::Undefined, "undefined");
        check(Value::MinKey, "MinKey");
        check(Value::MaxKey, "MaxKey");
    }

    #[test]
    fn binary_data_is_hexadecimal_and_a_uuid_one() {
        let binary = |subtype, bytes: &[u8]| {
            Value::Binary(Binary {
                subtype,
                bytes: bytes.into(),
            })
        };
        check(binary(0, &[0x0a, 0xff]), "BinData(0, 0AFF)");
        check(
            binary(3, &[0x11; 16]),
            &format!("BinData(3, {})", "11".repeat(16)),
        );
        check(
            binary(4, &[0xAB; 16]),
            "UUID(\"abababab-abab-abab-abab-abababababab\")",
        );
        check(binary(4, &[0xAB; 2]), "BinData(4, ABAB)");
        check(binary(0, &[7; 80]), &format!("BinData(0, {})", "07".repeat(80)));
        check(
            binary(0, &[7; 81]),
            &format!("BinData(0, {}...)", "07".repeat(70)),
        );
    }

    #[test]
    fn texts_are_not_escaped_and_cut_when_they_are_long() {
        check("a\"b\\c\n", "\"a\"b\\c\n\"");
        check("x".repeat(159), &format!("\"{}\"", "x".repeat(159)));
        check("x".repeat(160), &format!("\"{}...\"", "x".repeat(150)));
        check("é".repeat(80), &format!("\"{}...\"", "é".repeat(75)));
        check("…".repeat(60), &format!("\"{}...\"", "…".repeat(50)));
        check(
            format!("x{}", "é".repeat(80)),
            &format!("\"x{}...\"", "é".repeat(74)),
        );
        check(Value::JavaScript("x".repeat(79)), &"x".repeat(79));
        check(
            Value::JavaScript("x".repeat(80)),
            &format!("{}...", "x".repeat(70)),
        );
    }
}
