//! Text indexes (`src/mango/src/mango_idx_text.erl`, `mango_cursor_text.erl`, `mango_selector_text.erl`, and those files of `nouveau`).
//!
//! A text index holds each value of a document by its path and type. What a selector asks of it ([`ask`]) finds all that the selector
//! matches, and more: what is found is matched against the selector again, but for `$text`, which only the index can answer.

mod ask;
mod convert;
mod definition;
mod service;
pub(crate) mod sort;

pub use definition::TextDefinition;
pub use service::Service;
pub use sort::TextSort;

use crate::error::Error;
use crate::{Node, Selector};

/// The field of all texts, which `$text` searches.
pub(crate) const DEFAULT_FIELD: &str = "$default";

impl Selector {
    /// Whether it searches in texts.
    pub fn searches_text(&self) -> bool {
        self.root.searches_text()
    }

    /// What a text index is asked, in Lucene's syntax; empty where nothing can be found.
    pub fn text_query(&self) -> Result<String, Error> {
        Ok(convert::asked(&self.root)?.query().unwrap_or_default())
    }

    /// The fields, with their types, that a text index must have.
    pub fn text_fields(&self) -> Result<Vec<String>, Error> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let mut fields = Vec::new();
        convert::asked(&self.root)?.collect_fields(&mut fields);
        let mut seen = std::collections::HashSet::new();
        fields.retain(|field| seen.insert(field.clone()));
        Ok(fields)
    }
}

impl Node {
    fn searches_text(&self) -> bool {
        match self {
            Node::Text(_) => true,
            Node::All(parts) | Node::Any(parts) | Node::None(parts) => parts.iter().any(Node::searches_text),
            Node::Not(inner) => inner.searches_text(),
            Node::Field(_) => false,
        }
    }
}
