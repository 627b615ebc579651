//! The share of one of many that hold memory.

use crate::pool::Pool;
use crate::{Budget, Holder};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Bytes are taken from the budget many at a time, so that small steps cost nothing.
const STEP_BYTES: usize = 4 * 1024;

/// There is no room.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{wanted_bytes} bytes more do not fit: {described} hold {held_bytes} of the {limit_bytes} bytes that the memory budget \
     leaves them; a larger --memory raises this limit",
    described = .holder.described()
)]
pub struct Full {
    /// Who wanted to hold more.
    pub holder: Holder,
    /// How much more.
    pub wanted_bytes: usize,
    /// What all of its kind hold.
    pub held_bytes: usize,
    /// What they may hold.
    pub limit_bytes: usize,
}

/// A part of a budget, given back when it is dropped.
#[derive(Debug)]
pub struct Share {
    budget: Budget,
    holder: Holder,
    bytes: usize,
    /// What was taken for them.
    taken: usize,
}

impl Share {
    pub(crate) fn new(budget: Budget, holder: Holder) -> Share {
        Share {
            budget,
            holder,
            bytes: 0,
            taken: 0,
        }
    }

    /// The bytes that are held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes that all of this holder may have together.
    pub fn limit(&self) -> usize {
        self.budget.limit(self.holder)
    }

    /// From now on it holds this many bytes. If there is no room, it holds what it held.
    pub fn set(&mut self, bytes: usize) -> Result<(), Full> {
        match self.fit(bytes) {
            true => Ok(()),
            false => Err(self.full(bytes)),
        }
    }

    /// As [`Share::set`], for code that has another place for the bytes: false if there is no room.
    pub fn fit(&mut self, bytes: usize) -> bool {
        if bytes > self.taken {
            let wanted = rounded(bytes) - self.taken;
            if self.pool().is_some_and(|pool| !pool.take(wanted)) {
                return false;
            }
            self.taken += wanted;
        }
        self.shrink(bytes);
        true
    }

    /// As [`Share::fit`]. Those who can write to a file take only of the first half of the room, and leave the other half to
    /// those who cannot.
    pub fn fit_or_spill(&mut self, bytes: usize, can_spill: bool) -> bool {
        let more = bytes.saturating_sub(self.taken);
        let is_in_first_half = |pool: &Pool| pool.held.load(Ordering::Relaxed) + more <= pool.limit / 2;
        let may_take = more == 0 || !can_spill || self.pool().is_none_or(is_in_first_half);
        may_take && self.fit(bytes)
    }

    /// The error that this many bytes found no room.
    pub fn full(&self, bytes: usize) -> Full {
        self.budget.full(self.holder, bytes.saturating_sub(self.bytes))
    }

    /// As [`Share::set`], this many bytes more.
    pub fn add(&mut self, bytes: usize) -> Result<(), Full> {
        self.set(self.bytes.saturating_add(bytes))
    }

    /// As [`Share::set`], whether or not there is room: for what is there already, and cannot be given up.
    pub fn charge(&mut self, bytes: usize) {
        if bytes > self.taken {
            if let Some(pool) = self.pool() {
                pool.charge(bytes - self.taken);
            }
            self.taken = bytes;
        }
        self.shrink(bytes);
    }

    /// Waits until there is room for this many bytes instead of what it holds. What is more than the limit by itself waits for
    /// all of the limit. Those who wait are served in the order in which they came.
    pub async fn wait(&mut self, bytes: usize, time_max: Duration) -> Result<(), Full> {
        if let Some(pool) = self.pool() {
            let wanted = bytes.min(pool.limit).saturating_sub(self.taken);
            let entered = pool.wait_until(|pool| pool.take(wanted));
            if tokio::time::timeout(time_max, entered).await.is_err() {
                return Err(self.budget.full(self.holder, wanted));
            }
            self.taken += wanted;
        }
        self.shrink(bytes);
        Ok(())
    }

    /// As [`Share::wait`] on a thread of its own, which sleeps meanwhile.
    pub fn wait_blocking(&mut self, bytes: usize, time_max: Duration) -> Result<(), Full> {
        if let Some(pool) = self.pool() {
            let wanted = bytes.min(pool.limit).saturating_sub(self.taken);
            if !pool.wait_blocking(wanted, time_max) {
                return Err(self.budget.full(self.holder, wanted));
            }
            self.taken += wanted;
        }
        self.shrink(bytes);
        Ok(())
    }

    /// Whether more than half of what all of this holder may have is taken.
    pub fn is_scarce(&self) -> bool {
        let half = |pool: &Pool| pool.held.load(Ordering::Relaxed) > pool.limit / 2;
        self.pool().is_some_and(half)
    }

    /// Whether somebody waits for what others of this holder have.
    pub fn is_wanted(&self) -> bool {
        self.budget.is_wanted(self.holder)
    }

    fn shrink(&mut self, bytes: usize) {
        if bytes >= self.bytes {
            self.bytes = bytes;
            return;
        }
        self.bytes = bytes;
        let kept = rounded(bytes);
        if self.taken > kept {
            let spare = self.taken - kept;
            if let Some(pool) = self.pool() {
                pool.give_back(spare);
            }
            self.taken = kept;
        }
    }

    fn pool(&self) -> Option<&Pool> {
        self.budget.pool(self.holder)
    }
}

/// Whole steps.
fn rounded(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(STEP_BYTES).unwrap_or(usize::MAX)
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(pool) = self.pool() {
            pool.give_back(self.taken);
        }
    }
}
