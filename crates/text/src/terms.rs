//! A text cut into terms.

use crate::delimiters::is_delimiter;
use crate::fold::{lower, without_marks};
use crate::languages::Language;

/// What of a word a term keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sensitivity {
    /// Upper and lower case are different.
    pub(crate) case: bool,
    /// Marks make a difference.
    pub(crate) marks: bool,
}

impl Sensitivity {
    /// Whether terms keep nothing, as those of an index.
    pub(crate) fn is_none(self) -> bool {
        !self.case && !self.marks
    }
}

/// How a text is cut into terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Analysis {
    pub(crate) language: Language,
    pub(crate) sensitivity: Sensitivity,
    /// Whether words that say nothing are terms too.
    pub(crate) keeps_stop_words: bool,
}

impl Analysis {
    /// That of what indexes hold.
    pub(crate) fn of_index(language: Language) -> Analysis {
        Analysis {
            language,
            sensitivity: Sensitivity::default(),
            keeps_stop_words: false,
        }
    }

    /// Hands over each term of a text, until it is told to stop.
    pub(crate) fn visit(self, text: &str, take: &mut dyn FnMut(&str) -> bool) {
        let language = self.language;
        let words = text.split(|c| is_delimiter(c, language.keeps_apostrophes()));
        for word in words.filter(|word| !word.is_empty()) {
            // The lists of stop words are in lower case, with marks.
            let lowered = lower(word, language.has_dotless_i());
            if !self.keeps_stop_words && language.is_stop_word(&lowered) {
                continue;
            }
            let cased = if self.sensitivity.case { word } else { &lowered };
            // The stemmers know words by their marks.
            let stem = language.stem(cased);
            let go_on = match self.sensitivity.marks {
                true => take(&stem),
                false => take(&without_marks(&stem)),
            };
            if !go_on {
                return;
            }
        }
    }
}
