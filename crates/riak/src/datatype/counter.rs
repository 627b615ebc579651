//! Counters: what each actor has added and taken away.

use super::ChangeError;
use std::collections::BTreeMap;

/// A counter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counter(pub(super) BTreeMap<Vec<u8>, (u64, u64)>);

impl Counter {
    /// Its value.
    pub fn value(&self) -> i64 {
        let sum: i128 = self
            .0
            .values()
            .map(|&(added, taken)| i128::from(added) - i128::from(taken))
            .sum();
        sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// Adds what may be negative.
    pub fn add(&mut self, actor: &[u8], by: i64) -> Result<(), ChangeError> {
        let own = self.0.entry(actor.to_vec()).or_default();
        let side = if by < 0 { &mut own.1 } else { &mut own.0 };
        *side = side.checked_add(by.unsigned_abs()).ok_or(ChangeError::Overflow)?;
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Counter) {
        for (actor, &(added, taken)) in &other.0 {
            let own = self.0.entry(actor.clone()).or_default();
            *own = (own.0.max(added), own.1.max(taken));
        }
    }
}
