//! The languages of texts: their names, stop words and stemmers.

use frostem::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

/// A language of MongoDB's text search (its manual, "Text Search Languages").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Language {
    /// Words as they are: no stop words, no stems.
    None,
    Danish,
    Dutch,
    English,
    Finnish,
    French,
    German,
    Hungarian,
    Italian,
    Norwegian,
    /// English with the first of its stemmers.
    Porter,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Turkish,
}

use Language::{
    Danish, Dutch, English, Finnish, French, German, Hungarian, Italian, None as NoLanguage, Norwegian,
    Porter, Portuguese, Romanian, Russian, Spanish, Swedish, Turkish,
};

/// Each language with its name and its ISO 639-1 code.
const LANGUAGES: [(Language, &str, &str); 17] = [
    (NoLanguage, "none", "none"),
    (Danish, "danish", "da"),
    (Dutch, "dutch", "nl"),
    (English, "english", "en"),
    (Finnish, "finnish", "fi"),
    (French, "french", "fr"),
    (German, "german", "de"),
    (Hungarian, "hungarian", "hu"),
    (Italian, "italian", "it"),
    (Norwegian, "norwegian", "nb"),
    (Porter, "porter", "porter"),
    (Portuguese, "portuguese", "pt"),
    (Romanian, "romanian", "ro"),
    (Russian, "russian", "ru"),
    (Spanish, "spanish", "es"),
    (Swedish, "swedish", "sv"),
    (Turkish, "turkish", "tr"),
];

/// The stop words of each language, in the order of [`LANGUAGES`].
static STOP_WORDS: LazyLock<Vec<HashSet<&'static str>>> = LazyLock::new(|| {
    let words = |(language, _, code): &(Language, &str, &'static str)| match language {
        NoLanguage => HashSet::new(),
        English | Porter => english(),
        // The lists know it by the code of both of its written forms.
        Norwegian => words_of("no"),
        _ => words_of(code),
    };
    LANGUAGES.iter().map(words).collect()
});

/// What NLTK leaves out of English and MongoDB does not: words that people look for, and pieces of words with apostrophes.
const SEARCHED_IN_ENGLISH: &str = "ain aren can couldn d didn doesn don hadn hasn haven isn it'd it'll just ll m ma \
    mightn mightn't mustn needn needn't now o re s shan should've shouldn t that'll ve wasn weren will won wouldn y";

/// What MongoDB leaves out of English and NLTK does not.
const LEFT_OUT_OF_ENGLISH: &str =
    "can't cannot could here's how's let's ought that's there's what's when's where's who's why's would";

fn english() -> HashSet<&'static str> {
    let mut words = words_of("en");
    words.retain(|word| !SEARCHED_IN_ENGLISH.split(' ').any(|searched| searched == *word));
    words.extend(LEFT_OUT_OF_ENGLISH.split(' '));
    words
}

fn words_of(code: &str) -> HashSet<&'static str> {
    stop_words::lookup(code)
        .unwrap_or_default()
        .iter()
        .copied()
        .collect()
}

impl Language {
    /// The language of this name or code, whatever its case.
    pub fn parse(name: &str) -> Option<Language> {
        let name = name.to_lowercase();
        let known = LANGUAGES
            .iter()
            .find(|(_, known, code)| *known == name || *code == name);
        known.map(|(language, ..)| *language)
    }

    /// Whether a word in lower case says nothing.
    pub(crate) fn is_stop_word(self, word: &str) -> bool {
        let place = LANGUAGES.iter().position(|(language, ..)| *language == self);
        place
            .and_then(|place| STOP_WORDS.get(place))
            .is_some_and(|words| words.contains(word))
    }

    /// The stem of a word.
    pub(crate) fn stem(self, word: &str) -> Cow<'_, str> {
        match self.algorithm() {
            Some(algorithm) => Stemmer::new(algorithm).stem(word),
            None => Cow::Borrowed(word),
        }
    }

    fn algorithm(self) -> Option<Algorithm> {
        Some(match self {
            NoLanguage => return None,
            Danish => Algorithm::Danish,
            Dutch => Algorithm::Dutch,
            English => Algorithm::English,
            Finnish => Algorithm::Finnish,
            French => Algorithm::French,
            German => Algorithm::German,
            Hungarian => Algorithm::Hungarian,
            Italian => Algorithm::Italian,
            Norwegian => Algorithm::Norwegian,
            Porter => Algorithm::Porter,
            Portuguese => Algorithm::Portuguese,
            Romanian => Algorithm::Romanian,
            Russian => Algorithm::Russian,
            Spanish => Algorithm::Spanish,
            Swedish => Algorithm::Swedish,
            Turkish => Algorithm::Turkish,
        })
    }

    /// Whether I and i are not each other's cases.
    pub(crate) fn has_dotless_i(self) -> bool {
        self == Turkish
    }

    /// Whether an apostrophe is part of a word.
    pub(crate) fn keeps_apostrophes(self) -> bool {
        self == English
    }
}
