//! What happens to the fields of a document, as a tree by path.

use super::slice::Slice;
use crate::expression::Expression;
use crate::filter::Filter;
use crate::{Code, Error, Result};

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
}

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&Action> {
        self.entries
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, action)| action)
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
        let at = self.entries.iter().position(|(known, _)| known == first);
        match (at.and_then(|at| self.entries.get_mut(at)), below) {
            (None, None) => self.entries.push((first.to_owned(), action)),
            (None, Some(below)) => {
                let mut fields = Fields::default();
                fields.insert(whole, below, action)?;
                self.entries.push((first.to_owned(), Action::Fields(fields)));
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
