//! The statements of a command in runs: neighbours that change at most one document each are executed together.

use super::by_id;
use super::single::{Done, Single, done};
use super::{CHANGES_PER_COMMIT_MAX, WriteError, WriteOptions};
use std::sync::Arc;
use store::{Collection, CommitOptions, Image, Outcome};

/// Statements that are executed together, with the position of the first.
pub(super) enum Run<T> {
    /// One that changes many documents.
    Many(usize, T),
    /// Some that change at most one each.
    Singles(usize, Vec<T>),
}

impl<T> Run<T> {
    /// Divides statements, each with whether it changes many, keeping their order.
    pub(super) fn of(statements: impl Iterator<Item = (bool, T)>) -> impl Iterator<Item = Run<T>> {
        let mut statements = statements.enumerate().peekable();
        std::iter::from_fn(move || {
            let (first, (many, statement)) = statements.next()?;
            if many {
                return Some(Run::Many(first, statement));
            }
            let mut singles = vec![statement];
            while singles.len() < CHANGES_PER_COMMIT_MAX
                && let Some((_, (_, next))) = statements.next_if(|(_, (many, _))| !many)
            {
                singles.push(next);
            }
            Some(Run::Singles(first, singles))
        })
    }
}

/// The results of statements, by position. An ordered command ends with its first failure, so the statements after it
/// have no result.
type Results = Vec<(usize, Result<Done, WriteError>)>;

/// Executes statements that change at most one document each: neighbours that fix `_id` in one commit.
pub(super) async fn run_singles(
    collection: &Arc<Collection>,
    first: usize,
    singles: Vec<Single>,
    options: &WriteOptions,
) -> Result<Results, WriteError> {
    let mut results = Results::with_capacity(singles.len());
    let mut together = Together::default();
    for (at, single) in (first..).zip(&singles) {
        match single.op_by_id(collection) {
            Some((op, report)) => together.push(at, op, report, single),
            None => {
                // A lookup must see the changes of the statements before it, so these are committed first.
                together.commit(collection, options, &mut results).await?;
                if stopped(&results, options) {
                    break;
                }
                results.push((at, single.execute(collection, options).await));
            }
        }
        if stopped(&results, options) {
            return Ok(results);
        }
    }
    together.commit(collection, options, &mut results).await?;
    Ok(results)
}

fn stopped(results: &Results, options: &WriteOptions) -> bool {
    options.ordered && matches!(results.last(), Some((_, Err(_))))
}

/// Operations that wait for their common commit.
#[derive(Default)]
struct Together {
    positions: Vec<usize>,
    ops: Vec<store::WriteOp>,
    reports: Vec<super::report::Report>,
    statements: Vec<Option<store::StatementId>>,
}

impl Together {
    fn push(&mut self, at: usize, op: store::WriteOp, report: super::report::Report, single: &Single) {
        self.positions.push(at);
        self.ops.push(op);
        self.reports.push(report);
        self.statements.push(single.statement);
    }

    async fn commit(
        &mut self,
        collection: &Arc<Collection>,
        options: &WriteOptions,
        results: &mut Results,
    ) -> Result<(), WriteError> {
        let waiting = std::mem::take(self);
        if waiting.ops.is_empty() {
            return Ok(());
        }
        let statements = match waiting.statements.iter().any(Option::is_some) {
            true => waiting.statements,
            false => Vec::new(),
        };
        let commit = CommitOptions {
            ordered: options.ordered,
            durability: options.durability,
            statements,
            image: Image::None,
        };
        let outcomes = collection.commit(waiting.ops, commit).await?;
        for ((at, report), outcome) in waiting.positions.into_iter().zip(&waiting.reports).zip(outcomes) {
            if matches!(outcome, Outcome::Skipped) {
                break;
            }
            let done = done(outcome, report);
            by_id::note(done.as_ref().is_ok_and(Done::found));
            results.push((at, done));
        }
        Ok(())
    }
}
