//! `word_delimiter` and `word_delimiter_graph`: words are cut where letters, digits and other characters meet.

use super::Token;
use super::terms::Room;
use crate::error::{Result, SearchError};
use std::collections::{HashMap, HashSet};

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const ALPHA: u8 = LOWER | UPPER;
const DIGIT: u8 = 4;
const DELIMITER: u8 = 8;

/// How words are cut, and which parts are kept.
#[derive(Debug)]
pub(crate) struct WordParts {
    pub(super) words: bool,
    pub(super) numbers: bool,
    pub(super) catenate_words: bool,
    pub(super) catenate_numbers: bool,
    pub(super) catenate_all: bool,
    pub(super) keeps_original: bool,
    pub(super) splits_case: bool,
    pub(super) splits_numerics: bool,
    pub(super) stems_possessive: bool,
    pub(super) adjusts_offsets: bool,
    /// Words that are left as they are.
    pub(super) protected: HashSet<String>,
    /// Characters that are taken for others than they are.
    pub(super) types: Types,
    /// Whether terms say how many places they take.
    pub(super) is_graph: bool,
}

/// What characters are taken for.
#[derive(Debug, Default)]
pub(crate) struct Types(HashMap<char, u8>);

impl Types {
    /// Reads rules such as `+ => ALPHA`.
    pub(super) fn parse(rules: &[String]) -> Result<Types> {
        let mut types = HashMap::new();
        for rule in rules {
            let wrong = |why: &str| SearchError::illegal(format!("Invalid Mapping Rule : [{rule}]{why}"));
            let (character, name) = rule.rsplit_once("=>").ok_or_else(|| wrong(""))?;
            let class = match name.trim() {
                "LOWER" => LOWER,
                "UPPER" => UPPER,
                "ALPHA" => ALPHA,
                "DIGIT" => DIGIT,
                "ALPHANUM" => ALPHA | DIGIT,
                "SUBWORD_DELIM" => DELIMITER,
                _ => return Err(wrong(". Illegal type.")),
            };
            let character = single(character.trim());
            let character = character.ok_or_else(|| wrong(". Only a single character is allowed."))?;
            types.insert(character, class);
        }
        Ok(Types(types))
    }

    fn class_of(&self, c: char) -> u8 {
        match self.0.get(&c) {
            Some(class) => *class,
            None => class_of(c),
        }
    }
}

/// The one character that a text is, which may be written with a backslash.
fn single(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let c = match (first, chars.as_str()) {
        ('\\', escaped) => {
            let kind = chars.next()?;
            match kind {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => {
                    chars = escaped.get(5..)?.chars();
                    char::from_u32(u32::from_str_radix(escaped.get(1..5)?, 16).ok()?)?
                }
                other => other,
            }
        }
        (first, _) => first,
    };
    chars.next().is_none().then_some(c)
}

/// A part of a word, in characters.
type Part = (usize, usize, u8);

/// Parts that are joined.
#[derive(Default)]
struct Joined {
    text: String,
    from: usize,
    to: usize,
    place: u32,
    count: usize,
    class: u8,
}

/// A term that a word becomes: its places and its characters.
struct Made {
    text: String,
    first: u32,
    end: u32,
    from: usize,
    to: usize,
    is_joined: bool,
}

impl WordParts {
    pub(super) fn apply(&self, tokens: Vec<Token>) -> Vec<Token> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut room = Room::default();
        // The places that words have taken beyond their own.
        let mut more = 0;
        for mut token in tokens {
            token.position += more;
            let chars: Vec<char> = token.text.chars().collect();
            let parts = self.parts(&chars);
            let is_whole = matches!(parts[..], [(0, end, _)] if end == chars.len());
            if is_whole || self.protected.contains(&token.text) || (parts.is_empty() && self.keeps_original) {
                out.push(token);
                continue;
            }
            let Some((made, places)) = self.made(&chars, &parts, &mut room) else {
                break;
            };
            more += places.saturating_sub(1);
            let is_exact = self.adjusts_offsets && token.end - token.start == chars.len();
            out.extend(made.into_iter().map(|made| {
                let (start, end) = match is_exact {
                    true => (token.start + made.from, token.start + made.to),
                    false => (token.start, token.end),
                };
                let (place, length) = match (self.is_graph, made.is_joined) {
                    (true, _) => (made.first, made.end - made.first),
                    (false, true) => (made.end - 1, 1),
                    (false, false) => (made.first, 1),
                };
                Token {
                    text: made.text,
                    start,
                    end,
                    position: token.position + place,
                    length,
                    kind: token.kind,
                    is_keyword: token.is_keyword,
                }
            }));
        }
        out
    }

    /// What a word becomes, in the order of places, and how many places that takes; `None` where there is no room for it. Room is taken
    /// for the parts: the word itself and what is joined of them are a few times as long at most.
    fn made(&self, chars: &[char], parts: &[Part], room: &mut Room) -> Option<(Vec<Made>, u32)> {
        let mut made = Vec::new();
        let mut place = 0;
        let mut last_count = 0;
        let (mut joined, mut all) = (Joined::default(), Joined::default());
        for &(from, to, class) in parts {
            if joined.count > 0 && joined.class & class == 0 {
                last_count = self.flush(&mut joined, &mut place, &mut made);
            }
            let text: String = chars[from..to].iter().collect();
            if !room.takes(text.len()) {
                return None;
            }
            let joins = match class {
                DIGIT => self.catenate_numbers,
                _ => self.catenate_words,
            };
            if joins {
                joined.add(&text, (from, to, class), place);
            }
            if self.catenate_all {
                all.add(&text, (from, to, class), place);
            }
            if self.is_kept(class) {
                made.push(Made {
                    text,
                    first: place,
                    end: place + 1,
                    from,
                    to,
                    is_joined: false,
                });
                place += 1;
            }
        }
        if joined.count > 0 {
            last_count = self.flush(&mut joined, &mut place, &mut made);
        }
        if all.count > last_count {
            place = place.max(all.place + 1);
            made.push(all.made(place));
        }
        if self.keeps_original {
            place = place.max(1);
            let whole = Made {
                text: chars.iter().collect(),
                first: 0,
                end: place,
                from: 0,
                to: chars.len(),
                is_joined: false,
            };
            made.insert(0, whole);
        }
        match self.is_graph {
            true => made.sort_by_key(|made| (made.first, std::cmp::Reverse(made.end))),
            false => made.sort_by_key(|made| if made.is_joined { made.end - 1 } else { made.first }),
        }
        Some((made, place))
    }

    /// Ends a run of parts that are joined; how many they were. One alone is there already.
    fn flush(&self, joined: &mut Joined, place: &mut u32, made: &mut Vec<Made>) -> usize {
        let joined = std::mem::take(joined);
        *place = (*place).max(joined.place + 1);
        let count = joined.count;
        if count != 1 || !self.is_kept(joined.class) {
            made.push(joined.made(*place));
        }
        count
    }

    fn is_kept(&self, class: u8) -> bool {
        match class {
            DIGIT => self.numbers,
            _ => self.words,
        }
    }

    fn parts(&self, chars: &[char]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            let mut last = self.types.class_of(chars[at]);
            if last == DELIMITER {
                at += 1;
                continue;
            }
            let from = at;
            at += 1;
            while at < chars.len() {
                let class = self.types.class_of(chars[at]);
                if self.breaks(last, class) {
                    break;
                }
                last = class;
                at += 1;
            }
            let class = match self.types.class_of(chars[from]) {
                DIGIT => DIGIT,
                _ => ALPHA,
            };
            parts.push((from, at, class));
            if self.is_possessive(chars, at) {
                at += 2;
            }
        }
        parts
    }

    fn breaks(&self, last: u8, class: u8) -> bool {
        let is_letter = |class: u8| class & ALPHA != 0;
        let both_letters = is_letter(last) && is_letter(class);
        let both_numeric = (is_letter(last) && class == DIGIT) || (last == DIGIT && is_letter(class));
        if class & last != 0 {
            false
        } else if both_letters {
            // A capital letter begins a word, and goes with the small ones after it.
            self.splits_case && last & UPPER == 0
        } else {
            !both_numeric || self.splits_numerics
        }
    }

    /// Whether `'s` stands here, at the end of a word.
    fn is_possessive(&self, chars: &[char], at: usize) -> bool {
        let is_end = chars
            .get(at + 2)
            .is_none_or(|after| self.types.class_of(*after) == DELIMITER);
        self.stems_possessive
            && is_end
            && matches!(chars.get(at..at + 2), Some(['\'', 's' | 'S']))
            && self.types.class_of(chars[at - 1]) & ALPHA != 0
    }
}

impl Joined {
    fn add(&mut self, text: &str, (from, to, class): Part, place: u32) {
        if self.count == 0 {
            (self.from, self.place, self.class) = (from, place, class);
        }
        self.text.push_str(text);
        self.to = to;
        self.count += 1;
    }

    fn made(self, end: u32) -> Made {
        Made {
            text: self.text,
            first: self.place,
            end,
            from: self.from,
            to: self.to,
            is_joined: true,
        }
    }
}

fn class_of(c: char) -> u8 {
    match c {
        c if c.is_lowercase() => LOWER,
        c if c.is_uppercase() => UPPER,
        c if c.is_alphabetic() => ALPHA,
        c if c.is_numeric() => DIGIT,
        _ => DELIMITER,
    }
}
