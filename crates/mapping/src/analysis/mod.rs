//! How text becomes terms: character filters, a tokenizer, token filters, under Elasticsearch's names.

mod built_in;
mod char_filters;
mod digits;
mod filters;
mod light;
mod lucene_patterns;
mod patterns;
mod registry;
mod stems;
mod stops;
mod synonyms;
mod terms;
mod tokenizers;
mod word_filters;
mod word_list;
mod word_parts;
mod word_settings;

pub use registry::Analysis;

use crate::error::{Result, SearchError};
use crate::json::Members;
use char_filters::CharFilter;
use filters::{Filter, Shingles};
use std::fmt;
use std::sync::Arc;
use tokenizers::Tokenizer;

/// A text without the tags and entities of HTML, as the filter `html_strip` gives it.
pub fn without_html(text: &str) -> String {
    CharFilter::HtmlStrip.apply(text)
}

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
    /// Whether stemmers leave it as it is.
    pub is_keyword: bool,
}

/// One way from text to terms. Each field has its own; the words and rules of their filters are shared.
#[derive(Clone, Debug)]
pub struct Analyzer {
    pub(crate) char_filters: Vec<Arc<CharFilter>>,
    pub(crate) tokenizer: Tokenizer,
    pub(crate) filters: Vec<Arc<Filter>>,
    /// The places between two values of one field.
    pub gap: u32,
}

/// The places between two values of one field by default.
pub const POSITION_GAP: u32 = 100;
/// The same at most: in Elasticsearch it is an `int`.
const POSITION_GAP_MAX: u32 = i32::MAX as u32;

/// Reads the places between two values of one field.
pub(crate) fn position_gap(members: &mut Members<'_>) -> Result<Option<u32>> {
    const NAME: &str = "position_increment_gap";
    let Some(gap) = members.integer(NAME)? else {
        return Ok(None);
    };
    match u32::try_from(gap) {
        Ok(gap) if gap <= POSITION_GAP_MAX => Ok(Some(gap)),
        _ => Err(SearchError::illegal(format!(
            "[{NAME}] must be positive and at most [{POSITION_GAP_MAX}], got [{gap}]"
        ))),
    }
}

impl Analyzer {
    /// Whether it makes the same terms of a text as another.
    pub fn is_same(&self, other: &Analyzer) -> bool {
        fn alike<T: fmt::Debug>(a: &[Arc<T>], b: &[Arc<T>]) -> bool {
            let one = |(a, b): (&Arc<T>, &Arc<T>)| Arc::ptr_eq(a, b) || format!("{a:?}") == format!("{b:?}");
            a.len() == b.len() && a.iter().zip(b).all(one)
        }
        alike(&self.char_filters, &other.char_filters)
            && format!("{:?}", self.tokenizer) == format!("{:?}", other.tokenizer)
            && alike(&self.filters, &other.filters)
    }

    pub(crate) fn new(tokenizer: Tokenizer, filters: Vec<Filter>) -> Analyzer {
        Analyzer {
            char_filters: Vec::new(),
            tokenizer,
            filters: filters.into_iter().map(Arc::new).collect(),
            gap: POSITION_GAP,
        }
    }

    /// This analyzer, with `least` to `most` adjacent terms joined into one; single terms are kept if `unigrams`.
    pub(crate) fn with_shingles(mut self, least: usize, most: usize, unigrams: bool) -> Analyzer {
        self.filters.push(Arc::new(Filter::Shingle(Shingles {
            least,
            most,
            keeps_words: unigrams,
            keeps_few: false,
            separator: " ".to_owned(),
            filler: "_".to_owned(),
        })));
        self
    }

    /// This analyzer, with each term replaced by its prefixes of at most this many characters.
    pub(crate) fn with_beginnings(mut self, most: usize) -> Analyzer {
        self.filters.push(Arc::new(Filter::Ngram {
            least: 1,
            most,
            edge: true,
            keeps: false,
        }));
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
        let is_lowercase = |filter: &Arc<Filter>| matches!(**filter, Filter::Lowercase);
        is_standard
            && self.char_filters.is_empty()
            && self.filters.len() == 1
            && self.filters.iter().all(is_lowercase)
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
                is_keyword: false,
            };
            // Where the text as it was is kept beside, it comes second.
            if let Some(token) = filter.apply(vec![token]).into_iter().next() {
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
    use super::registry::FILTERS_MAX;
    use super::*;
    use serde_json::{Value, json};
    use std::time::{Duration, Instant};

    /// The terms of a text with their places and lengths, by an analyzer of these settings.
    fn terms(settings: Value, text: &str) -> Vec<(String, u32, u32)> {
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
        let typed = |rule: &str| json!({"type": "word_delimiter", "type_table": ["+ => ALPHA", rule]});
        assert_eq!(
            terms(typed(r"\u0023 => ALPHANUM"), "C++/C#7 a.b"),
            expected(&[("C++", 0, 1), ("C#7", 1, 1), ("a", 2, 1), ("b", 3, 1)])
        );
        for wrong in ["+", "++ => ALPHA", "+ => SIGN", r"\u00 => DIGIT"] {
            let settings = json!({"filter": {"f": typed(wrong)}, "analyzer": {"a": {"tokenizer": "keyword", "filter": ["f"]}}});
            assert!(Analysis::parse(&settings).is_err(), "{wrong}");
        }
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

    /// An analyzer of a tokenizer and as many filters, each defined in place.
    fn of_parts(tokenizer: &Value, filters: &[Value]) -> Analyzer {
        let filters: Vec<&Value> = filters.iter().collect();
        let made = Analysis::default().of_parts(Some(tokenizer), &filters, &[]);
        made.expect("an analyzer")
    }

    /// The number of terms, and their bytes.
    fn size(analyzer: &Analyzer, text: &str) -> (usize, usize) {
        let tokens = analyzer.tokens(text);
        (tokens.len(), tokens.iter().map(|token| token.text.len()).sum())
    }

    #[test]
    fn the_terms_of_a_text_are_limited() {
        let (words, slashes) = ("ab ".repeat(50_000), "/".repeat(1 << 20));
        let one_word = "ab1".repeat(1 << 18);
        let long = "x".repeat(1 << 20);
        let whitespace = json!("whitespace");
        let parts = json!({"type": "word_delimiter_graph", "preserve_original": true, "catenate_all": true});
        for (tokenizer, filters, text) in [
            (json!("path_hierarchy"), vec![], &slashes),
            (
                json!({"type": "path_hierarchy", "reverse": true}),
                vec![],
                &slashes,
            ),
            (
                whitespace.clone(),
                vec![json!({"type": "pattern_replace", "pattern": "a", "replacement": long})],
                &words,
            ),
            (
                whitespace.clone(),
                vec![json!({"type": "shingle", "token_separator": long})],
                &words,
            ),
            (whitespace.clone(), vec![parts; FILTERS_MAX], &one_word),
            (
                whitespace.clone(),
                vec![json!({"type": "ngram", "min_gram": 1, "max_gram": 100_000})],
                &one_word,
            ),
        ] {
            let (terms, bytes) = size(&of_parts(&tokenizer, &filters), text);
            let all = terms * size_of::<Token>() + bytes;
            assert!(all < 300 << 20, "{tokenizer}: {terms} terms of {bytes} bytes");
            assert!(terms > 0 || filters.len() == FILTERS_MAX, "{tokenizer}");
        }
    }

    #[test]
    fn a_fingerprint_is_joined_only_where_it_may_be_as_long() {
        let text: String = (0..50_000).map(|at| format!("{at} ")).collect();
        let filter = |separator: usize, most: i64| {
            let separator = "-".repeat(separator);
            json!({"type": "fingerprint", "separator": separator, "max_output_size": most})
        };
        for (separator, most, bytes) in [
            (1, 255, 0),
            (1, 288_889, 288_889),
            (1, 288_888, 0),
            (1 << 20, i64::MAX, 0),
        ] {
            let analyzer = of_parts(&json!("whitespace"), &[filter(separator, most)]);
            assert_eq!(size(&analyzer, &text).1, bytes, "{separator} {most}");
        }
    }

    #[test]
    fn paths_are_cut_at_each_delimiter() {
        let tokens = |tokenizer: Value| -> Vec<String> {
            let tokens = of_parts(&tokenizer, &[]).tokens("a/b/c");
            tokens.into_iter().map(|token| token.text).collect()
        };
        assert_eq!(tokens(json!("path_hierarchy")), ["a", "a/b", "a/b/c"]);
        let reverse = json!({"type": "path_hierarchy", "reverse": true, "skip": 1, "replacement": "-"});
        assert_eq!(tokens(reverse), ["a-b", "b"]);
        assert_eq!(
            tokens(json!({"type": "path_hierarchy", "skip": 1})),
            ["/b", "/b/c"]
        );
    }

    #[test]
    fn settings_that_are_no_settings_are_refused() {
        let filters = |filter: Value| json!({"analyzer": {"a": {"tokenizer": "standard", "filter": filter}}});
        let gap =
            |gap: Value| json!({"analyzer": {"a": {"type": "standard", "position_increment_gap": gap}}});
        for wrong in [
            filters(json!(vec!["lowercase"; FILTERS_MAX + 1])),
            filters(json!({"type": "truncate", "length": -1})),
            filters(json!({"type": "limit", "max_token_count": -1})),
            filters(json!({"type": "length", "min": -1})),
            filters(json!({"type": "length", "max": 1e300})),
            filters(json!({"type": "edge_ngram", "min_gram": -1})),
            filters(json!({"type": "fingerprint", "max_output_size": -1})),
            gap(json!(-1)),
            gap(json!(2_147_483_648_u32)),
            gap(json!(4_294_967_296_u64)),
            gap(json!("1.5")),
            json!({"analyzer": {"a": {"type": "standard", "max_token_length": 0}}}),
            json!({"analyzer": {"a": {"tokenizer": {"type": "path_hierarchy", "skip": -1}}}}),
        ] {
            assert!(Analysis::parse(&wrong).is_err(), "{wrong}");
        }
        for (given, wanted) in [
            (json!(0), 0),
            (json!("7"), 7),
            (json!(i32::MAX), POSITION_GAP_MAX),
        ] {
            let analysis = Analysis::parse(&gap(given)).expect("settings");
            assert_eq!(analysis.analyzer("a").expect("an analyzer").gap, wanted);
        }
    }

    #[test]
    fn the_longest_of_all_phrases_is_found_in_one_walk() {
        let long = vec!["a"; 50_000].join(" ");
        let rules = [
            format!("{long} b => long"),
            "a a => two".to_owned(),
            "a => one, one".to_owned(),
        ];
        let filter = json!({"type": "synonym", "synonyms": rules});
        let analyzer = of_parts(&json!("whitespace"), &[filter]);
        let begun = Instant::now();
        let found = |text: &str| -> Vec<String> {
            let tokens = analyzer.tokens(text).into_iter();
            tokens.map(|token| token.text).collect()
        };
        assert_eq!(found("a a a c"), ["two", "one", "c"]);
        assert_eq!(found(&format!("{long} b")), ["long"]);
        assert_eq!(found(&vec!["a"; 1_001].join(" ")).len(), 501);
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn rules_of_synonyms_have_an_end_together() {
        // Each makes some 90,000 pairs.
        let rule = |at: usize| -> String {
            let words: Vec<String> = (0..300).map(|word| format!("w{at}x{word}")).collect();
            words.join(",")
        };
        let rules: Vec<String> = (0..30).map(rule).collect();
        let filter = |rules: &[String]| json!({"type": "synonym", "synonyms": rules});
        let parse = |filter: Value| Analysis::default().of_parts(Some(&json!("standard")), &[&filter], &[]);
        assert!(parse(filter(&rules[..1])).is_ok());
        assert!(parse(filter(&rules)).is_err());
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
