//! Bounds as `explain` writes them: `[1.0, 5.0)`.

use super::interval::{Interval, Intervals};
use value::{Value, ValueRef, json};

/// Every interval in the order in which it is read.
pub fn intervals(set: &Intervals, reversed: bool) -> Vec<String> {
    let shown = set
        .as_slice()
        .iter()
        .map(|interval| self::interval(interval, reversed));
    if reversed {
        shown.rev().collect()
    } else {
        shown.collect()
    }
}

fn interval(interval: &Interval, reversed: bool) -> String {
    let low_included = !interval.low.after;
    let high_included = interval.high.after;
    let (low, high) = (value(&interval.low.value), value(&interval.high.value));
    let ((from, from_included), (to, to_included)) = if reversed {
        ((high, high_included), (low, low_included))
    } else {
        ((low, low_included), (high, high_included))
    };
    let open = if from_included { '[' } else { '(' };
    let close = if to_included { ']' } else { ')' };
    format!("{open}{from}, {to}{close}")
}

/// A value as MongoDB's shell writes it.
fn value(value: &Value) -> String {
    match value {
        Value::Double(number) => double(*number),
        Value::Int32(number) => number.to_string(),
        Value::Int64(number) => number.to_string(),
        Value::String(text) | Value::Symbol(text) => written(ValueRef::String(text)),
        Value::ObjectId(id) => format!("ObjectId('{id}')"),
        Value::DateTime(ms) => format!("new Date({ms})"),
        Value::Timestamp(time) => format!("Timestamp({}, {})", time.seconds, time.increment),
        Value::Regex(regex) => format!("/{}/{}", regex.pattern, regex.options),
        Value::Null => "null".to_owned(),
        Value::Undefined => "undefined".to_owned(),
        Value::MinKey => "MinKey".to_owned(),
        Value::MaxKey => "MaxKey".to_owned(),
        Value::Binary(binary) => format!("BinData({}, {})", binary.subtype, hex(&binary.bytes)),
        other => written(other.as_ref()),
    }
}

fn written(value: ValueRef<'_>) -> String {
    let mut text = String::new();
    json::write(value, json::Mode::Relaxed, &mut text);
    text
}

fn double(number: f64) -> String {
    if number.is_nan() {
        "nan.0".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "inf.0" } else { "-inf.0" }.to_owned()
    } else {
        format!("{number:?}")
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
