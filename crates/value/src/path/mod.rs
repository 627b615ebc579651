//! Dotted field paths and what they reach, through embedded documents and arrays, with MongoDB's semantics.

mod exact;
pub mod extract;
mod visit;

pub use exact::{Exact, exact, exact_from};
pub use visit::{Reached, visit, visit_expanded};

/// A parsed dotted path: `a.b.0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath {
    parts: Vec<Box<str>>,
}

impl FieldPath {
    /// Splits at dots. Empty parts are kept: callers that forbid them check [`FieldPath::parts`].
    pub fn parse(path: &str) -> FieldPath {
        FieldPath {
            parts: path.split('.').map(Into::into).collect(),
        }
    }

    /// Splits at dots that no backslash stands before; what a backslash stands before is taken as it is (CouchDB's
    /// `src/mango/src/mango_util.erl`, `parse_field`).
    pub fn parse_escaped(path: &str) -> FieldPath {
        let mut parts = vec![String::new()];
        let mut characters = path.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '.' => parts.push(String::new()),
                '\\' => {
                    let dot = characters.next_if_eq(&'.');
                    if let (Some(dot), Some(part)) = (dot, parts.last_mut()) {
                        part.push(dot);
                    }
                }
                other => {
                    if let Some(part) = parts.last_mut() {
                        part.push(other);
                    }
                }
            }
        }
        FieldPath {
            parts: parts.into_iter().map(String::into_boxed_str).collect(),
        }
    }

    /// The names between the dots.
    pub fn parts(&self) -> &[Box<str>] {
        &self.parts
    }

    /// The first name.
    pub fn first(&self) -> &str {
        // A split gives at least one part.
        self.parts.first().map_or("", |part| part)
    }
}

impl std::fmt::Display for FieldPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.parts.join("."))
    }
}

/// The position that a part of a path means in an array; `None` if it is not written as positions are.
pub fn array_position(part: &str) -> Option<usize> {
    let is_plain = part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
    if is_plain { part.parse().ok() } else { None }
}
