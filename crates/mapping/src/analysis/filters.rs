//! What is done with tokens.

use super::Token;
use super::char_filters::{Replacement, WRITTEN_BYTES_MAX};
use super::digits;
use super::stems::Stem;
use super::synonyms::Synonyms;
use super::terms::Room;
use super::word_filters::WordFilter;
use super::word_parts::WordParts;
use std::collections::{BTreeSet, HashSet};

/// One step of an analyzer after its tokenizer.
#[derive(Debug)]
pub(crate) enum Filter {
    Lowercase,
    Uppercase,
    AsciiFolding,
    DecimalDigit,
    Trim,
    Reverse,
    Apostrophe,
    Unique,
    Stop(HashSet<String>),
    Keep(HashSet<String>),
    Length {
        least: usize,
        most: usize,
    },
    Truncate(usize),
    Limit(usize),
    Stem(Stem),
    /// `'s` at the end of a word.
    Possessive,
    Elision(HashSet<String>),
    Replace(Replacement),
    Ngram {
        least: usize,
        most: usize,
        edge: bool,
        keeps: bool,
    },
    Shingle {
        least: usize,
        most: usize,
        unigrams: bool,
        separator: String,
    },
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
                | Filter::AsciiFolding
                | Filter::DecimalDigit
                | Filter::Trim
                | Filter::Replace(_)
                | Filter::Elision(_)
        )
    }

    pub(crate) fn apply(&self, mut tokens: Vec<Token>) -> Vec<Token> {
        match self {
            Filter::Stop(words) => tokens.retain(|token| !words.contains(&token.text)),
            Filter::Keep(words) => tokens.retain(|token| words.contains(&token.text)),
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
            Filter::Shingle {
                least,
                most,
                unigrams,
                separator,
            } => {
                return shingles(&tokens, *least, *most, *unigrams, separator);
            }
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
            Filter::AsciiFolding => *text = fold(text),
            Filter::DecimalDigit if !text.is_ascii() => *text = text.chars().map(digits::of_ascii).collect(),
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
                    && articles.contains(&text[..at].to_lowercase())
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

fn shingles(tokens: &[Token], least: usize, most: usize, unigrams: bool, separator: &str) -> Vec<Token> {
    let (mut out, mut room) = (Vec::new(), Room::default());
    'terms: for (at, token) in tokens.iter().enumerate() {
        if unigrams {
            out.push(token.clone());
        }
        for length in least..=most {
            let Some(part) = tokens.get(at..at + length) else {
                break;
            };
            let words = part.iter().map(|token| token.text.as_str());
            if !room.takes(joined_bytes(words.clone(), separator)) {
                break 'terms;
            }
            out.push(Token {
                text: words.collect::<Vec<_>>().join(separator),
                start: token.start,
                end: part.last().map_or(token.end, |last| last.end),
                position: token.position,
                length: token.length,
                kind: "shingle",
                is_keyword: false,
            });
        }
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
