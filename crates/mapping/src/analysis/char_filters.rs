//! What is done with text before it is cut, and with terms alike: parts of it are replaced.

use regex::{Captures, Regex};
use std::collections::HashMap;

/// A text that replacing makes longer than this, and than it was, is cut off there: what is put in place of a letter may be as long as
/// a request.
pub(super) const WRITTEN_BYTES_MAX: usize = 32 << 20;

/// What is done with text before it is cut.
#[derive(Debug)]
pub(crate) enum CharFilter {
    /// Tags and entities of HTML are taken out.
    HtmlStrip,
    /// Texts are put in place of others.
    Mapping(Mappings),
    /// What a pattern finds is replaced.
    Replace(Replacement),
}

impl CharFilter {
    pub(crate) fn apply(&self, text: &str) -> String {
        match self {
            CharFilter::HtmlStrip => strip_html(text),
            CharFilter::Mapping(mappings) => mappings.apply(text),
            CharFilter::Replace(replacement) => replacement.apply(text),
        }
    }
}

/// A text that is written in place of another.
struct Written {
    text: String,
    bytes_max: usize,
}

impl Written {
    fn in_place_of(text: &str) -> Written {
        Written {
            text: String::with_capacity(text.len()),
            bytes_max: WRITTEN_BYTES_MAX.max(text.len()),
        }
    }

    /// Adds a part; false where there is no room for it.
    fn push(&mut self, part: &str) -> bool {
        if self.text.len() + part.len() > self.bytes_max {
            tracing::warn!(
                limit_bytes = self.bytes_max,
                "a text became too long by replacing, and was cut off"
            );
            return false;
        }
        self.text.push_str(part);
        true
    }
}

/// Texts that stand for others.
#[derive(Debug, Default)]
pub(crate) struct Mappings {
    /// By the first character of what is replaced, the longest first.
    by_first: HashMap<char, Vec<(String, String)>>,
}

impl Mappings {
    pub(crate) fn new(mut pairs: Vec<(String, String)>) -> Mappings {
        pairs.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        let mut mappings = Mappings::default();
        for (from, to) in pairs {
            if let Some(first) = from.chars().next() {
                mappings.by_first.entry(first).or_default().push((from, to));
            }
        }
        mappings
    }

    fn apply(&self, text: &str) -> String {
        let mut out = Written::in_place_of(text);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let mut pairs = self.by_first.get(&first).into_iter().flatten();
            let (part, bytes) = match pairs.find(|(from, _)| rest.starts_with(from)) {
                Some((from, to)) => (to.as_str(), from.len()),
                None => (&rest[..first.len_utf8()], first.len_utf8()),
            };
            if !out.push(part) {
                break;
            }
            rest = &rest[bytes..];
        }
        out.text
    }
}

/// A pattern, and what is put in place of what it finds.
#[derive(Debug)]
pub(crate) struct Replacement {
    pattern: Regex,
    /// What is put there, in parts of one reference to a group at most: a hundred of them may be of a long text each.
    parts: Vec<String>,
    /// Whether only the first of what is found is replaced.
    is_single: bool,
}

impl Replacement {
    pub(crate) fn new(pattern: Regex, by: &str) -> Replacement {
        let mut parts = Vec::new();
        let mut rest = by;
        while let Some(first) = rest.chars().next() {
            // Two signs are one that is no reference.
            let begun = if rest.starts_with("$$") {
                2
            } else {
                first.len_utf8()
            };
            let end = rest[begun..].find('$').map_or(rest.len(), |at| begun + at);
            parts.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        Replacement {
            pattern,
            parts,
            is_single: false,
        }
    }

    /// The same of what is found first alone.
    pub(crate) fn once(self) -> Replacement {
        Replacement {
            is_single: true,
            ..self
        }
    }

    /// The text with what the pattern finds replaced.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut out = Written::in_place_of(text);
        let mut from = 0;
        let most = if self.is_single { 1 } else { usize::MAX };
        for found in self.pattern.captures_iter(text).take(most) {
            let Some(whole) = found.get(0) else { break };
            if !out.push(&text[from..whole.start()]) || !self.push(&found, &mut out) {
                return out.text;
            }
            from = whole.end();
        }
        out.push(&text[from..]);
        out.text
    }

    fn push(&self, found: &Captures<'_>, out: &mut Written) -> bool {
        self.parts.iter().all(|part| {
            let mut expanded = String::new();
            found.expand(part, &mut expanded);
            out.push(&expanded)
        })
    }
}

/// The elements of a line, which leave nothing behind; blocks leave a line's end.
const INLINE: [&str; 32] = [
    "a", "abbr", "acronym", "b", "basefont", "bdo", "big", "cite", "code", "dfn", "em", "font", "i", "img",
    "input", "kbd", "label", "q", "s", "samp", "select", "small", "span", "strike", "strong", "sub", "sup",
    "textarea", "tt", "u", "var", "wbr",
];
/// Names of characters.
const ENTITIES: [(&str, &str); 6] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
];
/// The names of the characters from U+00A0 on.
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
    micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave \
    Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml \
    Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth \
    ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

fn strip_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Once nothing ends a tag, nothing after it does: it is not looked for again.
    let mut has_ends = true;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(behind) = rest.strip_prefix("<!--") {
            rest = behind.split_once("-->").map_or("", |(_, behind)| behind);
            continue;
        }
        if let Some(behind) = rest.strip_prefix("<![CDATA[") {
            let (inside, behind) = behind.split_once("]]>").unwrap_or((behind, ""));
            out.push_str(inside);
            rest = behind;
            continue;
        }
        let inside = rest[1..].trim_start();
        let is_tag = rest.starts_with('<')
            && inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let end = if is_tag && has_ends { rest.find('>') } else { None };
        has_ends &= !is_tag || end.is_some();
        if let Some(end) = end {
            rest = without_tag(rest, end, &mut out);
        } else if let Some((character, behind)) = entity(rest) {
            out.push(character);
            rest = behind;
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out + rest
}

/// What is after the tag with which a text begins, and which ends there; of scripts and styles, what is after their ends.
fn without_tag<'t>(text: &'t str, end: usize, out: &mut String) -> &'t str {
    let inside = text[1..end].trim_start();
    let behind = &text[end + 1..];
    if inside.starts_with(['!', '?']) {
        return behind;
    }
    let name = inside.trim_start_matches('/');
    let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
    let name = name.unwrap_or_default().to_ascii_lowercase();
    if !INLINE.contains(&name.as_str()) {
        out.push('\n');
    }
    if inside.starts_with('/') || inside.ends_with('/') || !matches!(name.as_str(), "script" | "style") {
        return behind;
    }
    let is_end = |at: &usize| {
        let closing = behind.as_bytes().get(at + 2..at + 2 + name.len());
        closing.is_some_and(|closing| closing.eq_ignore_ascii_case(name.as_bytes()))
    };
    let closing = behind.match_indices("</").map(|(at, _)| at).find(is_end);
    let closing = closing.and_then(|at| behind[at..].split_once('>'));
    closing.map_or("", |(_, behind)| behind)
}

/// The character that a text begins with by its name or its number, and what is after that.
fn entity(text: &str) -> Option<(char, &str)> {
    /// The longest name, and the longest number.
    const NAME_BYTES_MAX: usize = 10;
    let inside = text.strip_prefix('&')?;
    let end = inside
        .bytes()
        .take(NAME_BYTES_MAX)
        .position(|byte| byte == b';')?;
    let (name, behind) = (&inside[..end], &inside[end + 1..]);
    let character = if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        char::from_u32(number)?
    } else {
        let known = ENTITIES.iter().find(|(known, _)| *known == name);
        match known.and_then(|(_, text)| text.chars().next()) {
            Some(character) => character,
            None => {
                let at = LATIN.split(' ').position(|known| known == name)?;
                char::from_u32(0xA0 + u32::try_from(at).ok()?)?
            }
        }
    };
    Some((character, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn mapping(pairs: &[(&str, &str)]) -> CharFilter {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
        CharFilter::Mapping(Mappings::new(pairs.collect()))
    }

    fn replace(pattern: &str, by: &str) -> CharFilter {
        CharFilter::Replace(Replacement::new(Regex::new(pattern).expect("a pattern"), by))
    }

    #[test]
    fn texts_are_replaced() {
        for (filter, text, wanted) in [
            (
                mapping(&[("a", "1"), ("ab", "2"), ("é", "e"), ("", "x")]),
                "abaéc",
                "21ec",
            ),
            (mapping(&[]), "abc", "abc"),
            (replace("(b)(c)?", "<$1$$$0${2}>"), "abcab", "a<b$bcc>a<b$b>"),
            (replace("x*", "-"), "ab", "-a-b-"),
            (replace("é", "é$0"), "aé", "aéé"),
            (CharFilter::HtmlStrip, "<p>a<b>b</b>&amp;<c d", "\nab&<c d"),
            (CharFilter::HtmlStrip, "1 < 2 <br/>&x <a", "1 < 2 \n&x <a"),
            (
                CharFilter::HtmlStrip,
                "a<!-- c > d -->y<!DOCTYPE html>b<?xml x ?>",
                "ayb",
            ),
            (CharFilter::HtmlStrip, "q<SCRIPT>z<b></script>w<style/>", "q\nw\n"),
            (CharFilter::HtmlStrip, "q<script>z", "q\n"),
            (
                CharFilter::HtmlStrip,
                "&#65;&#x42;&eacute;&copy;&nbsp;&amp|&foo;&#99999999;",
                "ABé© &amp|&foo;&#99999999;",
            ),
            (CharFilter::HtmlStrip, "x<![CDATA[ y ]]>z<img/><q>", "x y z"),
        ] {
            assert_eq!(filter.apply(text), wanted, "{filter:?}");
        }
    }

    #[test]
    fn texts_that_filters_make_too_long_are_cut_off() {
        let text = "a".repeat(1 << 20);
        let long = "b".repeat(1 << 20);
        for filter in [
            mapping(&[("a", &long)]),
            replace("a", &long),
            replace("a+", &"$0".repeat(1 << 10)),
            replace("(a+)", &"${1}".repeat(1 << 10)),
        ] {
            let made = filter.apply(&text).len();
            assert_eq!(made, WRITTEN_BYTES_MAX);
        }
        // What is long already is left whole.
        let longer = "a".repeat(WRITTEN_BYTES_MAX + 1);
        assert_eq!(replace("b", &long).apply(&longer).len(), longer.len());
        assert_eq!(mapping(&[("b", &long)]).apply(&longer).len(), longer.len());
    }

    #[test]
    fn tags_without_an_end_are_passed_once() {
        let text = "<a".repeat(4 << 20);
        let begun = Instant::now();
        assert_eq!(CharFilter::HtmlStrip.apply(&text), text);
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
