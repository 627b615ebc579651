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

/// The words of a setting: a list, or a text of words with commas between them.
pub(super) fn words(value: Option<&Value>) -> Vec<String> {
    if let Some(Value::String(text)) = value {
        let words = text.split(',').map(|word| word.trim().to_owned());
        return words.filter(|word| !word.is_empty()).collect();
    }
    let listed = value.map(one_or_many).unwrap_or_default();
    listed.into_iter().filter_map(scalar).collect()
}

#[cfg(test)]
mod tests {
    use super::words;
    use serde_json::json;

    #[test]
    fn words_are_listed_or_stand_between_commas() {
        for (given, wanted) in [
            (json!(["a, b", 1]), vec!["a, b", "1"]),
            (json!("a, b,"), vec!["a", "b"]),
            (json!("a"), vec!["a"]),
        ] {
            assert_eq!(words(Some(&given)), wanted, "{given}");
        }
    }
}
