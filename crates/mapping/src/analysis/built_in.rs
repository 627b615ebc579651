//! The analyzers that are always there.

use super::filters::Filter;
use super::stems::Stem;
use super::tokenizers::Tokenizer;
use super::word_list::WordList;
use super::{Analyzer, stops};
use regex::Regex;

/// The analyzer that every collection has under this name.
pub(super) fn built_in(name: &str) -> Option<Analyzer> {
    let english = || WordList::new(stops::of("_english_").unwrap_or_default(), false);
    let standard = |filters| Analyzer::new(Tokenizer::standard(), filters);
    Some(match name {
        "standard" | "default" => standard(vec![Filter::Lowercase]),
        "simple" => Analyzer::new(Tokenizer::Letter { lowercase: true }, Vec::new()),
        "whitespace" => Analyzer::new(Tokenizer::Whitespace, Vec::new()),
        "keyword" => Analyzer::new(Tokenizer::Keyword, Vec::new()),
        "stop" => Analyzer::new(
            Tokenizer::Letter { lowercase: true },
            vec![Filter::Stop(english())],
        ),
        "snowball" => standard(vec![
            Filter::Lowercase,
            Filter::Stop(english()),
            Filter::Stem(Stem::of("porter2")?),
        ]),
        "english" => standard(vec![
            Filter::Possessive,
            Filter::Lowercase,
            Filter::Stop(english()),
            Filter::Stem(Stem::of("porter")?),
        ]),
        "pattern" => {
            let tokenizer = Tokenizer::Pattern {
                pattern: Regex::new(r"\W+").ok()?,
                group: None,
            };
            Analyzer::new(tokenizer, vec![Filter::Lowercase])
        }
        language => return of_language(language),
    })
}

/// The analyzer of a language, without what only some have.
fn of_language(name: &str) -> Option<Analyzer> {
    let is_known = ["german", "french", "spanish"].contains(&name)
        || stops::OTHERS.iter().any(|(language, _)| *language == name);
    let filters = || {
        Some(vec![
            Filter::Lowercase,
            Filter::Stop(WordList::new(stops::of(&format!("_{name}_"))?, false)),
            Filter::Stem(Stem::of(name)?),
        ])
    };
    let filters = is_known.then(filters).flatten()?;
    Some(Analyzer::new(Tokenizer::standard(), filters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_stop_words_and_a_stemmer() {
        let others = stops::OTHERS.iter().map(|(language, _)| *language);
        for language in others.chain(["german", "french", "spanish"]) {
            assert!(built_in(language).is_some(), "{language}");
        }
        let tokens = built_in("italian")
            .expect("known")
            .tokens("I gatti della signora");
        let words: Vec<String> = tokens.into_iter().map(|token| token.text).collect();
        assert_eq!(words, ["gatt", "signor"]);
    }
}
