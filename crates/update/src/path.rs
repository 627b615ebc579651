//! The dotted paths of updates, with their positional parts.

use language::path_depth::check_path_depth;
use language::{Code, Error, Result};
use std::cmp::Ordering;
use std::fmt;

/// One part of an update's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A field's name or an array's index.
    Field(String),
    /// `$`: the element that the query matched.
    Matched,
    /// `$[]`: every element.
    All,
    /// `$[name]`: the elements that the array filter of this name matches.
    Filtered(String),
}

impl Part {
    fn parse(text: &str) -> Part {
        match text {
            "$" => Part::Matched,
            "$[]" => Part::All,
            _ => match text.strip_prefix("$[").and_then(|rest| rest.strip_suffix(']')) {
                Some(name) => Part::Filtered(name.to_owned()),
                None => Part::Field(text.to_owned()),
            },
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Field(name) => f.write_str(name),
            Part::Matched => f.write_str("$"),
            Part::All => f.write_str("$[]"),
            Part::Filtered(name) => write!(f, "$[{name}]"),
        }
    }
}

/// A path as an update operator names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpdatePath {
    pub(crate) parts: Vec<Part>,
}

impl UpdatePath {
    pub(crate) fn parse(path: &str) -> Result<UpdatePath> {
        if path.is_empty() {
            return Err(Error::new(
                Code::EMPTY_FIELD_NAME,
                "An empty update path is not valid.",
            ));
        }
        if path.split('.').any(str::is_empty) {
            return Err(Error::new(
                Code::EMPTY_FIELD_NAME,
                format!("The update path '{path}' contains an empty field name, which is not allowed."),
            ));
        }
        let parts: Vec<Part> = path.split('.').map(Part::parse).collect();
        check_path_depth(parts.len())?;
        check_positions(path, &parts)?;
        Ok(UpdatePath { parts })
    }

    /// Whether which fields the path means depends on the document.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, Part::Field(_)))
    }

    /// The names of a path that is not dynamic.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Field(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

fn check_positions(path: &str, parts: &[Part]) -> Result<()> {
    match parts.first() {
        Some(Part::Matched) => {
            return Err(Error::bad_value(format!(
                "Cannot have positional (i.e. '$') element in the first position in path '{path}'"
            )));
        }
        Some(Part::All | Part::Filtered(_)) => {
            return Err(Error::bad_value(format!(
                "Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '{path}'"
            )));
        }
        _ => {}
    }
    if parts.iter().filter(|part| **part == Part::Matched).count() > 1 {
        return Err(Error::bad_value(format!(
            "Too many positional (i.e. '$') elements found in path '{path}'"
        )));
    }
    Ok(())
}

impl fmt::Display for UpdatePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, part) in self.parts.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            part.fmt(f)?;
        }
        Ok(())
    }
}

/// The position in an array that this name stands for: digits without a leading zero.
pub(crate) fn array_index(name: &str) -> Option<usize> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name.len() == 1 || !name.starts_with('0'));
    if plain { name.parse().ok() } else { None }
}

/// The order in which sibling fields are updated: numbers by value and before names, names by their bytes.
pub(crate) fn field_order(a: &str, b: &str) -> Ordering {
    match (array_index(a), array_index(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}
