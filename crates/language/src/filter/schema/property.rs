//! The fields that a schema names.
//!
//! A name is a path, as in queries: `a.b` is the field `b` of what `a` holds. Where an array is on the way, one of its elements is
//! enough. Only `patternProperties` and `additionalProperties` look at names as documents have them.

use crate::Result;
use value::path::{self, FieldPath};
use value::{DocumentRef, ValueRef};

/// A field that a schema names.
#[derive(Clone, Debug)]
pub(super) struct Property {
    name: String,
    path: FieldPath,
}

impl Property {
    pub(super) fn new(name: &str) -> Property {
        Property {
            name: name.to_owned(),
            path: FieldPath::parse(name),
        }
    }

    /// The name as it was written.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the document has it.
    pub(super) fn exists(&self, document: DocumentRef<'_>) -> bool {
        let mut exists = false;
        self.visit(document, &mut |_| {
            exists = true;
            true
        });
        exists
    }

    /// Whether a value that it has passes the test, or it has none.
    pub(super) fn passes(
        &self,
        document: DocumentRef<'_>,
        test: impl Fn(ValueRef<'_>) -> Result<bool>,
    ) -> Result<bool> {
        let mut outcome = None;
        self.visit(document, &mut |value| {
            let passed = test(value);
            let is_decided = !matches!(passed, Ok(false));
            outcome = Some(passed);
            is_decided
        });
        outcome.unwrap_or(Ok(true))
    }

    /// The first value that it has.
    pub(super) fn first_value<'d>(&self, document: DocumentRef<'d>) -> Option<ValueRef<'d>> {
        let mut first = None;
        self.visit(document, &mut |value| {
            first = Some(value);
            true
        });
        first
    }

    /// Calls `visit` with its values until that returns true.
    fn visit<'d>(&self, document: DocumentRef<'d>, visit: &mut dyn FnMut(ValueRef<'d>) -> bool) {
        match self.path.parts() {
            [name] => {
                if let Some(value) = document.get(name) {
                    visit(value);
                }
            }
            _ => {
                path::visit(document, &self.path, &mut |reached| {
                    reached.value.is_some_and(&mut *visit)
                });
            }
        }
    }
}
