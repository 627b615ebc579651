//! Which characters PCRE2 takes the bytes of a text for.
//!
//! Where they are UTF-8, PCRE2 checks before each search that all that is left of the text is, and cannot be told that this is known
//! (the binding has it so). There are two ways around that, each for a part of texts and patterns.

use super::classes::written_out;
use std::borrow::Cow;

/// How a pattern is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As UTF-8 that is checked: for all patterns and texts.
    Checked,
    /// Each byte is a character: for ASCII.
    Ascii,
    /// As UTF-8 that may be wrong, which PCRE2's machine code can do without a check. The binding has this only together with
    /// Unicode's classes, so the pattern's own are written out.
    Unchecked,
}

/// What in a pattern means something else once classes are Unicode's; verbs may ask for that too.
const CLASSES: [&str; 10] = ["\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B", "[:", "(*"];

impl Encoding {
    /// The encoding in which searches for this pattern in this text find what they find by UTF-8, without a check of the text.
    pub(super) fn without_checks(pattern: &str, text: &str) -> Encoding {
        match pattern.is_ascii() && text.is_ascii() {
            true => Encoding::Ascii,
            false => Encoding::Unchecked,
        }
    }

    /// How a pattern is written for searches that find the same in this encoding; `None` if that is not known.
    pub(super) fn written<'p>(self, pattern: &'p str, options: &str) -> Option<Cow<'p, str>> {
        let has_classes = || CLASSES.iter().any(|class| pattern.contains(class));
        match self {
            Encoding::Unchecked if has_classes() => written_out(pattern, options).map(Cow::Owned),
            Encoding::Unchecked | Encoding::Ascii | Encoding::Checked => Some(Cow::Borrowed(pattern)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_texts_decide_on_the_encoding() {
        for (pattern, text, expected) in [
            (r"\w*", "abc", (Encoding::Ascii, Some(r"\w*"))),
            ("a*", "äbc", (Encoding::Unchecked, Some("a*"))),
            ("ä*", "abc", (Encoding::Unchecked, Some("ä*"))),
            (r"\d*", "äbc", (Encoding::Unchecked, Some("(?-i:[0-9])*"))),
            ("[[:alpha:]]", "äbc", (Encoding::Unchecked, Some("[A-Za-z]"))),
            ("[[:^alpha:]]*", "äbc", (Encoding::Unchecked, None)),
        ] {
            let encoding = Encoding::without_checks(pattern, text);
            let written = encoding.written(pattern, "");
            assert_eq!((encoding, written.as_deref()), expected, "{pattern} {text}");
        }
    }
}
