//! Terms that what was found has more often than other documents have.

use super::counts::Counts;
use super::values::Key;
use super::wanted::{Wanted, is_wanted};
use mapping::fields::Term;
use querying::Query;

/// What is asked of significant terms.
#[derive(Clone, Debug)]
pub(super) struct SignificantSpec {
    pub(super) size: usize,
    pub(super) least: u64,
    pub(super) include: Option<Wanted>,
    pub(super) exclude: Option<Wanted>,
    /// The documents that others are compared with; all where there is none.
    pub(super) background: Option<Box<Query>>,
    /// Whether the terms are those of a text.
    pub(super) is_text: bool,
}

/// A term, how much more often it is found, and how many of all documents have it.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) key: Key,
    pub(super) score: f64,
    pub(super) all: u64,
}

impl SignificantSpec {
    pub(super) fn includes(&self, term: &Term) -> bool {
        is_wanted(self.include.as_ref(), self.exclude.as_ref(), term)
    }

    pub(super) fn name(&self) -> &'static str {
        match self.is_text {
            true => "significant_text",
            false => "significant_terms",
        }
    }

    /// The most significant of terms with their counts in `seen` documents.
    pub(super) fn chosen<'k>(
        &self,
        found: impl Iterator<Item = (&'k Key, u64)>,
        seen: u64,
        background: &Counts,
    ) -> Vec<Chosen> {
        let mut chosen: Vec<Chosen> = found
            .filter(|(_, count)| *count >= self.least)
            .map(|(key, count)| {
                let all = background.of(key);
                Chosen {
                    key: key.clone(),
                    score: jlh((count, seen), (all, background.total)),
                    all,
                }
            })
            .filter(|chosen| chosen.score > 0.0)
            .collect();
        chosen.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        chosen.truncate(self.size);
        chosen
    }
}

/// How much more often a term is found than usual, as the JLH score says; 0 where it is not. A term that no other document has
/// counts as if one had it.
fn jlh((found, of_found): (u64, u64), (all, of_all): (u64, u64)) -> f64 {
    if [of_found, of_all].contains(&0) {
        return 0.0;
    }
    let all = all.max(1);
    let (share, usual) = (found as f64 / of_found as f64, all as f64 / of_all as f64);
    match share > usual {
        true => (share - usual) * (share / usual),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::jlh;

    #[test]
    fn only_what_is_found_more_often_than_usual_is_worth_something() {
        assert_eq!(jlh((1, 10), (10, 100)), 0.0);
        assert_eq!(jlh((0, 0), (1, 10)), 0.0);
        assert_eq!(jlh((1, 10), (1, 0)), 0.0);
        assert_eq!(jlh((5, 10), (0, 100)), jlh((5, 10), (1, 100)));
        let score = jlh((5, 10), (10, 100));
        assert!((score - 0.4 * 5.0).abs() < 1e-9, "{score}");
    }
}
