//! A value in MongoDB's order, for sets and sorted maps.

use std::cmp::Ordering;
use value::Value;
use value::collation::Collation;

/// A value that is equal and ordered as MongoDB compares.
#[derive(Clone, Debug)]
pub struct Ordered(pub Value);

impl Ordered {
    /// The form of a value by which it is compared. With a collation, that differs from the value, which is returned too.
    pub fn of(value: Value, collation: Option<&Collation>) -> (Ordered, Option<Value>) {
        match collation {
            None => (Ordered(value), None),
            Some(collation) => (Ordered(collation.key_value(value.as_ref())), Some(value)),
        }
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Ordered) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> Ordering {
        value::compare(self.0.as_ref(), other.0.as_ref())
    }
}
