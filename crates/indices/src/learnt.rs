//! Changes whose documents had all their fields in the mapping when they were written, so that nobody need read them for that again.

use engine::Sequence;
use std::collections::BTreeMap;

/// Runs of changes that are remembered at most; of others the documents are read.
const RUNS_MAX: usize = 1000;

/// Runs of changes: where the first one ends, and the last one.
#[derive(Debug, Default)]
pub(crate) struct Learnt(BTreeMap<Sequence, Sequence>);

impl Learnt {
    /// Notes changes by the positions after them, which rise.
    pub(crate) fn note<'s>(&mut self, changes: impl Iterator<Item = &'s Sequence>) {
        let mut run: Option<(Sequence, Sequence)> = None;
        for change in changes {
            match &mut run {
                Some((_, last)) if change.changes_since(last) == 1 => *last = change.clone(),
                _ => self.keep(run.replace((change.clone(), change.clone()))),
            }
        }
        self.keep(run);
    }

    fn keep(&mut self, run: Option<(Sequence, Sequence)>) {
        self.0.extend(run);
        if self.0.len() > RUNS_MAX {
            self.0.pop_first();
        }
    }

    /// How far all changes are learnt, where they are until `from`.
    pub(crate) fn reach(&mut self, mut from: Sequence) -> Sequence {
        while let Some(run) = self.0.first_entry() {
            // One change after it, or before.
            if run.key().changes_since(&from) > 1 {
                break;
            }
            from = from.max(run.remove());
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(numbers: &[u64]) -> Vec<Sequence> {
        let position = |number: &u64| number.to_string().parse().expect("a position");
        numbers.iter().map(position).collect()
    }

    fn reached(runs: &[&[u64]], from: u64) -> String {
        let mut learnt = Learnt::default();
        for run in runs {
            learnt.note(positions(run).iter());
        }
        learnt.reach(positions(&[from]).remove(0)).to_string()
    }

    #[test]
    fn runs_are_joined_in_any_order() {
        assert_eq!(reached(&[&[4, 5], &[1, 2, 3], &[6]], 0), "6");
        assert_eq!(reached(&[&[1, 2], &[3, 4]], 3), "4");
    }

    #[test]
    fn a_gap_between_learnt_positions_ends_what_is_reached() {
        assert_eq!(reached(&[&[1, 2, 4]], 0), "2");
        assert_eq!(reached(&[&[2]], 0), "0");
        assert_eq!(reached(&[], 7), "7");
    }

    #[test]
    fn no_more_runs_are_remembered_than_the_limit() {
        let numbers: Vec<u64> = (1..=4 * RUNS_MAX as u64)
            .filter(|number| number % 2 == 0)
            .collect();
        let mut learnt = Learnt::default();
        learnt.note(positions(&numbers).iter());
        assert_eq!(learnt.0.len(), RUNS_MAX);
    }
}
