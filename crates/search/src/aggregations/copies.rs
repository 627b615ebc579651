//! Texts that are copied from one document to the next, as quoted mails and boilerplate are: `filter_duplicate_text`.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// How many terms that follow each other make a copy, where they were seen before.
const RUN: usize = 6;

/// The runs of terms that were seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs(HashSet<u64>);

impl Runs {
    /// The terms of a text that are in no run that was seen before; its own have been seen from now on.
    pub(super) fn fresh(&mut self, terms: Vec<String>) -> Vec<String> {
        let mut is_copied = vec![false; terms.len()];
        for (at, run) in terms.windows(RUN).enumerate() {
            let mut hasher = DefaultHasher::new();
            run.hash(&mut hasher);
            if !self.0.insert(hasher.finish()) {
                is_copied
                    .iter_mut()
                    .skip(at)
                    .take(RUN)
                    .for_each(|copied| *copied = true);
            }
        }
        let told = terms.into_iter().zip(is_copied);
        told.filter(|(_, is_copied)| !is_copied)
            .map(|(term, _)| term)
            .collect()
    }

    /// About the bytes that they take in memory.
    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * 2 * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_that_were_seen_before_are_copies() {
        let terms = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut runs = Runs::default();
        let first = "a b c d e f g";
        assert_eq!(runs.fresh(terms(first)), terms(first));
        assert_eq!(runs.fresh(terms("x a b c d e f y")), terms("x y"));
        // Five terms are no run.
        assert_eq!(runs.fresh(terms("a b c d e")), terms("a b c d e"));
        assert!(runs.fresh(terms(first)).is_empty());
    }
}
