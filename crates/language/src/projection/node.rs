//! What happens to the fields of a document, as a tree by path.

use super::slice::Slice;
use crate::expression::Expression;
use crate::filter::Filter;
use crate::{Code, Error, Result};
use std::collections::HashMap;

/// A node with at least this many fields finds them by a hash table instead of a scan.
const TABLE_FIELDS_MIN: usize = 16;

/// What happens at one path.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// The field is kept.
    Include,
    /// The field is left out.
    Exclude,
    /// The field becomes this value.
    Compute(Expression),
    /// Of an array, a part is kept.
    Slice(Slice),
    /// Of an array, the first element that matches is kept. The filter is on a document with the array's field.
    ElemMatch(Box<Filter>),
    /// Of the first array on the path, the element is kept that the query matched.
    Positional,
    /// Changes of the fields below.
    Fields(Fields),
}

/// The fields of one document that something happens to, in the order of the specification.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub(super) entries: Vec<(String, Action)>,
    /// Where each stands, where they are many.
    places: HashMap<String, usize>,
}

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&Action> {
        let entry = self.entries.get(self.position(name)?);
        entry.map(|(_, action)| action)
    }

    fn position(&self, name: &str) -> Option<usize> {
        match self.entries.len() < TABLE_FIELDS_MIN {
            true => self.entries.iter().position(|(known, _)| known == name),
            false => self.places.get(name).copied(),
        }
    }

    /// Puts a field after the others that is not among them.
    fn push(&mut self, name: &str, action: Action) {
        let at = self.entries.len();
        self.entries.push((name.to_owned(), action));
        match self.entries.len() > TABLE_FIELDS_MIN {
            true => {
                self.places.insert(name.to_owned(), at);
            }
            false => self.fill_table(),
        }
    }

    /// Puts a field before the others that is not among them.
    pub(super) fn push_front(&mut self, name: &str, action: Action) {
        self.entries.insert(0, (name.to_owned(), action));
        self.fill_table();
    }

    fn fill_table(&mut self) {
        if self.entries.len() >= TABLE_FIELDS_MIN {
            let names = self.entries.iter().map(|(name, _)| name.clone());
            self.places = names.zip(0..).collect();
        }
    }

    /// Puts an action at a path; paths that lie on one another collide.
    pub(super) fn add(&mut self, path: &str, action: Action) -> Result<()> {
        self.insert(path, path, action)
    }

    fn insert(&mut self, whole: &str, rest: &str, action: Action) -> Result<()> {
        let (first, below) = match rest.split_once('.') {
            Some((first, below)) => (first, Some(below)),
            None => (rest, None),
        };
        let at = self.position(first);
        match (at.and_then(|at| self.entries.get_mut(at)), below) {
            (None, None) => self.push(first, action),
            (None, Some(below)) => {
                let mut fields = Fields::default();
                fields.insert(whole, below, action)?;
                self.push(first, Action::Fields(fields));
            }
            (Some((_, Action::Fields(fields))), Some(below)) => fields.insert(whole, below, action)?,
            (Some(_), Some(below)) => {
                return Err(Error::new(
                    Code::PATH_BELOW_ANOTHER,
                    format!("Path collision at {whole} remaining portion {below}"),
                ));
            }
            (Some(_), None) => {
                return Err(Error::new(
                    Code::PATH_ABOVE_ANOTHER,
                    format!("Path collision at {whole}"),
                ));
            }
        }
        Ok(())
    }

    /// Whether an expression here or below reads the metadata of this name.
    pub(super) fn read_metadata(&self, metadata: &str) -> bool {
        self.entries.iter().any(|(_, action)| match action {
            Action::Compute(expression) => expression.reads_metadata(metadata),
            Action::Fields(fields) => fields.read_metadata(metadata),
            _ => false,
        })
    }

    /// Whether a value is computed here or below.
    pub(super) fn computes(&self) -> bool {
        self.entries.iter().any(|(_, action)| match action {
            Action::Compute(_) | Action::ElemMatch(_) => true,
            Action::Fields(fields) => fields.computes(),
            _ => false,
        })
    }
}
