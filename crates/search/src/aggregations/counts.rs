//! How often values are in other documents than those that are found.

use super::values::{Key, Source};
use querying::Query;
use std::collections::BTreeMap;

/// How many documents there are, and how many of them have each value.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub(super) total: u64,
    pub(super) by_key: BTreeMap<Key, u64>,
}

impl Counts {
    pub(super) fn of(&self, key: &Key) -> u64 {
        self.by_key.get(key).copied().unwrap_or(0)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.by_key.keys()
    }
}

/// The counts of several aggregations, by their fields and what they are counted in.
#[derive(Clone, Debug, Default)]
pub struct Background(pub(super) Vec<(Counted, Counts)>);

/// A field, and a form of the query that says which documents count, and of the script that makes values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counted(String, String);

impl Counted {
    pub(super) fn new(source: &Source, query: Option<&Query>) -> Counted {
        let script = source.script.as_ref().map(|scripted| &scripted.script);
        Counted(source.field.clone(), format!("{query:?} {script:?}"))
    }
}

impl Background {
    pub(super) fn of(&self, source: &Source, query: Option<&Query>) -> Option<&Counts> {
        let wanted = Counted::new(source, query);
        let found = self.0.iter().find(|(counted, _)| *counted == wanted);
        found.map(|(_, counts)| counts)
    }
}
