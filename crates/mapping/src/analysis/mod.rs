//! How text becomes terms: character filters, a tokenizer, token filters, under Elasticsearch's names.

mod built_in;
mod filters;
mod registry;
mod stems;
mod stops;
mod synonyms;
mod terms;
mod tokenizers;
mod word_parts;

pub use registry::Analysis;

use filters::Filter;
use regex::Regex;
use tokenizers::Tokenizer;

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The term.
    pub text: String,
    /// Where its text begins, in characters of the whole.
    pub start: usize,
    /// Where its text ends.
    pub end: usize,
    /// Its place among the terms.
    pub position: u32,
    /// The places that it takes.
    pub length: u32,
    /// What kind of text it is: `word`, `<ALPHANUM>`, `<NUM>`.
    pub kind: &'static str,
}

/// What is done with text before it is cut.
#[derive(Clone, Debug)]
pub(crate) enum CharFilter {
    /// Tags and entities of HTML are taken out.
    HtmlStrip,
    /// Texts are put in place of others, the longest first.
    Mapping(Vec<(String, String)>),
    /// What a pattern finds is replaced.
    Replace(Regex, String),
}

impl CharFilter {
    pub(crate) fn apply(&self, text: &str) -> String {
        match self {
            CharFilter::HtmlStrip => strip_html(text),
            CharFilter::Replace(pattern, by) => replaced(pattern, text, by),
            CharFilter::Mapping(pairs) => {
                let mut out = String::with_capacity(text.len());
                let mut rest = text;
                while let Some(first) = rest.chars().next() {
                    match pairs
                        .iter()
                        .find(|(from, _)| !from.is_empty() && rest.starts_with(from))
                    {
                        Some((from, to)) => {
                            out.push_str(to);
                            rest = &rest[from.len()..];
                        }
                        None => {
                            out.push(first);
                            rest = &rest[first.len_utf8()..];
                        }
                    }
                }
                out
            }
        }
    }
}

/// A text that replacing makes longer than this is cut off there.
const REPLACED_BYTES_MAX: usize = 32 << 20;

/// The text with what a pattern finds replaced.
fn replaced(pattern: &Regex, text: &str, by: &str) -> String {
    let mut out = String::new();
    let mut from = 0;
    for found in pattern.captures_iter(text) {
        let Some(whole) = found.get(0) else { break };
        out.push_str(&text[from..whole.start()]);
        found.expand(by, &mut out);
        from = whole.end();
        if out.len() > REPLACED_BYTES_MAX {
            tracing::warn!(
                limit_bytes = REPLACED_BYTES_MAX,
                "a text became too long by replacing, and was cut off"
            );
            return out;
        }
    }
    out.push_str(&text[from..]);
    out
}

fn strip_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_tag = rest.starts_with('<')
            && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        let entities = [
            ("&amp;", '&'),
            ("&lt;", '<'),
            ("&gt;", '>'),
            ("&quot;", '"'),
            ("&apos;", '\''),
            ("&nbsp;", ' '),
        ];
        if is_tag && let Some(end) = rest.find('>') {
            let name = rest[1..end].trim_start_matches('/');
            // The elements of a line leave nothing behind, blocks a line's end.
            let inline = [
                "a", "b", "i", "em", "strong", "span", "code", "u", "s", "small", "sub", "sup",
            ];
            let name = name
                .split(|c: char| !c.is_ascii_alphanumeric())
                .next()
                .unwrap_or_default();
            if !inline.contains(&name.to_ascii_lowercase().as_str()) {
                out.push('\n');
            }
            rest = &rest[end + 1..];
        } else if let Some((entity, c)) = entities.iter().find(|(entity, _)| rest.starts_with(entity)) {
            out.push(*c);
            rest = &rest[entity.len()..];
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out + rest
}

/// One way from text to terms.
#[derive(Clone, Debug)]
pub struct Analyzer {
    pub(crate) char_filters: Vec<CharFilter>,
    pub(crate) tokenizer: Tokenizer,
    pub(crate) filters: Vec<Filter>,
    /// The places between two values of one field.
    pub gap: u32,
}

/// The places between two values of one field, where nobody says otherwise.
pub const POSITION_GAP: u32 = 100;

impl Analyzer {
    pub(crate) fn new(tokenizer: Tokenizer, filters: Vec<Filter>) -> Analyzer {
        Analyzer {
            char_filters: Vec::new(),
            tokenizer,
            filters,
            gap: POSITION_GAP,
        }
    }

    /// This analyzer, with `least` to `most` adjacent terms joined into one; single terms are kept if `unigrams`.
    pub(crate) fn with_shingles(mut self, least: usize, most: usize, unigrams: bool) -> Analyzer {
        self.filters.push(Filter::Shingle {
            least,
            most,
            unigrams,
            separator: " ".to_owned(),
        });
        self
    }

    /// This analyzer, with each term replaced by its prefixes of at most this many characters.
    pub(crate) fn with_beginnings(mut self, most: usize) -> Analyzer {
        self.filters.push(Filter::Ngram {
            least: 1,
            most,
            edge: true,
            keeps: false,
        });
        self
    }

    /// How many words a text has: the places that have a term, or those too whose terms were taken out.
    pub(crate) fn words(&self, text: &str, all_places: bool) -> u32 {
        let cut = self.cut(text);
        let places = |tokens: &[Token]| tokens.iter().map(|token| token.position + 1).max().unwrap_or(0);
        let all = places(&cut);
        let tokens = self.filtered(cut);
        if all_places {
            return all.max(places(&tokens));
        }
        let mut own: Vec<u32> = tokens.iter().map(|token| token.position).collect();
        own.dedup();
        own.len() as u32
    }

    /// The terms of a text.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        self.filtered(self.cut(text))
    }

    /// The terms that the tokenizer gives.
    fn cut(&self, text: &str) -> Vec<Token> {
        let mut filtered = None;
        for filter in &self.char_filters {
            filtered = Some(filter.apply(filtered.as_deref().unwrap_or(text)));
        }
        self.tokenizer.cut(filtered.as_deref().unwrap_or(text))
    }

    fn filtered(&self, mut tokens: Vec<Token>) -> Vec<Token> {
        for filter in &self.filters {
            tokens = filter.apply(tokens);
        }
        tokens
    }

    /// Whether it cuts at the boundaries of words and makes letters small, and does nothing else.
    pub fn is_plain(&self) -> bool {
        let is_standard = matches!(self.tokenizer, Tokenizer::Standard { .. });
        is_standard && self.char_filters.is_empty() && matches!(self.filters[..], [Filter::Lowercase])
    }

    /// Shows the terms that [`Analyzer::tokens`] gives, with their places. Of one that is plain no tokens are made.
    pub fn each_term(&self, text: &str, term: &mut dyn FnMut(&str, u32)) {
        match self.tokenizer {
            Tokenizer::Standard { longest } if self.is_plain() => {
                let mut small = String::new();
                let mut place = 0;
                tokenizers::each_word(text, longest, &mut |word| {
                    lowercased(word, &mut small);
                    term(&small, place);
                    place += 1;
                });
            }
            _ => {
                let tokens = self.tokens(text);
                tokens.iter().for_each(|token| term(&token.text, token.position));
            }
        }
    }

    /// The text as one term, with what changes characters only: what a normalizer does, and what is done to the
    /// text of a prefix or a wildcard.
    pub fn normalize(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for filter in &self.char_filters {
            text = filter.apply(&text);
        }
        for filter in self.filters.iter().filter(|filter| filter.is_normalizing()) {
            let token = Token {
                end: text.chars().count(),
                text: text.clone(),
                start: 0,
                position: 0,
                length: 1,
                kind: "word",
            };
            if let Some(token) = filter.apply(vec![token]).pop() {
                text = token.text;
            }
        }
        text
    }
}

/// Puts a word in small letters in place of what was there.
fn lowercased(word: &str, out: &mut String) {
    out.clear();
    match word.is_ascii() {
        true => {
            out.push_str(word);
            out.make_ascii_lowercase();
        }
        false => out.push_str(&word.to_lowercase()),
    }
}

/// The tokenizer that leaves a text whole.
pub(crate) fn keyword_tokenizer() -> Tokenizer {
    Tokenizer::Keyword
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The terms of a text with their places and lengths, by an analyzer of these settings.
    fn terms(settings: serde_json::Value, text: &str) -> Vec<(String, u32, u32)> {
        let settings = serde_json::json!({"filter": {"f": settings}, "analyzer": {"a": {
            "tokenizer": "whitespace", "filter": ["lowercase", "f"]}, "b": {"tokenizer": "whitespace", "filter": ["f"]}}});
        let is_small = settings["filter"]["f"].get("synonyms").is_some();
        let analysis = Analysis::parse(&settings).expect("settings");
        let analyzer = analysis
            .analyzer(if is_small { "a" } else { "b" })
            .expect("an analyzer");
        let tokens = analyzer.tokens(text).into_iter();
        tokens
            .map(|token| (token.text, token.position, token.length))
            .collect()
    }

    fn expected(terms: &[(&str, u32, u32)]) -> Vec<(String, u32, u32)> {
        let owned = terms.iter();
        owned
            .map(|(text, place, length)| ((*text).to_owned(), *place, *length))
            .collect()
    }

    #[test]
    fn words_are_cut_where_kinds_of_characters_meet() {
        let graph = serde_json::json!({"type": "word_delimiter_graph"});
        for (text, parts) in [
            ("PowerShot", &[("Power", 0, 1), ("Shot", 1, 1)][..]),
            (
                "XL500-42s",
                &[("XL", 0, 1), ("500", 1, 1), ("42", 2, 1), ("s", 3, 1)],
            ),
            (
                "O'Neil's wi-fi",
                &[("O", 0, 1), ("Neil", 1, 1), ("wi", 2, 1), ("fi", 3, 1)],
            ),
            ("--- x", &[("x", 1, 1)]),
        ] {
            assert_eq!(terms(graph.clone(), text), expected(parts), "{text}");
        }
        let all = serde_json::json!({"type": "word_delimiter_graph", "catenate_all": true, "preserve_original": true});
        assert_eq!(
            terms(all, "wi-fi on"),
            expected(&[
                ("wi-fi", 0, 2),
                ("wifi", 0, 2),
                ("wi", 0, 1),
                ("fi", 1, 1),
                ("on", 2, 1)
            ])
        );
        let flat =
            serde_json::json!({"type": "word_delimiter", "catenate_words": true, "protected_words": ["a-b"]});
        assert_eq!(
            terms(flat, "wi-fi a-b"),
            expected(&[("wi", 0, 1), ("fi", 1, 1), ("wifi", 1, 1), ("a-b", 2, 1)])
        );
    }

    #[test]
    fn several_words_are_synonyms_too() {
        let rules = ["NY, new york", "usa => united states"];
        let graph = serde_json::json!({"type": "synonym_graph", "synonyms": rules});
        assert_eq!(
            terms(graph.clone(), "in ny now"),
            expected(&[
                ("in", 0, 1),
                ("ny", 1, 2),
                ("new", 1, 1),
                ("york", 2, 1),
                ("now", 3, 1)
            ])
        );
        assert_eq!(
            terms(graph, "New York usa"),
            expected(&[
                ("ny", 0, 2),
                ("new", 0, 1),
                ("york", 1, 1),
                ("united", 2, 1),
                ("states", 3, 1)
            ])
        );
        let flat = serde_json::json!({"type": "synonym", "synonyms": rules});
        let found = terms(flat, "usa now");
        assert_eq!(
            found,
            expected(&[("united", 0, 1), ("states", 1, 1), ("now", 1, 1)])
        );
        let empty = serde_json::json!({"analyzer": {"a": {"tokenizer": "whitespace", "filter": ["stop",
            {"type": "synonym", "synonyms": ["the => a"]}]}}});
        assert!(Analysis::parse(&empty).is_err());
    }

    #[test]
    fn terms_are_shown_as_tokens_have_them() {
        let long = "ÄbC".repeat(300);
        let texts = [
            "",
            "It's 10.0.3.4: Größe_2 ΣΑΣ, the İx",
            "日本 語 x-Y",
            long.as_str(),
        ];
        for name in ["standard", "whitespace", "english", "keyword"] {
            let analyzer = Analysis::default().analyzer(name).expect("an analyzer");
            assert_eq!(analyzer.is_plain(), name == "standard");
            for text in texts {
                let mut shown = Vec::new();
                analyzer.each_term(text, &mut |term, place| shown.push((term.to_owned(), place)));
                let tokens = analyzer.tokens(text).into_iter();
                assert_eq!(
                    shown,
                    tokens
                        .map(|token| (token.text, token.position))
                        .collect::<Vec<_>>()
                );
            }
        }
    }
}
