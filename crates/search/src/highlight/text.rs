//! A text by its characters, in which offsets of terms are counted, and where it may be cut.

use unicode_segmentation::UnicodeSegmentation;

/// A text, and where its characters begin.
#[derive(Debug)]
pub(super) struct Text<'t> {
    text: &'t str,
    bytes: Vec<usize>,
}

impl<'t> Text<'t> {
    pub(super) fn new(text: &'t str) -> Text<'t> {
        let bytes = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        Text {
            text,
            bytes: bytes.collect(),
        }
    }

    /// How many characters it has.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - 1
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(self.text.len());
        self.text.get(byte(start)..byte(end)).unwrap_or_default()
    }

    pub(super) fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(*self.bytes.get(at)?..)?.chars().next()
    }

    /// Where sentences begin, and where the last one ends.
    pub(super) fn sentences(&self) -> Bounds {
        let begun = self.text.split_sentence_bound_indices();
        self.bounds(begun.map(|(at, _)| at))
    }

    /// Where words begin, and what is between words; and the end.
    pub(super) fn words(&self) -> Bounds {
        let begun = self.text.split_word_bound_indices();
        self.bounds(begun.map(|(at, _)| at))
    }

    fn bounds(&self, begun: impl Iterator<Item = usize>) -> Bounds {
        let mut places = Vec::new();
        let mut chars = 0;
        for byte in begun.chain([self.text.len()]) {
            while self.bytes.get(chars).is_some_and(|at| *at < byte) {
                chars += 1;
            }
            places.push(chars);
        }
        places.dedup();
        Bounds(places)
    }
}

/// Places at which a text may be cut, in order; the first is its beginning and the last its end.
#[derive(Debug)]
pub(super) struct Bounds(Vec<usize>);

impl Bounds {
    /// The last one before a place; the beginning where there is none.
    pub(super) fn before(&self, at: usize) -> usize {
        let found = self.0.partition_point(|bound| *bound < at);
        found.checked_sub(1).map_or(0, |found| self.0[found])
    }

    /// The first one after a place.
    pub(super) fn behind(&self, at: usize) -> Option<usize> {
        let found = self.0.partition_point(|bound| *bound <= at);
        self.0.get(found).copied()
    }
}
