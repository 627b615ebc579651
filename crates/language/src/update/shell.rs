//! Values in the notation of MongoDB's messages: `{ _id: 1, a: "x" }`.

use std::fmt::Write;
use value::{DocumentRef, ValueRef};

/// The field as messages show it: `a: "x"`.
pub(crate) fn field(name: &str, value: ValueRef<'_>) -> String {
    let mut out = format!("{name}: ");
    write_value(&mut out, value);
    out
}

/// The value alone.
pub(crate) fn value(value: ValueRef<'_>) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// The document.
pub(crate) fn document(document: DocumentRef<'_>) -> String {
    value(ValueRef::Document(document))
}

fn write_value(out: &mut String, value: ValueRef<'_>) {
    // Writing to a String cannot fail, so the results are dropped.
    let _ = match value {
        ValueRef::Double(v) if v.fract() == 0.0 && v.abs() < 1e15 => write!(out, "{v:.1}"),
        ValueRef::Double(v) => write!(out, "{v}"),
        ValueRef::String(v) | ValueRef::Symbol(v) => write!(out, "\"{v}\""),
        ValueRef::Document(v) => {
            write_fields(out, '{', '}', v.iter().map(|(name, value)| (Some(name), value)));
            Ok(())
        }
        ValueRef::Array(v) => {
            write_fields(out, '[', ']', v.iter().map(|value| (None, value)));
            Ok(())
        }
        ValueRef::Binary { subtype, bytes } => {
            let _ = write!(out, "BinData({subtype}, ");
            bytes.iter().for_each(|byte| _ = write!(out, "{byte:02X}"));
            write!(out, ")")
        }
        ValueRef::Undefined => write!(out, "undefined"),
        ValueRef::ObjectId(v) => write!(out, "ObjectId('{v}')"),
        ValueRef::Bool(v) => write!(out, "{v}"),
        ValueRef::DateTime(v) => write!(out, "new Date({v})"),
        ValueRef::Null => write!(out, "null"),
        ValueRef::Regex { pattern, options } => write!(out, "/{pattern}/{options}"),
        ValueRef::DbPointer { namespace, id } => write!(out, "DBRef('{namespace}', {id})"),
        ValueRef::JavaScript(v) => write!(out, "{v}"),
        ValueRef::JavaScriptWithScope { code, scope } => {
            let _ = write!(out, "CodeWScope( {code}, ");
            write_value(out, ValueRef::Document(scope));
            write!(out, ")")
        }
        ValueRef::Int32(v) => write!(out, "{v}"),
        ValueRef::Int64(v) => write!(out, "{v}"),
        ValueRef::Timestamp(v) => write!(out, "Timestamp({}, {})", v.seconds, v.increment),
        ValueRef::Decimal128(v) => write!(out, "{v}"),
        ValueRef::MinKey => write!(out, "MinKey"),
        ValueRef::MaxKey => write!(out, "MaxKey"),
    };
}

fn write_fields<'a>(
    out: &mut String,
    open: char,
    close: char,
    fields: impl Iterator<Item = (Option<&'a str>, ValueRef<'a>)>,
) {
    out.push(open);
    let mut any = false;
    for (name, value) in fields {
        out.push_str(if any { ", " } else { " " });
        any = true;
        if let Some(name) = name {
            out.push_str(name);
            out.push_str(": ");
        }
        write_value(out, value);
    }
    if any || open == '[' {
        out.push(' ');
    }
    out.push(close);
}
