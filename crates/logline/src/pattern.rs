//! Lines taken apart by a regular expression.

use crate::infer::inferred;
use crate::parser::Mismatch;
use regex::Regex;
use value::Document;

/// A field for each named group that took part; an empty one is left out.
pub fn parse(pattern: &Regex, line: &str) -> Result<Document, Mismatch> {
    let groups = pattern
        .captures(line)
        .ok_or_else(|| Mismatch("the line does not match the pattern".to_owned()))?;
    let mut document = Document::new();
    for name in pattern.capture_names().flatten() {
        if let Some(group) = groups.name(name).filter(|group| !group.is_empty()) {
            document.push(name, inferred(group.as_str()));
        }
    }
    Ok(document)
}
