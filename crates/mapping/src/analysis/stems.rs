//! Stemmers by Elasticsearch's names for them.

use frostem::{Algorithm, Stemmer};

/// Cuts words down to their stems.
#[derive(Clone)]
pub(crate) struct Stem(Algorithm);

impl std::fmt::Debug for Stem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stem").finish_non_exhaustive()
    }
}

impl Stem {
    /// The stemmer of a language's name; `None` where there is none of it here.
    pub(crate) fn of(language: &str) -> Option<Stem> {
        Some(Stem(match language.to_ascii_lowercase().as_str() {
            "english" | "porter" => Algorithm::Porter,
            "porter2" => Algorithm::English,
            "arabic" => Algorithm::Arabic,
            "danish" => Algorithm::Danish,
            "dutch" => Algorithm::Dutch,
            "finnish" => Algorithm::Finnish,
            "french" => Algorithm::French,
            "german" | "german2" => Algorithm::German,
            "hungarian" => Algorithm::Hungarian,
            "italian" => Algorithm::Italian,
            "norwegian" => Algorithm::Norwegian,
            "portuguese" => Algorithm::Portuguese,
            "romanian" => Algorithm::Romanian,
            "russian" => Algorithm::Russian,
            "spanish" => Algorithm::Spanish,
            "swedish" => Algorithm::Swedish,
            "turkish" => Algorithm::Turkish,
            _ => return None,
        }))
    }

    pub(crate) fn stem(&self, word: &str) -> String {
        Stemmer::new(self.0).stem(word).into_owned()
    }
}
