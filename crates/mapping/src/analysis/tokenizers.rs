//! Cutting text into tokens.

use super::Token;
use super::terms::Room;
use regex::Regex;
use std::collections::HashSet;
use unicode_segmentation::UnicodeSegmentation;

/// The longest token of the standard tokenizer; a longer one is cut.
const TOKEN_CHARACTERS_MAX: usize = 255;

/// Where text is cut.
#[derive(Clone, Debug)]
pub(crate) enum Tokenizer {
    /// At the word boundaries of Unicode.
    Standard { longest: usize },
    /// At white space.
    Whitespace,
    /// Nowhere.
    Keyword,
    /// At whatever is no letter.
    Letter { lowercase: bool },
    /// At what a pattern finds; or, with a group, what the group finds.
    Pattern { pattern: Regex, group: Option<usize> },
    /// Into pieces of these lengths; from the beginning of each word only, where `edge`.
    Ngram {
        least: usize,
        most: usize,
        edge: bool,
        classes: Vec<CharClass>,
    },
    /// Into what leads up to each of the delimiters.
    Path {
        delimiter: char,
        replacement: char,
        reverse: bool,
        skip: usize,
    },
    /// At these characters.
    Chars(HashSet<char>, bool),
}

/// What characters n-grams may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharClass {
    Letter,
    Digit,
    Whitespace,
    Punctuation,
    Symbol,
}

impl CharClass {
    pub(crate) const ALL: [CharClass; 5] = [
        CharClass::Letter,
        CharClass::Digit,
        CharClass::Whitespace,
        CharClass::Punctuation,
        CharClass::Symbol,
    ];

    fn has(self, c: char) -> bool {
        match self {
            CharClass::Letter => c.is_alphabetic(),
            CharClass::Digit => c.is_numeric(),
            CharClass::Whitespace => c.is_whitespace(),
            CharClass::Punctuation => c.is_ascii_punctuation() && !"$+<=>^`|~".contains(c),
            CharClass::Symbol => "$+<=>^`|~".contains(c) || (!c.is_ascii() && !c.is_alphanumeric()),
        }
    }
}

impl Tokenizer {
    pub(crate) fn standard() -> Tokenizer {
        Tokenizer::Standard {
            longest: TOKEN_CHARACTERS_MAX,
        }
    }

    pub(crate) fn cut(&self, text: &str) -> Vec<Token> {
        let mut out = Cut::new(text);
        match self {
            Tokenizer::Keyword => out.push(0, text.len(), "word"),
            Tokenizer::Standard { longest } => {
                for (at, word) in text.unicode_word_indices() {
                    standard(&mut out, at, word, *longest);
                }
            }
            Tokenizer::Whitespace => out.split(text, char::is_whitespace),
            Tokenizer::Letter { lowercase } => {
                out.split(text, |c| !c.is_alphabetic());
                if *lowercase {
                    out.tokens
                        .iter_mut()
                        .for_each(|token| token.text = token.text.to_lowercase());
                }
            }
            Tokenizer::Chars(chars, whitespace) => {
                out.split(text, |c| chars.contains(&c) || *whitespace && c.is_whitespace());
            }
            Tokenizer::Pattern { pattern, group: None } => {
                let mut from = 0;
                for found in pattern.find_iter(text) {
                    out.push(from, found.start(), "word");
                    from = found.end();
                }
                out.push(from, text.len(), "word");
            }
            Tokenizer::Pattern {
                pattern,
                group: Some(group),
            } => {
                for found in pattern.captures_iter(text).filter_map(|found| found.get(*group)) {
                    out.push(found.start(), found.end(), "word");
                }
            }
            Tokenizer::Ngram {
                least,
                most,
                edge,
                classes,
            } => {
                let mut room = Room::default();
                words(text, classes)
                    .into_iter()
                    .all(|word| ngrams(&mut out, word, (*least, *most), *edge, &mut room));
            }
            Tokenizer::Path {
                delimiter,
                replacement,
                reverse,
                skip,
            } => {
                path(&mut out, *delimiter, *reverse, *skip);
                let (from, to) = (delimiter.to_string(), replacement.to_string());
                out.tokens
                    .iter_mut()
                    .for_each(|token| token.text = token.text.replace(&from, &to));
            }
        }
        out.tokens
    }
}

/// Shows the words at whose boundaries the standard tokenizer cuts.
pub(super) fn each_word(text: &str, longest: usize, found: &mut dyn FnMut(&str)) {
    for word in text.unicode_words() {
        pieces(word, longest, |from, to| found(&word[from..to]));
    }
}

fn standard(out: &mut Cut<'_>, at: usize, word: &str, longest: usize) {
    let kind = match word.chars().next() {
        Some(c) if c.is_numeric() => "<NUM>",
        Some(c) if is_ideograph(c) => "<IDEOGRAPHIC>",
        Some('\u{3040}'..='\u{309f}') => "<HIRAGANA>",
        Some('\u{30a0}'..='\u{30ff}') => "<KATAKANA>",
        Some('\u{ac00}'..='\u{d7af}') => "<HANGUL>",
        _ => "<ALPHANUM>",
    };
    pieces(word, longest, |from, to| out.push(at + from, at + to, kind));
}

/// The pieces of a word, none of more characters than this.
fn pieces(word: &str, longest: usize, mut piece: impl FnMut(usize, usize)) {
    let mut from = 0;
    // Of fewer bytes it has fewer characters.
    let long = if word.len() > longest { word } else { "" };
    for (count, (offset, _)) in long.char_indices().enumerate() {
        if count > 0 && count % longest == 0 {
            piece(from, offset);
            from = offset;
        }
    }
    piece(from, word.len());
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}')
}

/// The parts of a text that have these characters only; the whole text where none are named.
fn words(text: &str, classes: &[CharClass]) -> Vec<(usize, usize)> {
    if classes.is_empty() {
        return vec![(0, text.len())];
    }
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices() {
        match (classes.iter().any(|class| class.has(c)), from) {
            (true, None) => from = Some(at),
            (false, Some(start)) => {
                words.push((start, at));
                from = None;
            }
            _ => {}
        }
    }
    words.extend(from.map(|start| (start, text.len())));
    words
}

/// Adds the runs of letters of a word; false where there is no room for all of them.
fn ngrams(
    out: &mut Cut<'_>,
    (from, to): (usize, usize),
    (least, most): (usize, usize),
    edge: bool,
    room: &mut Room,
) -> bool {
    let word = &out.text[from..to];
    let ends: Vec<usize> = word.char_indices().map(|(at, _)| from + at).chain([to]).collect();
    let starts = if edge { 1 } else { ends.len().saturating_sub(1) };
    for start in 0..starts {
        for length in least..=most.min(ends.len() - 1 - start) {
            let (start, end) = (ends[start], ends[start + length]);
            if !room.takes(end - start) {
                return false;
            }
            out.push(start, end, "word");
        }
    }
    true
}

/// Adds what leads up to each of the delimiters, or what follows them; of a long path the first of them, as far as there is room.
fn path(out: &mut Cut<'_>, delimiter: char, reverse: bool, skip: usize) {
    let text = out.text;
    let marks: Vec<usize> = text.match_indices(delimiter).map(|(at, _)| at).collect();
    let mut room = Room::default();
    let mut push = |start: usize, end: usize| {
        let fits = room.takes(end.saturating_sub(start));
        if fits {
            out.push(start, end, "word");
        }
        fits
    };
    if reverse {
        let starts = std::iter::once(0).chain(marks.iter().map(|at| at + delimiter.len_utf8()));
        let starts: Vec<usize> = starts.collect();
        let kept = starts.len().saturating_sub(skip);
        let end = starts
            .get(kept)
            .map_or(text.len(), |at| at - delimiter.len_utf8());
        starts[..kept].iter().all(|&start| push(start, end));
    } else {
        let start = skip
            .checked_sub(1)
            .and_then(|at| marks.get(at))
            .copied()
            .unwrap_or(0);
        let ends = marks.iter().skip(skip).filter(|&&end| end > start);
        ends.chain([&text.len()]).all(|&end| push(start, end));
    }
    // All of them stand at one place.
    out.tokens.iter_mut().for_each(|token| token.position = 0);
}

/// Tokens in the making, with their offsets in characters.
struct Cut<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// A place in bytes and in characters that was counted.
    counted: (usize, usize),
}

impl<'t> Cut<'t> {
    fn new(text: &'t str) -> Cut<'t> {
        Cut {
            text,
            tokens: Vec::new(),
            counted: (0, 0),
        }
    }

    fn split(&mut self, text: &str, is_between: impl Fn(char) -> bool) {
        let mut from = 0;
        for (at, c) in text.char_indices() {
            if is_between(c) {
                self.push(from, at, "word");
                from = at + c.len_utf8();
            }
        }
        self.push(from, text.len(), "word");
    }

    fn push(&mut self, start: usize, end: usize, kind: &'static str) {
        if start >= end {
            return;
        }
        let (bytes, characters) = self.counted;
        let before = match start >= bytes {
            true => characters + self.text[bytes..start].chars().count(),
            false => self.text[..start].chars().count(),
        };
        self.counted = (start, before);
        let text = &self.text[start..end];
        self.tokens.push(Token {
            text: text.to_owned(),
            start: before,
            end: before + text.chars().count(),
            position: self.tokens.len() as u32,
            length: 1,
            kind,
            is_keyword: false,
        });
    }
}
