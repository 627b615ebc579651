//! `variable_width_histogram`: buckets of values that lie near each other, of which there are few.
//!
//! Which values lie together is known when all of them were seen: they are asked for in a search of their own, as the ends of
//! histograms are that choose how wide their buckets are ([`Aggregations::spans`]).

use mapping::error::Result;
use mapping::fields::Term;
use querying::work;
use serde_json::{Value, json};
use std::sync::Arc;

/// Groups of values at most of which those that are nearest to each other are put together.
const GROUPS_MAX: u64 = 10_000;

/// What is asked of such a histogram.
#[derive(Clone, Debug)]
pub(super) struct VariedSpec {
    /// How many buckets there are at most.
    buckets: usize,
    /// Into how many groups values are parted at first, by their order.
    groups: u64,
    /// The values that lie together, once that is known.
    clusters: Option<Arc<[Cluster]>>,
}

/// Values that lie together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cluster {
    /// Their mean.
    centroid: f64,
    min: f64,
    max: f64,
    count: u64,
}

impl Cluster {
    fn join(&mut self, other: &Cluster) {
        let count = self.count + other.count;
        let sum = self.centroid * self.count as f64 + other.centroid * other.count as f64;
        *self = Cluster {
            centroid: sum / count as f64,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            count,
        };
    }
}

impl VariedSpec {
    pub(super) fn new(buckets: usize, groups: u64) -> VariedSpec {
        VariedSpec {
            buckets,
            groups: groups.clamp(1, GROUPS_MAX),
            clusters: None,
        }
    }

    /// The buckets of values: where it is not known yet what lies together, one for each value.
    pub(super) fn keys(&self, terms: Vec<Term>) -> Vec<Term> {
        let Some(clusters) = &self.clusters else {
            return terms;
        };
        let numbers = terms.iter().filter_map(Term::as_f64);
        let keys = numbers.filter_map(|number| {
            let behind = clusters.partition_point(|cluster| cluster.min <= number);
            let cluster = clusters.get(behind.checked_sub(1)?)?;
            Some(Term::Float(cluster.centroid))
        });
        keys.collect()
    }

    /// Takes what [`VariedSpec::told`] has said of the values that lie together.
    pub(super) fn choose(&mut self, found: Option<&Value>) {
        let one = |told: &Value| {
            let [centroid, min, max] = [0_usize, 1, 2].map(|at| told.get(at).and_then(Value::as_f64));
            Some(Cluster {
                centroid: centroid?,
                min: min?,
                max: max?,
                count: 1,
            })
        };
        let told = found.and_then(Value::as_array).into_iter().flatten();
        self.clusters = Some(told.filter_map(one).collect());
    }

    /// What lies together of values in their order, each with how many documents have it; nothing where that is known already.
    pub(super) fn told(&self, values: impl Iterator<Item = (f64, u64)>) -> Result<Option<Value>> {
        if self.clusters.is_some() {
            return Ok(None);
        }
        let found = self.clusters_of(values.collect())?;
        let told = found.iter().map(|one| json!([one.centroid, one.min, one.max]));
        Ok(Some(told.collect()))
    }

    /// The least and the greatest of the values that lie together around a mean.
    pub(super) fn ends(&self, centroid: f64) -> Option<(f64, f64)> {
        let clusters = self.clusters.as_deref()?;
        let at = clusters.binary_search_by(|cluster| cluster.centroid.total_cmp(&centroid));
        let cluster = clusters.get(at.ok()?)?;
        Some((cluster.min, cluster.max))
    }

    /// What lies together of values in their order, each with how many documents have it.
    fn clusters_of(&self, values: Vec<(f64, u64)>) -> Result<Vec<Cluster>> {
        let total: u64 = values.iter().map(|(_, count)| count).sum();
        let full = total.div_ceil(self.groups).max(1);
        let mut clusters: Vec<Cluster> = Vec::new();
        for (value, count) in values {
            let one = Cluster {
                centroid: value,
                min: value,
                max: value,
                count,
            };
            match clusters.last_mut().filter(|last| last.count < full) {
                Some(last) => last.join(&one),
                None => clusters.push(one),
            }
        }
        // The two that are nearest to each other become one, as long as there are too many.
        while clusters.len() > self.buckets {
            work(clusters.len())?;
            let distances = clusters
                .windows(2)
                .map(|pair| pair[1].centroid - pair[0].centroid);
            let nearest = distances.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
            let Some((at, _)) = nearest else { break };
            let other = clusters.remove(at + 1);
            if let Some(one) = clusters.get_mut(at) {
                one.join(&other);
            }
        }
        Ok(clusters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_lie_near_each_other_are_together() {
        let ends = |buckets: usize, groups: u64, values: &[(f64, u64)]| -> Vec<(f64, f64, f64)> {
            let spec = VariedSpec::new(buckets, groups);
            let found = spec.clusters_of(values.to_vec()).unwrap();
            found.iter().map(|one| (one.min, one.centroid, one.max)).collect()
        };
        let values = [(-3.0, 1), (-2.0, 1), (1.0, 1), (4.0, 1), (5.0, 1)];
        let wanted = [(-3.0, -2.5, -2.0), (1.0, 1.0, 1.0), (4.0, 4.5, 5.0)];
        assert_eq!(ends(3, 375, &values), wanted);
        assert_eq!(ends(10, 375, &values).len(), 5);
        // A value of many documents counts once for each.
        assert_eq!(ends(1, 375, &[(0.0, 3), (4.0, 1)]), [(0.0, 1.0, 4.0)]);
        // Groups by their order, of two documents each.
        assert_eq!(
            ends(2, 2, &[(0.0, 1), (9.0, 1), (10.0, 1), (11.0, 1)]),
            [(0.0, 4.5, 9.0), (10.0, 10.5, 11.0)]
        );
        assert!(ends(2, 2, &[]).is_empty());
    }
}
