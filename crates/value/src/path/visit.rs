//! What a path reaches in a document, as the match language sees it.

use super::{FieldPath, array_position};
use crate::{ArrayRef, DocumentRef, ValueRef};

/// One thing that a path reaches, as the match language sees it.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'a> {
    /// The value; `None` if the path ends in nothing (a missing field).
    pub value: Option<ValueRef<'a>>,
    /// The position in the outermost array that was passed implicitly; what the positional `$` means.
    pub array_position: Option<usize>,
}

/// Calls `visit` with all that the path reaches in the document, in MongoDB's match semantics **without** expanding
/// an array in the last place: arrays on the way are passed implicitly (every element that is a document) and by
/// number (`a.0`), each element that lacks the rest of the path giving one missing value as MongoDB does.
/// Arrays directly within arrays are traversed by number only, and other elements of an array give nothing at all.
/// Ends early, and returns true, when `visit` returns true.
pub fn visit<'a>(
    document: DocumentRef<'a>,
    path: &FieldPath,
    visit: &mut dyn FnMut(Reached<'a>) -> bool,
) -> bool {
    Walk { expand: false, visit }.document(document, path.parts(), None)
}

/// As [`visit`], but an array in the last place gives its elements one by one and then itself
/// (what `{a: 5}` and `{a: [5]}` are matched against). An array that the last part reaches by its number is
/// given as it is.
pub fn visit_expanded<'a>(
    document: DocumentRef<'a>,
    path: &FieldPath,
    visit: &mut dyn FnMut(Reached<'a>) -> bool,
) -> bool {
    Walk { expand: true, visit }.document(document, path.parts(), None)
}

/// The walk's state that stays; its functions return true when the visitor has seen enough.
struct Walk<'v, 'a> {
    expand: bool,
    visit: &'v mut dyn FnMut(Reached<'a>) -> bool,
}

impl<'a> Walk<'_, 'a> {
    fn reach(&mut self, value: Option<ValueRef<'a>>, array_position: Option<usize>) -> bool {
        (self.visit)(Reached {
            value,
            array_position,
        })
    }

    /// Follows the parts through embedded documents up to the first array.
    fn document(&mut self, document: DocumentRef<'a>, parts: &[Box<str>], position: Option<usize>) -> bool {
        let mut current = document;
        let mut parts = parts;
        while let Some((name, rest)) = parts.split_first() {
            match current.get(name) {
                Some(ValueRef::Array(array)) => return self.array(array, rest, position),
                Some(value) if rest.is_empty() => return self.reach(Some(value), position),
                Some(ValueRef::Document(inner)) => current = inner,
                _ => return self.reach(None, position),
            }
            parts = rest;
        }
        self.reach(Some(ValueRef::Document(current)), position)
    }

    /// Passes an array; `position` is that in the outermost array passed so far.
    fn array(&mut self, array: ArrayRef<'a>, parts: &[Box<str>], position: Option<usize>) -> bool {
        let Some((name, rest)) = parts.split_first() else {
            return self.last_array(array, position);
        };
        let wanted = array_position(name);
        for (at, element) in array.iter().enumerate() {
            let found = match element {
                ValueRef::Document(inner) => self.document(inner, parts, position.or(Some(at))),
                _ => false,
            };
            if found || (wanted == Some(at) && self.by_number(element, rest, position)) {
                return true;
            }
        }
        false
    }

    fn last_array(&mut self, array: ArrayRef<'a>, position: Option<usize>) -> bool {
        let found = self.expand
            && array
                .iter()
                .enumerate()
                .any(|(at, element)| self.reach(Some(element), position.or(Some(at))));
        found || self.reach(Some(ValueRef::Array(array)), position)
    }

    /// Goes on from an element that a part named by its number.
    fn by_number(&mut self, element: ValueRef<'a>, rest: &[Box<str>], position: Option<usize>) -> bool {
        match element {
            _ if rest.is_empty() => self.reach(Some(element), position),
            ValueRef::Document(inner) => self.document(inner, rest, position),
            ValueRef::Array(inner) => self.array(inner, rest, position),
            _ => false,
        }
    }
}
