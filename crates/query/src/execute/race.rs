//! Running the best candidates against each other.
//!
//! Estimates order the candidates but do not decide, because values are correlated in real data. The best few run in turns,
//! each as far as the others, a little further each time. The first to fill the answer, or to reach the end, wins, and what it
//! found is kept. With two candidates that costs at most about twice the better one.

use super::execution::{Execution, Paused};
use super::run::Run;
use crate::Result;
use crate::plan::{Access, Plan};
use std::ops::Bound;
use std::sync::Arc;
use store::{KeyRange, Snapshot};

/// The most candidates with a sort that run in a race.
const SORTING_MAX: usize = 2;

/// The most candidates without a sort that run in a race.
const STREAMING_MAX: usize = 3;

/// The number of keys that each candidate examines in the first round.
const FIRST_ROUND_KEYS: u64 = 64;

/// Candidates from the third on may examine one key for this many of each of the first two.
const OUTSIDER_SHARE: u64 = 4;

/// The result of a race.
#[derive(Debug)]
pub struct Race {
    /// The execution that continues.
    pub winner: Execution,
    /// Those that did not win, best first.
    pub losers: Vec<Execution>,
}

struct Runner {
    execution: Execution,
    /// The estimated number of entries in its scans.
    entries: u64,
}

impl Run<'_> {
    /// Chooses among plans for the wanted results. An execution that `began` already (a remembered plan that did
    /// badly) takes part with the work that it has done.
    pub(super) async fn race(&self, plans: &[Arc<Plan>], began: Option<Execution>) -> Result<Race> {
        if began.is_none()
            && let Some(plan) = obvious(plans)
        {
            let rest = plans.iter().filter(|other| !Arc::ptr_eq(other, plan));
            return Ok(Race {
                winner: self.execution(plan),
                losers: rest.map(|plan| self.execution(plan)).collect(),
            });
        }
        let mut runners = self.line_up(plans, began).await?;
        let mut target = FIRST_ROUND_KEYS;
        loop {
            // The candidate that may finish soonest runs first: if it does, the others need not run in this round.
            runners.sort_by_key(|runner| runner.remaining(self.wanted));
            let mut at = 0;
            while at < runners.len() {
                let share = if at < 2 { target } else { target / OUTSIDER_SHARE };
                let runner = &mut runners[at].execution;
                let mut budget = share.saturating_sub(runner.counters.works());
                match runner.advance(self, &mut budget).await {
                    Ok(Paused::Spent) => at += 1,
                    Ok(Paused::Filled | Paused::Exhausted) => return Ok(decide(runners, at)),
                    // A sort that exceeds its memory loses; only the last candidate reports it. The next one is now at
                    // `at`.
                    Err(error) if error.is_out_of_memory() && runners.len() > 1 => {
                        runners.remove(at);
                    }
                    Err(error) => return Err(error),
                }
            }
            // Growing by a quarter: few rounds for a long query, and no candidate gets far ahead of the winner.
            target += (target / 4).max(FIRST_ROUND_KEYS);
        }
    }

    /// The candidates that run: those with the fewest entries among plans with a sort, and among plans without one.
    async fn line_up(&self, plans: &[Arc<Plan>], began: Option<Execution>) -> Result<Vec<Runner>> {
        let mut runners = Vec::with_capacity(plans.len());
        for plan in plans {
            if began
                .as_ref()
                .is_some_and(|began| began.plan().signature() == plan.signature())
            {
                continue;
            }
            let entries = estimate(self.snapshot, plan).await?;
            runners.push(Runner {
                execution: self.execution(plan),
                entries,
            });
        }
        runners.sort_by_key(|runner| runner.entries);
        // A plan that streams may win after a few of its entries; one that sorts must read all of them. Their numbers of entries cannot
        // be compared, so each kind has its own places.
        let (mut streaming, mut sorting) = (0, 0);
        runners.retain(|runner| {
            let (count, max) = if runner.execution.plan().streams() {
                (&mut streaming, STREAMING_MAX)
            } else {
                (&mut sorting, SORTING_MAX)
            };
            *count += 1;
            *count <= max
        });
        // The remembered plan takes part whatever its rank: a part of its work is done already.
        if let Some(execution) = began {
            let entries = estimate(self.snapshot, execution.plan()).await?;
            runners.push(Runner { execution, entries });
        }
        Ok(runners)
    }
}

fn decide(mut runners: Vec<Runner>, winner: usize) -> Race {
    let winner = runners.remove(winner).execution;
    Race {
        winner,
        losers: runners.into_iter().map(|runner| runner.execution).collect(),
    }
}

/// The plan that no other can beat, if there is one.
fn obvious(plans: &[Arc<Plan>]) -> Option<&Arc<Plan>> {
    if let [one] = plans {
        return Some(one);
    }
    plans.iter().find(|plan| match &plan.access {
        Access::Nothing | Access::Id(_) => true,
        Access::Index(scan) => scan.is_one_key(),
        Access::Collection(_) | Access::Near(_) | Access::Union(_) | Access::Merge(..) => false,
    })
}

async fn estimate(snapshot: &Snapshot, plan: &Plan) -> Result<u64> {
    if plan.is_full_scan() {
        return Ok(snapshot.count());
    }
    let mut entries = 0u64;
    for scan in plan.scans() {
        if let Some((low, high)) = scan.range() {
            let high = high.map_or(Bound::Unbounded, Bound::Excluded);
            let range = KeyRange {
                low: Bound::Included(low),
                high,
            };
            entries = entries.saturating_add(snapshot.approximate_entries(&scan.index, &range).await?);
        }
    }
    Ok(entries)
}

impl Runner {
    /// The least number of entries that it must still examine, by the estimate: one for each missing result if it streams,
    /// all if it sorts. Ties go to the plan with fewer entries.
    fn remaining(&self, wanted: usize) -> (u64, u64) {
        let left = self.entries.saturating_sub(self.execution.counters.works());
        let least = if self.execution.plan().streams() {
            left.min(wanted.saturating_sub(self.execution.ready()) as u64)
        } else {
            left
        };
        (least, self.entries)
    }
}
