//! Which characters PCRE2 takes the bytes of a text for.
//!
//! Where they are UTF-8, PCRE2 checks before each search that all that is left of the text is, and cannot be told that this is known
//! (the binding has it so). There are two ways around that, each for a part of texts and patterns.

/// How a pattern is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As UTF-8 that is checked: for all patterns and texts.
    Checked,
    /// Each byte is a character: for ASCII.
    Ascii,
    /// As UTF-8 that may be wrong, which PCRE2's machine code can do without a check. The binding has this only together with
    /// Unicode's classes, so it is for patterns without classes.
    Unchecked,
}

/// What in a pattern means something else once classes are Unicode's; verbs may ask for that too.
const CLASSES: [&str; 10] = ["\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B", "[:", "(*"];

impl Encoding {
    /// The encoding in which searches for this pattern in this text find what they find by UTF-8, without a check of the text.
    pub(super) fn without_checks(pattern: &str, text: &str) -> Encoding {
        if pattern.is_ascii() && text.is_ascii() {
            Encoding::Ascii
        } else if CLASSES.iter().any(|class| pattern.contains(class)) {
            Encoding::Checked
        } else {
            Encoding::Unchecked
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_texts_decide_on_the_encoding() {
        for (pattern, text, expected) in [
            (r"\w*", "abc", Encoding::Ascii),
            ("a*", "äbc", Encoding::Unchecked),
            ("ä*", "abc", Encoding::Unchecked),
            (r"\w*", "äbc", Encoding::Checked),
            ("[[:alpha:]]*", "äbc", Encoding::Checked),
        ] {
            assert_eq!(
                Encoding::without_checks(pattern, text),
                expected,
                "{pattern} {text}"
            );
        }
    }
}
