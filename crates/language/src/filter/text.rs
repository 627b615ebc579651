//! `$text`: a search of the collection's text index.

use super::FilterPlace;
use crate::{Code, Error, Result};
use std::sync::{Arc, OnceLock};
use text::{Condition, Search, TextError, TextFields};
use value::{Document, DocumentRef, Value};

/// The name by which `$meta` shows how well a document matches.
pub const TEXT_SCORE: &str = "textScore";

/// A search of the collection's text index. What it means depends on the index: a plan that uses one says which.
#[derive(Clone, Debug)]
pub struct TextCondition {
    search: Search,
    condition: OnceLock<Arc<Condition>>,
}

impl TextCondition {
    pub(super) fn parse(argument: &Value, place: FilterPlace) -> Result<TextCondition> {
        if matches!(
            place,
            FilterPlace::Validator | FilterPlace::Element | FilterPlace::Index | FilterPlace::Listing
        ) {
            return Err(Error::bad_value("$text is not allowed in this context"));
        }
        Ok(TextCondition {
            search: Search::parse(argument)?,
            condition: OnceLock::new(),
        })
    }

    /// The condition for an index with these fields; the first index that is set stays.
    pub fn on(&self, fields: &Arc<TextFields>) -> &Arc<Condition> {
        let condition = || Arc::new(Condition::new(&self.search, Arc::clone(fields)));
        self.condition.get_or_init(condition)
    }

    /// The condition; fails as long as no index is set.
    pub fn condition(&self) -> Result<&Condition> {
        let condition = self.condition.get().map(Arc::as_ref);
        condition.ok_or_else(|| Error::new(Code::INDEX_NOT_FOUND, "text index required for $text query"))
    }

    pub(super) fn matches(&self, document: DocumentRef<'_>) -> Result<bool> {
        Ok(self.condition()?.matches(document))
    }

    pub(super) fn source(&self) -> &Document {
        self.search.source()
    }
}

impl From<TextError> for Error {
    fn from(error: TextError) -> Error {
        Error::new(error.code, error.message)
    }
}
