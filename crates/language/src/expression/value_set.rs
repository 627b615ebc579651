//! Sets of values, equal ones being one: by MongoDB's comparison, or by a collation.

use super::Ordered;
use std::collections::BTreeMap;
use value::collation::Collation;
use value::{Value, ValueRef};

/// Values in order, each once; the first of equal ones stays.
#[derive(Clone, Debug, Default)]
pub struct ValueSet {
    collation: Option<Collation>,
    /// The values. With a collation, their forms under it, each with the value itself.
    entries: BTreeMap<Ordered, Option<Value>>,
}

impl ValueSet {
    /// An empty set.
    pub fn new(collation: Option<&Collation>) -> ValueSet {
        ValueSet {
            collation: collation.cloned(),
            entries: BTreeMap::new(),
        }
    }

    /// A set of these.
    pub fn of<'a>(collation: Option<&Collation>, values: impl IntoIterator<Item = ValueRef<'a>>) -> ValueSet {
        let mut set = ValueSet::new(collation);
        values.into_iter().for_each(|value| {
            set.insert(value.to_value());
        });
        set
    }

    /// Adds a value. Returns whether it was not there yet.
    pub fn insert(&mut self, value: Value) -> bool {
        let (key, original) = Ordered::of(value, self.collation.as_ref());
        let is_new = !self.entries.contains_key(&key);
        if is_new {
            self.entries.insert(key, original);
        }
        is_new
    }

    /// Whether there is a value that equals this one.
    pub fn contains(&self, value: ValueRef<'_>) -> bool {
        let (key, _) = Ordered::of(value.to_value(), self.collation.as_ref());
        self.entries.contains_key(&key)
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The values that another set has too.
    pub(crate) fn intersection(mut self, other: &ValueSet) -> ValueSet {
        self.entries.retain(|key, _| other.entries.contains_key(key));
        self
    }

    /// Whether another set has all of its values.
    pub fn is_subset(&self, other: &ValueSet) -> bool {
        self.entries.keys().all(|key| other.entries.contains_key(key))
    }

    /// Takes all values in order, and leaves the set empty.
    pub fn take(&mut self) -> Value {
        std::mem::take(&mut self.entries)
            .into_iter()
            .map(|(Ordered(key), original)| original.unwrap_or(key))
            .collect()
    }
}
