//! Filters that look at words one by one: which of them stemmers leave as they are, what others become, which are shown twice or not
//! at all.

use super::Token;
use super::terms::Room;
use super::word_list::WordList;
use regex::{Match, Regex};
use std::collections::{HashMap, HashSet};

/// One such step.
#[derive(Debug)]
pub(crate) enum WordFilter {
    /// Marks words that stemmers leave as they are.
    Mark(Marked),
    /// Replaces words by stems, which no stemmer changes any more.
    Override(HashMap<String, String>),
    /// Shows each word twice, first as one that stemmers leave as it is.
    Repeat,
    /// Leaves out what is at its place already.
    Distinct,
    /// Keeps words of these kinds, or those of others.
    Kinds { kinds: HashSet<String>, keeps: bool },
    /// Adds what the groups of patterns find in a word, or puts it in the place of the word.
    Groups { patterns: Vec<Regex>, keeps_word: bool },
}

/// Words that are meant.
#[derive(Debug)]
pub(crate) enum Marked {
    /// These.
    Words(WordList),
    /// Those that fit a pattern as a whole.
    Pattern(Regex),
}

impl Marked {
    fn has(&self, word: &str) -> bool {
        match self {
            Marked::Words(words) => words.has(word),
            Marked::Pattern(pattern) => pattern.is_match(word),
        }
    }
}

impl WordFilter {
    pub(super) fn apply(&self, mut tokens: Vec<Token>) -> Vec<Token> {
        match self {
            WordFilter::Mark(marked) => {
                for token in &mut tokens {
                    token.is_keyword |= marked.has(&token.text);
                }
            }
            WordFilter::Override(stems) => {
                for token in tokens.iter_mut().filter(|token| !token.is_keyword) {
                    if let Some(stem) = stems.get(&token.text) {
                        token.text.clone_from(stem);
                        token.is_keyword = true;
                    }
                }
            }
            WordFilter::Repeat => return repeated(tokens),
            WordFilter::Distinct => distinct(&mut tokens),
            WordFilter::Kinds { kinds, keeps } => {
                tokens.retain(|token| kinds.contains(token.kind) == *keeps);
            }
            WordFilter::Groups { patterns, keeps_word } => return grouped(&tokens, patterns, *keeps_word),
        }
        tokens
    }
}

fn repeated(tokens: Vec<Token>) -> Vec<Token> {
    let (mut out, mut room) = (Vec::new(), Room::default());
    for token in tokens {
        if !room.takes(token.text.len()) {
            break;
        }
        out.push(Token {
            is_keyword: true,
            ..token.clone()
        });
        out.push(Token {
            is_keyword: false,
            ..token
        });
    }
    out
}

fn distinct(tokens: &mut Vec<Token>) {
    let mut seen = HashSet::new();
    let mut place = None;
    tokens.retain(|token| {
        if place.replace(token.position) != Some(token.position) {
            seen.clear();
        }
        seen.insert(token.text.clone())
    });
}

fn grouped(tokens: &[Token], patterns: &[Regex], keeps_word: bool) -> Vec<Token> {
    let (mut out, mut room) = (Vec::new(), Room::default());
    for token in tokens {
        let is_new = |part: &Match<'_>| !(part.is_empty() || keeps_word && part.len() == token.text.len());
        let parts = patterns.iter().map(|pattern| {
            let found = pattern.captures_iter(&token.text);
            let groups = found.flat_map(|found| found.iter().skip(1).flatten().collect::<Vec<_>>());
            groups.filter(is_new).peekable()
        });
        let mut parts: Vec<_> = parts.collect();
        if keeps_word || parts.iter_mut().all(|parts| parts.peek().is_none()) {
            out.push(token.clone());
        }
        // In the order in which they begin; of those that begin together, that of the first pattern.
        loop {
            let begun = parts.iter_mut().enumerate();
            let next = begun
                .filter_map(|(at, parts)| Some((parts.peek()?.start(), at)))
                .min();
            let next = next.and_then(|(_, at)| parts.get_mut(at)?.next());
            let Some(part) = next else { break };
            if !room.takes(part.len()) {
                return out;
            }
            out.push(Token {
                text: part.as_str().to_owned(),
                ..token.clone()
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::analysis::{Analysis, Token};
    use serde_json::{Value, json};

    fn tokens(filters: &[Value], text: &str) -> Vec<Token> {
        let filters: Vec<&Value> = filters.iter().collect();
        let made = Analysis::default().of_parts(Some(&json!("standard")), &filters, &[]);
        made.expect("an analyzer").tokens(text)
    }

    fn terms(filters: &[Value], text: &str) -> Vec<String> {
        let tokens = tokens(filters, text).into_iter();
        tokens.map(|token| token.text).collect()
    }

    #[test]
    fn words_that_are_marked_are_not_stemmed() {
        let stem = || json!("porter_stem");
        let text = "Running runs jumping";
        for (filter, wanted) in [
            (
                json!({"type": "keyword_marker", "keywords": ["runs"]}),
                ["Run", "runs", "jump"],
            ),
            (
                json!({"type": "keyword_marker", "keywords": ["running"], "ignore_case": true}),
                ["Running", "run", "jump"],
            ),
            (
                json!({"type": "keyword_marker", "keywords_pattern": "[a-z]+ing"}),
                ["Run", "run", "jumping"],
            ),
            (
                json!({"type": "stemmer_override", "rules": ["runs, jumping => running"]}),
                ["Run", "running", "running"],
            ),
        ] {
            assert_eq!(terms(&[filter.clone(), stem()], text), wanted, "{filter}");
        }
    }

    #[test]
    fn an_analyzer_of_a_language_stems_no_excluded_words() {
        let settings = json!({"analyzer": {"own": {"type": "english", "stem_exclusion": ["runs"]}}});
        let analysis = Analysis::parse(&settings).expect("settings");
        let tokens = analysis
            .analyzer("own")
            .expect("an analyzer")
            .tokens("runs jumps");
        let terms: Vec<String> = tokens.into_iter().map(|token| token.text).collect();
        assert_eq!(terms, ["runs", "jump"]);
        let wrong = json!({"analyzer": {"own": {"type": "standard", "stem_exclusion": ["runs"]}}});
        assert!(Analysis::parse(&wrong).is_err());
    }

    #[test]
    fn words_are_repeated_where_their_stems_differ() {
        let filters = [
            json!("keyword_repeat"),
            json!("porter_stem"),
            json!("remove_duplicates"),
        ];
        let found = tokens(&filters, "runs fast");
        let found: Vec<(&str, u32, bool)> = found
            .iter()
            .map(|token| (token.text.as_str(), token.position, token.is_keyword))
            .collect();
        assert_eq!(found, [("runs", 0, true), ("run", 0, false), ("fast", 1, true)]);
    }

    #[test]
    fn words_are_kept_by_their_kinds() {
        let filter = |mode: &str| json!({"type": "keep_types", "types": ["<NUM>"], "mode": mode});
        assert_eq!(terms(&[filter("include")], "at 10 am"), ["10"]);
        assert_eq!(terms(&[filter("exclude")], "at 10 am"), ["at", "am"]);
    }

    #[test]
    fn groups_of_patterns_are_words_too() {
        let filter = |keeps: bool| json!({"type": "pattern_capture", "preserve_original": keeps, "patterns": ["([a-z]+)", r"([0-9])([0-9])?"]});
        assert_eq!(
            terms(&[filter(true)], "ab12c3"),
            ["ab12c3", "ab", "1", "2", "c", "3"]
        );
        assert_eq!(terms(&[filter(false)], "ab12"), ["ab", "1", "2"]);
        assert_eq!(terms(&[filter(false)], "É"), ["É"]);
    }

    #[test]
    fn digits_of_all_scripts_are_those_of_ascii() {
        let made = Analysis::default().of_parts(Some(&json!("whitespace")), &[&json!("decimal_digit")], &[]);
        let tokens = made.expect("an analyzer").tokens("१२३ ٤٥ ７8 a½ 𝟙");
        let terms: Vec<String> = tokens.into_iter().map(|token| token.text).collect();
        assert_eq!(terms, ["123", "45", "78", "a½", "1"]);
    }

    #[test]
    fn filters_that_say_too_little_are_refused() {
        for wrong in [
            json!({"type": "keyword_marker"}),
            json!({"type": "keyword_marker", "keywords": ["a"], "keywords_pattern": "b"}),
            json!({"type": "stemmer_override"}),
            json!({"type": "stemmer_override", "rules": ["a -> b"]}),
            json!({"type": "stemmer_override", "rules": ["a => "]}),
            json!({"type": "keep_types"}),
            json!({"type": "keep_types", "types": ["<NUM>"], "mode": "some"}),
            json!({"type": "pattern_capture"}),
            json!({"type": "pattern_capture", "patterns": vec!["(a)"; 100]}),
        ] {
            let made = Analysis::default().of_parts(None, &[&wrong], &[]);
            assert!(made.is_err(), "{wrong}");
        }
    }
}
