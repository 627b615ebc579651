//! The values of a moving frame in order, each as often as it is in the frame.

use language::expression::Ordered;
use std::collections::BTreeMap;
use value::Value;
use value::collation::Collation;

/// Values in order, equal ones in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Multiset {
    collation: Option<Collation>,
    arrivals: u64,
    /// By what is compared and by arrival; the value where that only stands for it.
    values: BTreeMap<(Ordered, u64), Option<Value>>,
}

impl Multiset {
    /// An empty one.
    pub(super) fn new(collation: Option<&Collation>) -> Multiset {
        Multiset {
            collation: collation.cloned(),
            ..Multiset::default()
        }
    }

    pub(super) fn add(&mut self, value: &Value) {
        let (key, original) = Ordered::of(value.clone(), self.collation.as_ref());
        self.arrivals += 1;
        self.values.insert((key, self.arrivals), original);
    }

    /// Removes the one that came first among those equal to this value.
    pub(super) fn remove(&mut self, value: &Value) {
        let (key, _) = Ordered::of(value.clone(), self.collation.as_ref());
        let first = self.values.range((key.clone(), 0)..).next();
        if let Some(((found, arrival), _)) = first
            && *found == key
        {
            let arrival = *arrival;
            self.values.remove(&(key, arrival));
        }
    }

    /// The smallest; of equal ones the first.
    pub(super) fn smallest(&self) -> Option<&Value> {
        self.values.first_key_value().map(original)
    }

    /// The largest; of equal ones the last.
    pub(super) fn largest(&self) -> Option<&Value> {
        self.values.last_key_value().map(original)
    }

    /// The first of all that are equal, in order.
    pub(super) fn distinct(&self) -> impl Iterator<Item = &Value> {
        let mut before = None;
        self.values.iter().filter_map(move |entry| {
            let ((key, _), _) = entry;
            let is_new = before.replace(key) != Some(key);
            is_new.then(|| original(entry))
        })
    }
}

fn original<'v>(((key, _), value): (&'v (Ordered, u64), &'v Option<Value>)) -> &'v Value {
    value.as_ref().unwrap_or(&key.0)
}
