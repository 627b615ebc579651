//! Phrases: terms in their places.

use language::interruption::steps;

/// A term of a phrase, and where it stands in a text.
#[derive(Debug)]
pub(super) struct PhraseTerm {
    /// Its place in the phrase.
    pub(super) offset: i64,
    /// Its places in the text in their order, with its place in the phrase taken off: in the phrase itself all terms have one.
    pub(super) places: Vec<i64>,
    /// Terms of one group may be the same word of the text, and each must be another.
    pub(super) group: Option<usize>,
}

/// How often the phrase is there. With `slop`, closer ones count more (Lucene's `SloppyPhraseMatcher`).
pub(super) fn frequency(terms: &[PhraseTerm], slop: u32) -> f32 {
    let Some((first, rest)) = terms.split_first() else {
        return 0.0;
    };
    if terms.iter().any(|term| term.places.is_empty()) {
        return 0.0;
    }
    if slop == 0 {
        let is_whole = |start: &&i64| rest.iter().all(|term| term.places.binary_search(start).is_ok());
        return first.places.iter().filter(is_whole).count() as f32;
    }
    let Some(mut walk) = Walk::begin(terms) else {
        return 0.0;
    };
    let mut total = 0.0;
    while let Some(width) = walk.next_match(i64::from(slop)) {
        total += 1.0 / (1.0 + width as f32);
    }
    total
}

/// A way through the text on which all terms go on, always the one that is furthest behind.
struct Walk<'t> {
    terms: &'t [PhraseTerm],
    /// Of the places of each term, the one where it is.
    at: Vec<usize>,
    /// The place of the term that is furthest ahead.
    end: i64,
    is_over: bool,
}

impl<'t> Walk<'t> {
    /// All terms at their first places; `None` where those of a group have too few.
    fn begin(terms: &'t [PhraseTerm]) -> Option<Walk<'t>> {
        let mut walk = Walk {
            terms,
            at: vec![0; terms.len()],
            end: i64::MIN,
            is_over: false,
        };
        for term in 0..terms.len() {
            if !walk.separate(term, term) {
                return None;
            }
        }
        walk.end = (0..terms.len()).map(|term| walk.place(term)).max()?;
        Some(walk)
    }

    /// How far from each other the terms are where they are next no further than `slop`.
    fn next_match(&mut self, slop: i64) -> Option<i64> {
        if self.is_over {
            return None;
        }
        let (mut last, mut next) = self.last_two()?;
        let mut width = self.end - self.place(last);
        loop {
            let goes_on = self.advance(last) && self.separate(last, self.terms.len());
            if !goes_on {
                self.is_over = true;
                return (width <= slop).then_some(width);
            }
            if self.place(last) <= next {
                width = width.min(self.end - self.place(last));
                continue;
            }
            // It is behind no more: nearer than this the terms do not come before another one goes on.
            if width <= slop {
                return Some(width);
            }
            (last, next) = self.last_two()?;
            width = self.end - self.place(last);
        }
    }

    fn place(&self, term: usize) -> i64 {
        self.terms[term].places[self.at[term]]
    }

    /// The term that is furthest behind, and the place of the one before it.
    fn last_two(&self) -> Option<(usize, i64)> {
        let order = |&term: &usize| (self.place(term), self.terms[term].offset);
        let last = (0..self.terms.len()).min_by_key(order)?;
        let others = (0..self.terms.len()).filter(|term| *term != last);
        Some((
            last,
            others.map(|term| self.place(term)).min().unwrap_or(i64::MAX),
        ))
    }

    /// Moves a term to its next place; false if it has none, or if the search must end, which whoever asked for it finds too.
    fn advance(&mut self, term: usize) -> bool {
        const TERMS_A_STEP: usize = 8;
        if self.at[term] + 1 == self.terms[term].places.len()
            || steps(1 + self.terms.len() / TERMS_A_STEP).is_err()
        {
            return false;
        }
        self.at[term] += 1;
        self.end = self.end.max(self.place(term));
        true
    }

    /// Moves terms on until the one that was moved, and whichever went on for it, share their word with none of the first `among`
    /// ones; false if one has no further place.
    fn separate(&mut self, moved: usize, among: usize) -> bool {
        let Some(group) = self.terms[moved].group else {
            return true;
        };
        let mut moved = moved;
        while let Some(other) = self.sharing(moved, group, among) {
            let order = |term: usize| (self.place(term), self.terms[term].offset);
            if order(other) < order(moved) {
                moved = other;
            }
            if !self.advance(moved) {
                return false;
            }
        }
        true
    }

    /// Another term of a group that is the same word of the text.
    fn sharing(&self, term: usize, group: usize, among: usize) -> Option<usize> {
        let word = |term: usize| self.place(term) + self.terms[term].offset;
        (0..among).find(|&other| {
            other != term && self.terms[other].group == Some(group) && word(other) == word(term)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frequency of a phrase of single letters in a text of such.
    fn of(text: &str, phrase: &str, slop: u32) -> f32 {
        let letters: Vec<char> = phrase.chars().filter(|letter| *letter != ' ').collect();
        let text: Vec<char> = text.chars().filter(|letter| *letter != ' ').collect();
        let term = |(offset, letter): (usize, &char)| PhraseTerm {
            offset: offset as i64,
            places: (0..text.len())
                .filter(|at| text[*at] == *letter)
                .map(|at| at as i64 - offset as i64)
                .collect(),
            group: (letters.iter().filter(|other| *other == letter).count() > 1).then_some(*letter as usize),
        };
        let terms: Vec<PhraseTerm> = letters.iter().enumerate().map(term).collect();
        frequency(&terms, slop)
    }

    #[test]
    fn the_width_is_that_of_all_terms_together() {
        assert_eq!(of("y x d a c b", "a b c", 1), 0.0);
        assert_eq!(of("y x d a c b", "a b c", 2), 1.0 / 3.0);
        assert_eq!(of("a x b", "a b", 1), 0.5);
        assert_eq!(of("b a", "a b", 1), 0.0);
        assert_eq!(of("b a", "a b", 2), 1.0 / 3.0);
        assert_eq!(of("a b a b", "a b", 0), 2.0);
    }

    #[test]
    fn a_word_is_one_term_of_the_phrase_only() {
        assert_eq!(of("a x y z", "a a", 1), 0.0);
        assert_eq!(of("a a", "a a", 1), 1.0);
        assert_eq!(of("a x a", "a a", 1), 0.5);
        assert_eq!(of("a b x", "a b a", 2), 0.0);
        assert!(of("a b a", "a b a", 2) > 0.0);
    }

    #[test]
    fn long_repetitions_take_a_time_that_ends() {
        let text = "a".repeat(5_000);
        assert!(of(&text, &"a".repeat(100), 50) > 0.0);
    }
}
