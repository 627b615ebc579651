//! How much a search is compiled to.

use super::patterns;
use crate::query::{CLAUSES_MAX, too_many_clauses};
use crate::work::work;
use mapping::error::Result;
use regex::Regex;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The clauses of a whole search at most: of its query, its filters and those of aggregations, each field and each word of a text by
/// itself, since a short text that is looked for in all fields is many of them. Several lists as long as one may be have room.
pub(super) const SEARCH_CLAUSES_MAX: usize = 4 * CLAUSES_MAX;
/// About the bytes that one takes in memory, with its place among others and its term.
const CLAUSE_BYTES: usize = 256;

/// The clauses of a search so far.
#[derive(Debug, Default)]
pub struct Clauses {
    count: Cell<usize>,
    /// The expressions that were made, by their texts and whether they are of letters of either case.
    expressions: RefCell<HashMap<(String, bool), Regex>>,
}

impl Clauses {
    /// Counts more of them, before they are made. Errors: they are too many, or nobody wants the answer any more.
    pub(super) fn add(&self, count: usize) -> Result<()> {
        work(count)?;
        self.count.set(self.count.get().saturating_add(count));
        match self.count.get() > SEARCH_CLAUSES_MAX {
            true => Err(too_many_clauses(SEARCH_CLAUSES_MAX)),
            false => Ok(()),
        }
    }

    /// About the bytes that they take in memory.
    pub fn bytes(&self) -> usize {
        self.count.get() * CLAUSE_BYTES
    }

    /// An expression that is ready to be asked of terms. Each is made once, however many fields it is asked of, and counts as the
    /// clauses that would take as much memory.
    pub(super) fn expression(&self, pattern: &str, case_insensitive: bool) -> Result<Regex> {
        let key = (pattern.to_owned(), case_insensitive);
        if let Some(made) = self.expressions.borrow().get(&key) {
            return Ok(made.clone());
        }
        let (made, bytes) = patterns::expression(pattern, case_insensitive)?;
        self.add(bytes / CLAUSE_BYTES)?;
        self.expressions.borrow_mut().insert(key, made.clone());
        Ok(made)
    }
}
