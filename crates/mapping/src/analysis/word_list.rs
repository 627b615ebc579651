//! Words that a filter looks for.

use crate::json::{one_or_many, scalar};
use serde_json::Value;
use std::collections::HashSet;

/// Words, which may be meant in large and small letters alike.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordList {
    words: HashSet<String>,
    ignores_case: bool,
}

impl WordList {
    pub(super) fn new(words: impl IntoIterator<Item = String>, ignores_case: bool) -> WordList {
        let words = words.into_iter();
        WordList {
            words: match ignores_case {
                true => words.map(|word| word.to_lowercase()).collect(),
                false => words.collect(),
            },
            ignores_case,
        }
    }

    pub(super) fn has(&self, word: &str) -> bool {
        match self.ignores_case {
            true => self.words.contains(&word.to_lowercase()),
            false => self.words.contains(word),
        }
    }
}

/// The words of a setting: a list, or one word.
pub(super) fn words(value: Option<&Value>) -> Vec<String> {
    let listed = value.map(one_or_many).unwrap_or_default();
    listed.into_iter().filter_map(scalar).collect()
}
