//! Documents in messages, written the way the shell writes them.

use value::{Document, DocumentRef, ValueRef};

/// `{ a: 1, b: "x", c: ObjectId('…') }`, as MongoDB's messages have documents.
pub(crate) fn shell_document(document: &Document) -> String {
    let mut out = String::new();
    write_document(DocumentRef::Tree(document), &mut out);
    out
}

fn write_document(document: DocumentRef<'_>, out: &mut String) {
    out.push('{');
    for (position, (name, value)) in document.iter().enumerate() {
        out.push_str(if position == 0 { " " } else { ", " });
        out.push_str(name);
        out.push_str(": ");
        write_value(value, out);
    }
    out.push_str(" }");
}

fn write_value(value: ValueRef<'_>, out: &mut String) {
    match value {
        ValueRef::Document(document) => write_document(document, out),
        ValueRef::Array(array) => {
            out.push('[');
            for (position, element) in array.iter().enumerate() {
                out.push_str(if position == 0 { " " } else { ", " });
                write_value(element, out);
            }
            out.push_str(" ]");
        }
        scalar => write_scalar(scalar, out),
    }
}

fn write_scalar(value: ValueRef<'_>, out: &mut String) {
    let text = match value {
        ValueRef::Double(v) if v.is_nan() => "nan.0".to_owned(),
        ValueRef::Double(v) if v.is_infinite() => if v > 0.0 { "inf.0" } else { "-inf.0" }.to_owned(),
        ValueRef::Double(v) => format!("{v:?}"),
        ValueRef::String(v) | ValueRef::Symbol(v) => {
            format!("\"{}\"", v.replace('\\', "\\\\").replace('"', "\\\""))
        }
        ValueRef::Binary { subtype, bytes } => binary(subtype, bytes),
        ValueRef::Undefined => "undefined".to_owned(),
        ValueRef::ObjectId(v) => format!("ObjectId('{v}')"),
        ValueRef::Bool(v) => v.to_string(),
        ValueRef::DateTime(v) => format!("new Date({v})"),
        ValueRef::Null => "null".to_owned(),
        ValueRef::Regex { pattern, options } => format!("/{pattern}/{options}"),
        ValueRef::DbPointer { namespace, id } => format!("DBRef('{namespace}', {id})"),
        ValueRef::JavaScript(v) => v.to_owned(),
        ValueRef::JavaScriptWithScope { code, .. } => format!("CodeWScope( {code}, {{}})"),
        ValueRef::Int32(v) => v.to_string(),
        ValueRef::Int64(v) => v.to_string(),
        ValueRef::Timestamp(v) => format!("Timestamp({}, {})", v.seconds, v.increment),
        ValueRef::Decimal128(_) => decimal(value),
        ValueRef::MinKey => "MinKey".to_owned(),
        ValueRef::MaxKey => "MaxKey".to_owned(),
        ValueRef::Document(_) | ValueRef::Array(_) => String::new(),
    };
    out.push_str(&text);
}

fn binary(subtype: u8, bytes: &[u8]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    if subtype == 4 && hex.len() == 32 {
        let hex = hex.to_lowercase();
        let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
        return format!("UUID(\"{}\")", parts.join("-"));
    }
    format!("BinData({subtype}, {hex})")
}

/// The digits out of `{"$numberDecimal":"1.5"}`.
fn decimal(value: ValueRef<'_>) -> String {
    let mut text = String::new();
    value::json::write(value, value::json::Mode::Relaxed, &mut text);
    text.rsplit('"').nth(1).unwrap_or_default().to_owned()
}
