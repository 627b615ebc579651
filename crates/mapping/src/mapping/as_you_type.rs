//! The fields within one of the type `search_as_you_type`: its words two by two and more, and their beginnings.

use super::Field;
use crate::analysis::Analyzer;
use crate::error::{Result, SearchError};
use crate::json::Members;

/// The type's name.
pub(super) const NAME: &str = "search_as_you_type";
/// The words of a term at most, by default.
const WORDS: i64 = 3;
/// The letters of a beginning at most.
const LETTERS_MAX: usize = 20;

/// Reads how many words a term has at most.
pub(super) fn words(members: &mut Members<'_>) -> Result<usize> {
    match members.integer("max_shingle_size")?.unwrap_or(WORDS) {
        words @ 2..=4 => Ok(words as usize),
        other => Err(SearchError::mapper(format!(
            "[max_shingle_size] must be at least [2] and at most [4], got [{other}]"
        ))),
    }
}

/// The fields within such a field.
pub(super) fn within(field: &Field, words: usize) -> Vec<Field> {
    let named = |name: &str, analyzer: Analyzer, search_analyzer: Analyzer| Field {
        name: format!("{}.{name}", field.name),
        analyzer,
        search_analyzer,
        copy_to: Vec::new(),
        ..field.clone()
    };
    let by_words = |analyzer: &Analyzer, words: usize| analyzer.clone().with_shingles(words, words, false);
    let mut fields: Vec<Field> = (2..=words)
        .map(|words| {
            let analyzer = by_words(&field.analyzer, words);
            named(
                &format!("_{words}gram"),
                analyzer,
                by_words(&field.search_analyzer, words),
            )
        })
        .collect();
    let whole = field.analyzer.clone().with_shingles(2, words, true);
    fields.push(named(
        "_index_prefix",
        whole.with_beginnings(LETTERS_MAX),
        by_words(&field.search_analyzer, words),
    ));
    fields
}
