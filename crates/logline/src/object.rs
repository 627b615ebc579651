//! JSON lines.

use crate::dates;
use crate::parser::Mismatch;
use value::{Document, Value};

/// Where the time of a message is, in what usual libraries write.
const TIMES: [&str; 5] = ["time", "@timestamp", "timestamp", "ts", "date"];

/// An object; the text that is its time becomes a date.
pub fn parse(line: &str) -> Result<Document, Mismatch> {
    let mut document =
        value::json::parse_document(line).map_err(|error| Mismatch(format!("not a JSON object: {error}")))?;
    for name in TIMES {
        if let Some(Value::String(text)) = document.get(name)
            && let Some(milliseconds) = dates::milliseconds(text)
        {
            document.set(name, Value::DateTime(milliseconds));
        }
    }
    Ok(document)
}
