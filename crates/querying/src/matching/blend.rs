//! A term in several fields as if they were one: it is as rare in each of them as in the one that has it most, but that fields in
//! which it is rarer count a little more.

use super::statistics::Statistics;

/// The fields, each with the term as it has it.
#[derive(Debug)]
pub struct Blend(Vec<(String, String)>);

impl Blend {
    pub(super) fn new(terms: Vec<(String, String)>) -> Blend {
        Blend(terms)
    }

    /// How rare the term is in one of the fields.
    pub fn rarity(&self, at: usize, statistics: &Statistics) -> f32 {
        let having = |(field, term): &(String, String)| statistics.having(field, term);
        let counts: Vec<u64> = self.0.iter().map(having).collect();
        let Some((field, _)) = self.0.get(at) else {
            return 0.0;
        };
        let own = counts.get(at).copied().unwrap_or(0);
        let most = counts.iter().copied().max().unwrap_or(0);
        // The fields that are more frequent, each number of documents once.
        let mut before: Vec<u64> = counts.iter().copied().filter(|count| *count > own).collect();
        before.sort_unstable();
        before.dedup();
        // No term is in more documents than there are terms in the shortest field that has it.
        let there = self.0.iter().zip(&counts).filter(|(_, count)| **count > 0);
        let shortest = there.map(|((field, _), _)| statistics.length(field)).min();
        let shortest = shortest.unwrap_or(u64::MAX);
        let having = (most.min(shortest) + before.len() as u64).min(shortest);
        statistics.rarity_of(field, having)
    }
}
