//! Wildcard indexes: the paths that they hold, and the path and value of each of a document's entries.
//!
//! An entry is the path of a value, as a string, and the value. Embedded documents are descended into; each element of an array
//! has an entry under the array's own path, but an array within an array is one value. An empty document is a value,
//! and an empty array counts as undefined, as in other indexes.

use crate::StoreError;
use code::Code;
use value::path::extract::KEYS_BYTES_MAX;
use value::{Document, DocumentRef, Value, ValueRef};

/// The name at the end of every wildcard's path.
const WILDCARD: &str = "$**";

/// The paths that a wildcard field of an index holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wildcard {
    /// Only this path and those below it; all paths if it is empty.
    root: String,
    /// The paths that `wildcardProjection` names, except `_id`.
    listed: Vec<String>,
    /// Whether only these are held; otherwise, all but these.
    inclusive: bool,
    /// Whether `_id` is held.
    with_id: bool,
}

impl Wildcard {
    /// Whether a field of a key pattern is a wildcard.
    pub fn is_pattern(path: &str) -> bool {
        path == WILDCARD || path.ends_with(".$**")
    }

    /// The wildcard of a path for which [`Wildcard::is_pattern`] is true, with the index's `wildcardProjection`.
    pub fn parse(path: &str, projection: Option<&Document>) -> Result<Wildcard, StoreError> {
        let root = path.strip_suffix(WILDCARD).unwrap_or(path);
        let root = root.strip_suffix('.').unwrap_or(root).to_owned();
        let mut wildcard = Wildcard {
            with_id: !root.is_empty(),
            root,
            ..Wildcard::default()
        };
        let mut kept = Vec::new();
        for (name, value) in projection.into_iter().flat_map(Document::iter) {
            wildcard.add(name, value, &mut kept)?;
        }
        match kept.first() {
            Some(first) if kept.iter().any(|other| other != first) => {
                let (code, message) = match first {
                    true => (
                        Code::location(31_254),
                        "Cannot do exclusion in inclusion projection",
                    ),
                    false => (
                        Code::location(31_253),
                        "Cannot do inclusion in exclusion projection",
                    ),
                };
                let message = message.to_owned();
                return Err(StoreError::Refused { code, message });
            }
            Some(first) => wildcard.inclusive = *first,
            None => {}
        }
        Ok(wildcard)
    }

    fn add(&mut self, path: &str, value: &Value, kept: &mut Vec<bool>) -> Result<(), StoreError> {
        let keeps = match value {
            Value::Document(inner) if !inner.is_empty() => {
                return inner
                    .iter()
                    .try_for_each(|(name, value)| self.add(&format!("{path}.{name}"), value, kept));
            }
            Value::Bool(keeps) => *keeps,
            number if number.as_ref().is_number() => number.as_ref().as_f64() != Some(0.0),
            _ => {
                let message = format!("wildcardProjection must keep or leave out the path '{path}'");
                return Err(StoreError::Refused {
                    code: Code::FAILED_TO_PARSE,
                    message,
                });
            }
        };
        if path == "_id" {
            self.with_id = keeps;
        } else {
            kept.push(keeps);
            self.listed.push(path.to_owned());
        }
        Ok(())
    }

    /// Whether only the paths that `wildcardProjection` names are held.
    pub fn is_inclusive(&self) -> bool {
        self.inclusive
    }

    /// Whether values at this path have entries.
    pub fn holds(&self, path: &str) -> bool {
        if !is_within(path, &self.root) {
            return false;
        }
        if is_within(path, "_id") {
            return self.with_id;
        }
        self.listed.iter().any(|listed| is_within(path, listed)) == self.inclusive
    }

    /// Whether all values at this path and below have entries.
    pub fn holds_all_below(&self, path: &str) -> bool {
        self.holds(path) && (self.inclusive || !self.listed.iter().any(|listed| is_within(listed, path)))
    }

    /// The path and value of each entry, and whether any array was on the way.
    pub(super) fn entries<'a>(&self, document: DocumentRef<'a>) -> WildcardEntries<'a> {
        let mut found = WildcardEntries::default();
        self.visit(document, &mut String::new(), &mut found);
        found
    }

    fn visit<'a>(&self, document: DocumentRef<'a>, path: &mut String, found: &mut WildcardEntries<'a>) {
        let length = path.len();
        for (name, value) in document.iter() {
            // No query can name a field with a dot in its name.
            if name.contains('.') {
                continue;
            }
            if length > 0 {
                path.push('.');
            }
            path.push_str(name);
            if is_within(path, &self.root) || is_within(&self.root, path) {
                self.visit_value(value, path, found);
            }
            path.truncate(length);
        }
    }

    fn visit_value<'a>(&self, value: ValueRef<'a>, path: &mut String, found: &mut WildcardEntries<'a>) {
        match value {
            ValueRef::Document(inner) if !inner.is_empty() => self.visit(inner, path, found),
            ValueRef::Array(array) if array.is_empty() => {
                self.push(path, ValueRef::Undefined, true, found);
            }
            ValueRef::Array(array) => {
                for element in array.iter() {
                    match element {
                        ValueRef::Document(inner) if !inner.is_empty() => {
                            found.arrays = true;
                            self.visit(inner, path, found);
                        }
                        other => self.push(path, other, true, found),
                    }
                }
            }
            other => self.push(path, other, false, found),
        }
    }

    fn push<'a>(&self, path: &str, value: ValueRef<'a>, in_array: bool, found: &mut WildcardEntries<'a>) {
        // Each element of an array has the whole path.
        if self.holds(path) && found.path_bytes <= KEYS_BYTES_MAX {
            found.arrays |= in_array;
            found.path_bytes += path.len();
            found.values.push((path.to_owned(), value));
        }
    }
}

/// What a wildcard finds in a document.
#[derive(Default)]
pub(super) struct WildcardEntries<'a> {
    pub(super) values: Vec<(String, ValueRef<'a>)>,
    pub(super) arrays: bool,
    /// The bytes of all paths. Beyond [`KEYS_BYTES_MAX`], the rest of the values is left out.
    pub(super) path_bytes: usize,
}

/// Whether a path is another one or lies below it; everything lies below the empty path.
fn is_within(path: &str, above: &str) -> bool {
    above.is_empty()
        || path
            .strip_prefix(above)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    fn paths(wildcard: &Wildcard, document: &Document) -> Vec<String> {
        let found = wildcard.entries(document.into());
        found.values.into_iter().map(|(path, _)| path).collect()
    }

    fn wildcard(path: &str, projection: Document) -> Wildcard {
        Wildcard::parse(path, Some(&projection)).expect("a good projection")
    }

    #[test]
    fn every_value_but_the_id_has_an_entry() {
        let document = doc! {"_id": 1, "a": {"b": 1, "c": Value::Array(vec![doc! {"d": 1}.into(), 2.into()])}, "e": doc! {}};
        let all = Wildcard::parse("$**", None).expect("no projection");
        assert_eq!(paths(&all, &document), ["a.b", "a.c.d", "a.c", "e"]);
    }

    #[test]
    fn a_projection_keeps_or_leaves_out_what_it_names() {
        let document = doc! {"_id": 1, "a": {"b": 1, "c": 1}, "d": 1};
        assert_eq!(paths(&wildcard("$**", doc! {"a": {"b": 1}}), &document), ["a.b"]);
        assert_eq!(
            paths(&wildcard("$**", doc! {"a.b": 0, "_id": 1}), &document),
            ["_id", "a.c", "d"]
        );
        assert!(Wildcard::parse("$**", Some(&doc! {"a": 1, "b": 0})).is_err());
    }

    #[test]
    fn a_root_bounds_what_is_held() {
        let document = doc! {"a": {"b": 1}, "ab": 1, "c": 1};
        let rooted = Wildcard::parse("a.$**", None).expect("no projection");
        assert_eq!(paths(&rooted, &document), ["a.b"]);
        assert!(rooted.holds("a.x.y") && !rooted.holds("ab"));
    }

    #[test]
    fn values_left_out_below_a_path_are_reported() {
        let index = wildcard("$**", doc! {"a.b": 0});
        assert!(index.holds("a.c") && !index.holds_all_below("a") && index.holds_all_below("a.c"));
    }
}
