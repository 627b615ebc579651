//! Dotted field paths and what they reach, through embedded documents and arrays, with MongoDB's semantics.

use crate::{DocumentRef, ValueRef};

/// A parsed dotted path: `a.b.0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

    /// The names between the dots.
    pub fn parts(&self) -> &[Box<str>] {
        &self.parts
    }
}

/// One thing that a path reaches, as the match language sees it.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'a> {
    /// The value; none where the path ends in nothing (a missing field).
    pub value: Option<ValueRef<'a>>,
    /// The position in the outermost array that was passed implicitly; what the positional `$` means.
    pub array_position: Option<usize>,
}

/// Calls `visit` with all that the path reaches in the document, in MongoDB's match semantics **without** expanding
/// an array in the last place: arrays on the way are passed implicitly (every element that is a document) and by
/// number (`a.0`), each element that lacks the rest of the path giving one missing value as MongoDB does.
/// Ends early, and returns true, when `visit` returns true.
pub fn visit<'a>(
    _document: DocumentRef<'a>,
    _path: &FieldPath,
    _visit: &mut dyn FnMut(Reached<'a>) -> bool,
) -> bool {
    todo!("value helper")
}

/// As [`visit`], but an array in the last place gives its elements one by one and then itself
/// (what `{a: 5}` and `{a: [5]}` are matched against).
pub fn visit_expanded<'a>(
    _document: DocumentRef<'a>,
    _path: &FieldPath,
    _visit: &mut dyn FnMut(Reached<'a>) -> bool,
) -> bool {
    todo!("value helper")
}
