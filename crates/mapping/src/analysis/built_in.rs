//! The analyzers that are always there.

use super::filters::Filter;
use super::stems::Stem;
use super::tokenizers::Tokenizer;
use super::{Analyzer, stops};
use regex::Regex;

/// The analyzer that every collection has under this name.
pub(super) fn built_in(name: &str) -> Option<Analyzer> {
    let english = || stops::of("_english_").unwrap_or_default().into_iter().collect();
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
        "german" | "french" | "spanish" => standard(vec![
            Filter::Lowercase,
            Filter::Stop(stops::of(&format!("_{name}_"))?.into_iter().collect()),
            Filter::Stem(Stem::of(name)?),
        ]),
        "pattern" => {
            let tokenizer = Tokenizer::Pattern {
                pattern: Regex::new(r"\W+").ok()?,
                group: None,
            };
            Analyzer::new(tokenizer, vec![Filter::Lowercase])
        }
        _ => return None,
    })
}
