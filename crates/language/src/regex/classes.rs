//! Patterns whose classes are written out: `[0-9A-Za-z_]` for `\w`.
//!
//! By UTF-8 alone PCRE2 takes `\w`, `\d`, `\s`, `\b` and `[:alpha:]` for what they are in ASCII, as MongoDB does. Where it also has
//! Unicode's properties they mean more. A pattern that is written out means the same in both.

use std::iter::Peekable;
use std::str::Chars;

/// What follows a word at its end, or is before it at its beginning.
const BOUNDARY: &str = "(?-i:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))";
const NO_BOUNDARY: &str = "(?-i:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))";

/// Where something else than a class may look like one, or a class like something else: verbs, sets of sets, quoted text, comments.
const UNTOLD: [&str; 6] = ["(*", "[.", "[=", "(?[", "\\Q", "(?#"];

/// The named classes, as they are written within `[…]`, and whether they are the same without regard to case: there `k` and `s` are
/// also the Kelvin sign and the long s, which are in none of them.
const NAMED: [(&str, &str, bool); 14] = [
    ("alnum", "0-9A-Za-z", false),
    ("alpha", "A-Za-z", false),
    ("ascii", "\\x{0}-\\x{7f}", false),
    ("blank", "\\x{9}\\x{20}", true),
    ("cntrl", "\\x{0}-\\x{1f}\\x{7f}", true),
    ("digit", "0-9", true),
    ("graph", "\\x{21}-\\x{7e}", false),
    ("lower", "a-z", false),
    ("print", "\\x{20}-\\x{7e}", false),
    (
        "punct",
        "\\x{21}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{60}\\x{7b}-\\x{7e}",
        true,
    ),
    ("space", "\\x{9}-\\x{d}\\x{20}", true),
    ("upper", "A-Z", false),
    ("word", "0-9A-Za-z_", false),
    ("xdigit", "0-9A-Fa-f", true),
];

/// The pattern with its classes written out; `None` where this cannot tell them from other parts.
pub(super) fn written_out(pattern: &str, options: &str) -> Option<String> {
    let inline = inline_options(pattern);
    // Comments, and options that say what classes are.
    let is_told = !options.contains('x') && !inline.contains(['x', 'a', '^']);
    if !is_told || UNTOLD.iter().any(|part| pattern.contains(part)) {
        return None;
    }
    let writing = Writing {
        rest: pattern.chars().peekable(),
        written: String::with_capacity(2 * pattern.len()),
        is_caseless: options.contains('i') || inline.contains('i'),
    };
    writing.pattern()
}

/// The letters of all options that are set or unset within the pattern, and perhaps others.
fn inline_options(pattern: &str) -> String {
    let groups = pattern.split("(?").skip(1);
    let options = groups.flat_map(|group| {
        let mut letters = group.chars();
        std::iter::from_fn(move || {
            letters
                .next()
                .filter(|c| c.is_ascii_alphabetic() || "^-".contains(*c))
        })
    });
    options.collect()
}

/// The characters of a class, as they are written within `[…]`.
fn set_of(escaped: char) -> Option<&'static str> {
    Some(match escaped {
        'd' => "0-9",
        'D' => "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}",
        's' => "\\x{9}-\\x{d}\\x{20}",
        'S' => "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}",
        'w' => "0-9A-Za-z_",
        'W' => "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}",
        _ => return None,
    })
}

struct Writing<'p> {
    rest: Peekable<Chars<'p>>,
    written: String,
    is_caseless: bool,
}

impl Writing<'_> {
    fn pattern(mut self) -> Option<String> {
        while let Some(next) = self.rest.next() {
            match next {
                '\\' => self.escape()?,
                '[' => self.set()?,
                other => self.written.push(other),
            }
        }
        Some(self.written)
    }

    /// What a backslash outside of `[…]` begins.
    fn escape(&mut self) -> Option<()> {
        match self.rest.next()? {
            'b' => self.written.push_str(BOUNDARY),
            'B' => self.written.push_str(NO_BOUNDARY),
            escaped => match set_of(escaped) {
                // Without regard to case `s` is also the long one, which is in none of the classes.
                Some(set) => self.written.extend(["(?-i:[", set, "])"]),
                None => self.other_escape(escaped)?,
            },
        }
        Some(())
    }

    fn other_escape(&mut self, escaped: char) -> Option<()> {
        self.written.extend(['\\', escaped]);
        // The control character of what follows, whatever that is.
        if escaped == 'c' {
            self.written.push(self.rest.next()?);
        }
        Some(())
    }

    /// `[…]`, in which a hyphen beside a class is the last character: PCRE2 refuses others.
    fn set(&mut self) -> Option<()> {
        self.written.push('[');
        self.written.extend(self.rest.next_if_eq(&'^'));
        // As the first character it does not end the set.
        self.written.extend(self.rest.next_if_eq(&']'));
        loop {
            match self.rest.next()? {
                ']' => break,
                '\\' => self.escape_in_set()?,
                '[' => self.named_in_set()?,
                other => self.written.push(other),
            }
        }
        self.written.push(']');
        Some(())
    }

    /// What a bracket within `[…]` begins: a name between colons, or nothing.
    fn named_in_set(&mut self) -> Option<()> {
        if self.rest.next_if_eq(&':').is_none() {
            self.written.push('[');
            return Some(());
        }
        let name: String = self.rest.by_ref().take_while(|c| *c != ':').collect();
        let (_, set, has_no_case) = NAMED.iter().find(|(known, ..)| *known == name)?;
        if self.rest.next()? != ']' || (self.is_caseless && !has_no_case) {
            return None;
        }
        self.written.push_str(set);
        Some(())
    }

    fn escape_in_set(&mut self) -> Option<()> {
        let escaped = self.rest.next()?;
        match set_of(escaped) {
            None => self.other_escape(escaped)?,
            Some(_) if self.is_caseless && matches!(escaped, 'w' | 'W') => return None,
            Some(set) => self.written.push_str(set),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcre2::bytes::RegexBuilder;

    /// The first match from each character on.
    fn found(pattern: &str, options: &str, has_properties: bool, text: &str) -> Vec<Option<(usize, usize)>> {
        let regex = RegexBuilder::new()
            .utf(true)
            .ucp(has_properties)
            .caseless(options.contains('i'))
            .build(pattern)
            .unwrap_or_else(|error| panic!("{pattern}: {error}"));
        let from = |at: usize| {
            let found = regex.find_at(text.as_bytes(), at).unwrap();
            found.map(|found| (found.start(), found.end()))
        };
        text.char_indices().map(|(at, _)| from(at)).collect()
    }

    #[test]
    fn a_pattern_that_is_written_out_finds_what_it_did() {
        let text = "aZ_9 é\u{212a}k\u{17f}sS\u{a0}\t\u{b}\u{85}x-]٣\\w^\u{1c} é";
        let patterns = concat!(
            r"\w+ \W \d \D+ \s \S+ \b \B \bé k\b \Bs [\w-]+ [-\w]+ [^\w] [^\D8] [\s\d]+ [\S]+ [\W\d]+ []\d]+ [^]\d]+ ",
            r"\\w [\\w]+ \c\w? \p{L}\w (\w)(?<=\w)(?!\d) (?:\b|x)\W* (?<=\bk)\B. [\b\d] [[:alnum:]] [^[:alpha:]] [[:ascii:]] ",
            r"[[:blank:]] [[:cntrl:]é] [[:digit:]_] [[:graph:]] [[:lower:]] [[:print:]] [[:punct:]] [[:space:]] [[:upper:]] ",
            r"[[:word:]] [[:xdigit:]\s] [[\d]"
        );
        let both = |pattern| [(pattern, ""), (pattern, "i")];
        for (pattern, options) in patterns.split(' ').flat_map(both) {
            let Some(written) = written_out(pattern, options) else {
                let is_set_of_words = options == "i" && pattern.contains('[');
                assert!(is_set_of_words, "/{pattern}/{options}");
                continue;
            };
            assert_eq!(
                found(&written, options, true, text),
                found(pattern, options, false, text),
                "/{pattern}/{options} is {written}"
            );
        }
    }

    #[test]
    fn what_cannot_be_told_is_not_written_out() {
        for (pattern, options) in [
            (r"[\w]", "i"),
            (r"(?i)[\w]", ""),
            (r"\w", "x"),
            (r"(?sx)\w", ""),
            (r"(?^)\w", ""),
            (r"(?aW)\w", ""),
            (r"\Q[\E\w", ""),
            (r"(?#[)\w", ""),
            (r"(?[\w - \d])", ""),
            (r"(*UCP)\w", ""),
            (r"[[:^alpha:]]", ""),
            (r"[[:alpha:]]", "i"),
            (r"[[:<:]]a", ""),
            (r"[[:alpha:", ""),
            ("\\", ""),
            ("[", ""),
        ] {
            assert_eq!(written_out(pattern, options), None, "/{pattern}/{options}");
        }
        assert_eq!(written_out("a[^b-]c|(?:d)", ""), Some("a[^b-]c|(?:d)".to_owned()));
    }
}
