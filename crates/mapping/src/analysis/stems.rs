//! Stemmers by Elasticsearch's names for them.

use super::light::Light;
use frostem::{Algorithm, Stemmer};

/// Cuts words down to their stems.
#[derive(Clone)]
pub(crate) struct Stem {
    /// Its name, in small letters.
    language: String,
    way: Way,
}

#[derive(Clone, Copy)]
enum Way {
    Snowball(Algorithm),
    Light(Light),
}

impl std::fmt::Debug for Stem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stem").field(&self.language).finish()
    }
}

impl Stem {
    /// The stemmer of a language's name; `None` where there is none of it here.
    pub(crate) fn of(language: &str) -> Option<Stem> {
        let language = language.to_ascii_lowercase();
        let way = match language.as_str() {
            "light_french" | "lightfrench" => Way::Light(Light::French),
            "light_german" | "lightgerman" => Way::Light(Light::German),
            "light_italian" | "lightitalian" => Way::Light(Light::Italian),
            "light_portuguese" | "lightportuguese" => Way::Light(Light::Portuguese),
            "light_spanish" | "lightspanish" => Way::Light(Light::Spanish),
            "minimal_english" | "minimalenglish" => Way::Light(Light::MinimalEnglish),
            "minimal_german" | "minimalgerman" => Way::Light(Light::MinimalGerman),
            other => Way::Snowball(algorithm(other)?),
        };
        Some(Stem { language, way })
    }

    pub(crate) fn stem(&self, word: &str) -> String {
        match self.way {
            Way::Snowball(algorithm) => Stemmer::new(algorithm).stem(word).into_owned(),
            Way::Light(light) => light.stem(word),
        }
    }
}

fn algorithm(language: &str) -> Option<Algorithm> {
    Some(match language {
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
    })
}
