//! What is done with tokens.

use super::Token;
use super::char_filters::{Replacement, WRITTEN_BYTES_MAX};
use super::digits;
use super::stems::Stem;
use super::synonyms::Synonyms;
use super::terms::Room;
use super::word_filters::WordFilter;
use super::word_list::WordList;
use super::word_parts::WordParts;
use std::collections::{BTreeSet, HashSet};

/// One step of an analyzer after its tokenizer.
#[derive(Debug)]
pub(crate) enum Filter {
    Lowercase,
    Uppercase,
    /// Letters with marks become those of ASCII; the word as it was may be kept beside.
    AsciiFolding {
        keeps: bool,
    },
    DecimalDigit,
    GermanNormalization,
    Trim,
    Reverse,
    Apostrophe,
    Unique,
    Stop(WordList),
    Keep(WordList),
    Length {
        least: usize,
        most: usize,
    },
    Truncate(usize),
    Limit(usize),
    Stem(Stem),
    /// `'s` at the end of a word.
    Possessive,
    Elision(WordList),
    Replace(Replacement),
    Ngram {
        least: usize,
        most: usize,
        edge: bool,
        keeps: bool,
    },
    Shingle(Shingles),
    Synonyms(Synonyms),
    WordParts(WordParts),
    Words(WordFilter),
    /// The distinct words, sorted and joined into one term; no term if it would have more than `most` bytes.
    Fingerprint {
        separator: String,
        most: usize,
    },
}

impl Filter {
    /// Whether characters are changed and nothing else.
    pub(crate) fn is_normalizing(&self) -> bool {
        matches!(
            self,
            Filter::Lowercase
                | Filter::Uppercase
                | Filter::AsciiFolding { .. }
                | Filter::DecimalDigit
                | Filter::GermanNormalization
                | Filter::Trim
                | Filter::Replace(_)
                | Filter::Elision(_)
        )
    }

    pub(crate) fn apply(&self, mut tokens: Vec<Token>) -> Vec<Token> {
        match self {
            Filter::Stop(words) => tokens.retain(|token| !words.has(&token.text)),
            Filter::Keep(words) => tokens.retain(|token| words.has(&token.text)),
            Filter::Length { least, most } => {
                tokens.retain(|token| (*least..=*most).contains(&token.text.chars().count()));
            }
            Filter::Limit(count) => tokens.truncate(*count),
            Filter::Unique => {
                let mut seen = HashSet::new();
                tokens.retain(|token| seen.insert(token.text.clone()));
            }
            Filter::Ngram {
                least,
                most,
                edge,
                keeps,
            } => {
                let (mut grams, mut room) = (Vec::new(), Room::default());
                tokens
                    .iter()
                    .all(|token| ngrams(token, (*least, *most), *edge, *keeps, (&mut grams, &mut room)));
                return grams;
            }
            Filter::Shingle(shingles) => return shingles.apply(&tokens),
            Filter::Replace(_) => {
                let mut room = Room::default();
                let mut replaced = 0;
                for token in &mut tokens {
                    let bytes = token.text.len();
                    self.change(&mut token.text);
                    if !room.grows(token.text.len().saturating_sub(bytes)) {
                        break;
                    }
                    replaced += 1;
                }
                tokens.truncate(replaced);
            }
            Filter::Synonyms(synonyms) => return synonyms.apply(&tokens),
            Filter::WordParts(parts) => return parts.apply(tokens),
            Filter::Words(filter) => return filter.apply(tokens),
            Filter::AsciiFolding { keeps: true } => return folded_beside(tokens),
            Filter::Stem(stem) => {
                for token in tokens.iter_mut().filter(|token| !token.is_keyword) {
                    token.text = stem.stem(&token.text);
                }
            }
            Filter::Fingerprint { separator, most } => return fingerprint(&tokens, separator, *most),
            each => tokens.iter_mut().for_each(|token| each.change(&mut token.text)),
        }
        tokens
    }

    /// What is done with each term by itself.
    fn change(&self, text: &mut String) {
        match self {
            Filter::Lowercase if text.is_ascii() => text.make_ascii_lowercase(),
            Filter::Lowercase => *text = text.to_lowercase(),
            Filter::Uppercase => *text = text.to_uppercase(),
            Filter::Trim => *text = text.trim().to_owned(),
            Filter::Reverse => *text = text.chars().rev().collect(),
            Filter::AsciiFolding { .. } => *text = fold(text),
            Filter::DecimalDigit if !text.is_ascii() => *text = text.chars().map(digits::of_ascii).collect(),
            Filter::GermanNormalization => *text = without_umlauts(text),
            Filter::Truncate(most) => {
                if let Some((at, _)) = text.char_indices().nth(*most) {
                    text.truncate(at);
                }
            }
            Filter::Apostrophe => {
                if let Some(at) = text.find(['\'', '\u{2019}']) {
                    text.truncate(at);
                }
            }
            Filter::Possessive => {
                for end in ["'s", "'S", "\u{2019}s", "\u{2019}S"] {
                    if let Some(stem) = text.strip_suffix(end) {
                        *text = stem.to_owned();
                        return;
                    }
                }
            }
            Filter::Elision(articles) => {
                if let Some(at) = text.find(['\'', '\u{2019}'])
                    && articles.has(&text[..at])
                {
                    let behind = text[at..].chars().next().map_or(0, char::len_utf8);
                    *text = text[at + behind..].to_owned();
                }
            }
            Filter::Replace(replacement) => *text = replacement.apply(text),
            _ => {}
        }
    }
}

/// Adds what a term is replaced by; false where there is no room for all of it.
fn ngrams(
    token: &Token,
    (least, most): (usize, usize),
    edge: bool,
    keeps: bool,
    (out, room): (&mut Vec<Token>, &mut Room),
) -> bool {
    let text = &token.text;
    let ends: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let chars = ends.len() - 1;
    let starts = if edge { chars.min(1) } else { chars };
    for start in 0..starts {
        for length in least..=most.min(chars - start) {
            let part = &text[ends[start]..ends[start + length]];
            if !room.takes(part.len()) {
                return false;
            }
            out.push(Token {
                text: part.to_owned(),
                start: token.start,
                end: token.end,
                position: token.position,
                length: token.length,
                kind: token.kind,
                is_keyword: token.is_keyword,
            });
        }
    }
    let is_there = (least..=most).contains(&chars);
    if keeps && !is_there {
        out.push(token.clone());
    }
    true
}

fn fingerprint(tokens: &[Token], separator: &str, most: usize) -> Vec<Token> {
    let words: BTreeSet<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let bytes = joined_bytes(words.iter().copied(), separator);
    match tokens.last() {
        Some(last) if bytes <= most.min(WRITTEN_BYTES_MAX) => vec![Token {
            text: words.into_iter().collect::<Vec<_>>().join(separator),
            start: 0,
            end: last.end,
            position: 0,
            length: 1,
            kind: "fingerprint",
            is_keyword: false,
        }],
        _ => Vec::new(),
    }
}

/// The bytes of words that are joined, before they are: the separator may be as long as a request.
fn joined_bytes<'t>(words: impl ExactSizeIterator<Item = &'t str>, separator: &str) -> usize {
    let between = words.len().saturating_sub(1).saturating_mul(separator.len());
    between.saturating_add(words.map(str::len).sum())
}

/// How adjacent words are joined into one.
#[derive(Debug)]
pub(crate) struct Shingles {
    /// Words that are joined at least.
    pub(crate) least: usize,
    /// Words that are joined at most.
    pub(crate) most: usize,
    /// Whether single words are kept.
    pub(crate) keeps_words: bool,
    /// Whether they are kept where there are too few of them to be joined.
    pub(crate) keeps_few: bool,
    /// What stands between words that are joined.
    pub(crate) separator: String,
    /// What stands in the place of a word that was taken out.
    pub(crate) filler: String,
}

/// A word, or the place of one that was taken out before it.
struct Placed<'t> {
    token: &'t Token,
    position: u32,
    is_filler: bool,
}

impl Shingles {
    fn apply(&self, tokens: &[Token]) -> Vec<Token> {
        let (mut out, mut room) = (Vec::new(), Room::default());
        let words = self.filled(tokens);
        'words: for (at, word) in words.iter().enumerate() {
            if self.keeps_words && !word.is_filler {
                out.push(word.token.clone());
            }
            for length in self.least..=self.most {
                let Some(part) = words.get(at..at + length) else {
                    break;
                };
                if part.iter().all(|word| word.is_filler) {
                    continue;
                }
                let texts = part.iter().map(|word| match word.is_filler {
                    true => self.filler.as_str(),
                    false => word.token.text.as_str(),
                });
                if !room.takes(joined_bytes(texts.clone(), &self.separator)) {
                    break 'words;
                }
                let last = part.last().unwrap_or(word);
                out.push(Token {
                    text: texts.collect::<Vec<_>>().join(&self.separator),
                    start: word.token.start,
                    end: if last.is_filler {
                        last.token.start
                    } else {
                        last.token.end
                    },
                    position: word.position,
                    length: word.token.length,
                    kind: "shingle",
                    is_keyword: false,
                });
            }
        }
        match out.is_empty() && self.keeps_few {
            true => tokens.to_vec(),
            false => out,
        }
    }

    /// The words with the places between them that have none, as many as one shingle may reach over.
    fn filled<'t>(&self, tokens: &'t [Token]) -> Vec<Placed<'t>> {
        let mut words = Vec::with_capacity(tokens.len());
        let mut next = 0;
        for token in tokens {
            let missing = token.position.saturating_sub(next) as usize;
            let missing = missing.min(self.most.saturating_sub(1)) as u32;
            words.extend((0..missing).map(|nth| Placed {
                token,
                position: token.position - missing + nth,
                is_filler: true,
            }));
            words.push(Placed {
                token,
                position: token.position,
                is_filler: false,
            });
            next = token.position.saturating_add(1);
        }
        words
    }
}

/// A German word without umlauts, which may be written with an `e`: `ä` and `ae` are `a`, but `ue` stays after vowels and `q`.
fn without_umlauts(text: &str) -> String {
    /// What the letter before allows.
    #[derive(PartialEq)]
    enum Before {
        Any,
        /// No umlaut begins.
        Vowel,
        /// An `e` makes an umlaut of it.
        Umlaut,
    }
    let mut out = String::with_capacity(text.len());
    let mut before = Before::Any;
    for c in text.chars() {
        before = match c {
            'a' | 'o' => Before::Umlaut,
            'u' if before == Before::Any => Before::Umlaut,
            'e' if before == Before::Umlaut => {
                before = Before::Vowel;
                continue;
            }
            'u' | 'e' | 'i' | 'q' | 'y' | 'ä' | 'ö' | 'ü' => Before::Vowel,
            _ => Before::Any,
        };
        match c {
            'ä' => out.push('a'),
            'ö' => out.push('o'),
            'ü' => out.push('u'),
            'ß' => out.push_str("ss"),
            other => out.push(other),
        }
    }
    out
}

/// Words with the letters of ASCII, each before the word as it was where that is another.
fn folded_beside(tokens: Vec<Token>) -> Vec<Token> {
    let (mut out, mut room) = (Vec::with_capacity(tokens.len()), Room::default());
    for token in tokens {
        let folded = fold(&token.text);
        if folded != token.text {
            if !room.takes(folded.len()) {
                break;
            }
            out.push(Token {
                text: folded,
                ..token.clone()
            });
        }
        out.push(token);
    }
    out
}

/// Letters with marks as the letters of ASCII that they are made of.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'à'..='å' | 'ā' | 'ă' | 'ą' => out.push('a'),
            'À'..='Å' | 'Ā' | 'Ă' | 'Ą' => out.push('A'),
            'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => out.push('c'),
            'Ç' | 'Ć' | 'Ĉ' | 'Ċ' | 'Č' => out.push('C'),
            'ď' | 'đ' | 'ð' => out.push('d'),
            'Ď' | 'Đ' | 'Ð' => out.push('D'),
            'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => out.push('e'),
            'È'..='Ë' | 'Ē' | 'Ĕ' | 'Ė' | 'Ę' | 'Ě' => out.push('E'),
            'ĝ' | 'ğ' | 'ġ' | 'ģ' => out.push('g'),
            'Ĝ' | 'Ğ' | 'Ġ' | 'Ģ' => out.push('G'),
            'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => out.push('i'),
            'Ì'..='Ï' | 'Ĩ' | 'Ī' | 'Ĭ' | 'Į' | 'İ' => out.push('I'),
            'ĺ' | 'ļ' | 'ľ' | 'ł' => out.push('l'),
            'Ĺ' | 'Ļ' | 'Ľ' | 'Ł' => out.push('L'),
            'ñ' | 'ń' | 'ņ' | 'ň' => out.push('n'),
            'Ñ' | 'Ń' | 'Ņ' | 'Ň' => out.push('N'),
            'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => out.push('o'),
            'Ò'..='Ö' | 'Ø' | 'Ō' | 'Ŏ' | 'Ő' => out.push('O'),
            'ŕ' | 'ŗ' | 'ř' => out.push('r'),
            'Ŕ' | 'Ŗ' | 'Ř' => out.push('R'),
            'ś' | 'ŝ' | 'ş' | 'š' => out.push('s'),
            'Ś' | 'Ŝ' | 'Ş' | 'Š' => out.push('S'),
            'ţ' | 'ť' | 'ŧ' => out.push('t'),
            'Ţ' | 'Ť' | 'Ŧ' => out.push('T'),
            'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => out.push('u'),
            'Ù'..='Ü' | 'Ũ' | 'Ū' | 'Ŭ' | 'Ů' | 'Ű' | 'Ų' => out.push('U'),
            'ý' | 'ÿ' | 'ŷ' => out.push('y'),
            'Ý' | 'Ÿ' | 'Ŷ' => out.push('Y'),
            'ź' | 'ż' | 'ž' => out.push('z'),
            'Ź' | 'Ż' | 'Ž' => out.push('Z'),
            'æ' => out.push_str("ae"),
            'Æ' => out.push_str("AE"),
            'œ' => out.push_str("oe"),
            'Œ' => out.push_str("OE"),
            'ß' => out.push_str("ss"),
            'þ' => out.push_str("th"),
            'Þ' => out.push_str("TH"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analysis;
    use serde_json::{Value, json};

    fn terms(shingle: Value, text: &str) -> Vec<(String, u32)> {
        let stop = json!({"type": "stop", "stopwords": ["the", "of"]});
        let made = Analysis::default().of_parts(Some(&json!("whitespace")), &[&stop, &shingle], &[]);
        let tokens = made.expect("an analyzer").tokens(text).into_iter();
        tokens.map(|token| (token.text, token.position)).collect()
    }

    #[test]
    fn words_that_were_taken_out_leave_their_places_in_shingles() {
        let words = |expected: &[(&str, u32)]| -> Vec<(String, u32)> {
            let owned = expected.iter();
            owned.map(|(text, place)| ((*text).to_owned(), *place)).collect()
        };
        let pairs = json!({"type": "shingle", "output_unigrams": false});
        assert_eq!(
            terms(pairs, "the end of the line"),
            words(&[("_ end", 0), ("end _", 1), ("_ line", 3)])
        );
        let triples = json!({"type": "shingle", "min_shingle_size": 3, "max_shingle_size": 3, "filler_token": "", "token_separator": "-"});
        assert_eq!(
            terms(triples, "end of line"),
            words(&[("end", 0), ("end--line", 0), ("line", 2)])
        );
    }

    #[test]
    fn words_may_be_kept_beside_those_without_marks() {
        let folding = json!({"type": "asciifolding", "preserve_original": true});
        assert_eq!(
            terms(folding.clone(), "déjà vu"),
            [
                ("deja".to_owned(), 0),
                ("déjà".to_owned(), 0),
                ("vu".to_owned(), 1)
            ]
        );
        let made = Analysis::default().of_parts(None, &[&folding], &[]);
        assert_eq!(made.expect("an analyzer").normalize("déjà"), "deja");
    }

    #[test]
    fn case_counts_in_lists_of_words_unless_it_is_ignored() {
        let stop = |ignores: bool| json!({"type": "stop", "stopwords": ["And"], "ignore_case": ignores});
        assert_eq!(terms(stop(false), "and And"), [("and".to_owned(), 0)]);
        assert!(terms(stop(true), "and AND").is_empty());
        let keep = json!({"type": "keep", "keep_words": ["And"], "keep_words_case": true});
        assert_eq!(terms(keep, "and or"), [("and".to_owned(), 0)]);
        let elision = json!({"type": "elision", "articles": ["L"], "articles_case": true});
        assert_eq!(terms(elision, "l'avion"), [("avion".to_owned(), 0)]);
        let unique = json!({"type": "unique", "only_on_same_position": true});
        assert_eq!(terms(unique, "a a").len(), 2);
    }

    #[test]
    fn patterns_have_javas_flags() {
        let replace = |all: bool| json!({"type": "pattern_replace", "pattern": "A", "flags": "CASE_INSENSITIVE|DOTALL", "replacement": "b", "all": all});
        assert_eq!(terms(replace(true), "aA"), [("bb".to_owned(), 0)]);
        assert_eq!(terms(replace(false), "aA"), [("bA".to_owned(), 0)]);
    }

    #[test]
    fn german_words_are_compared_without_umlauts() {
        let made =
            Analysis::default().of_parts(Some(&json!("keyword")), &[&json!("german_normalization")], &[]);
        let analyzer = made.expect("an analyzer");
        for (word, wanted) in [
            ("weißbier", "weissbier"),
            ("schönes", "schones"),
            ("schoenes", "schones"),
            ("quelle", "quelle"),
            ("bauer", "bauer"),
            ("fuer", "fur"),
        ] {
            assert_eq!(analyzer.normalize(word), wanted);
        }
    }

    #[test]
    fn too_few_words_to_be_joined_are_kept_where_that_is_wanted() {
        let pairs = |keeps: bool| json!({"type": "shingle", "output_unigrams": false, "output_unigrams_if_no_shingles": keeps});
        assert_eq!(terms(pairs(true), "end"), [("end".to_owned(), 0)]);
        assert!(terms(pairs(false), "end").is_empty());
        assert_eq!(terms(pairs(true), "an end"), [("an end".to_owned(), 0)]);
    }
}
