//! Executing the statements of an update or a delete in order.

use super::by_id;
use super::change::Change;
use super::lookup::Lookup;
use super::many::{Counts, change_all};
use super::report::{Operation, Report};
use super::single::{Done, Single, done};
use super::{CHANGES_PER_COMMIT_MAX, Failures, WriteError, WriteOptions};
use std::sync::Arc;
use store::{Collection, Image, Outcome, StatementId, WriteOp};

/// One statement of an update or a delete.
pub(super) trait Statement {
    /// The documents that it changes.
    fn lookup(&self) -> &Lookup;

    /// What it does to them.
    fn change(&self, options: &WriteOptions) -> Arc<Change>;

    /// Whether it changes all of them, not only the first.
    fn is_multi(&self) -> bool;

    /// Whether it inserts a document if none matches.
    fn is_upsert(&self) -> bool {
        false
    }

    /// Fails if it cannot change many documents.
    fn check_multi(&self) -> Result<(), WriteError> {
        Ok(())
    }

    /// The statement as one that changes the first document.
    fn single(&self, statement: Option<StatementId>, options: &WriteOptions) -> Single {
        Single {
            change: self.change(options),
            lookup: self.lookup().clone(),
            upsert: self.is_upsert(),
            statement,
            image: Image::None,
        }
    }
}

/// The result of a statement.
pub(super) enum Executed {
    /// One that changes many documents.
    Many(Counts),
    /// One that changes at most one.
    Single(Done),
}

/// Executes statements, and passes the result of each to `count` with its position. Returns those that failed. An ordered command
/// ends at the first that fails.
pub(super) async fn run_all<S: Statement>(
    collection: &Arc<Collection>,
    statements: Vec<S>,
    options: &WriteOptions,
    mut count: impl FnMut(usize, Executed),
) -> Result<Failures, WriteError> {
    let mut failures = Failures::new();
    for run in StatementRun::of(statements.into_iter()) {
        let results = match run {
            StatementRun::Many(at, statement) => {
                // Boxed, because otherwise this rare path would make every statement's future larger, and futures are moved.
                vec![(at, Box::pin(run_many(collection, &statement, options)).await)]
            }
            StatementRun::Singles(first, statements) => {
                let numbered = (first..).zip(&statements);
                let single = |(at, statement): (usize, &S)| statement.single(options.statement(at), options);
                let results = run_singles(collection, first, numbered.map(single).collect(), options).await?;
                let executed = |(at, result): (usize, Result<Done, _>)| (at, result.map(Executed::Single));
                results.into_iter().map(executed).collect()
            }
        };
        for (at, result) in results {
            match result {
                Ok(executed) => count(at, executed),
                Err(error) => failures.push((at, error)),
            }
        }
        if options.ordered && !failures.is_empty() {
            break;
        }
    }
    Ok(failures)
}

/// Statements that are executed together, with the position of the first.
enum StatementRun<S> {
    /// One that changes many documents.
    Many(usize, S),
    /// Some that change at most one each.
    Singles(usize, Vec<S>),
}

impl<S: Statement> StatementRun<S> {
    /// Divides statements, keeping their order.
    fn of(statements: impl Iterator<Item = S>) -> impl Iterator<Item = StatementRun<S>> {
        let mut statements = statements.enumerate().peekable();
        std::iter::from_fn(move || {
            let (first, statement) = statements.next()?;
            if statement.is_multi() {
                return Some(StatementRun::Many(first, statement));
            }
            let mut singles = vec![statement];
            while singles.len() < CHANGES_PER_COMMIT_MAX
                && let Some((_, next)) = statements.next_if(|(_, next)| !next.is_multi())
            {
                singles.push(next);
            }
            Some(StatementRun::Singles(first, singles))
        })
    }
}

/// Changes all documents that match. An upsert that finds none makes one document, without an id for retries, since a statement
/// that changes many has none.
async fn run_many<S: Statement>(
    collection: &Arc<Collection>,
    statement: &S,
    options: &WriteOptions,
) -> Result<Executed, WriteError> {
    statement.check_multi()?;
    let change = statement.change(options);
    let counts = change_all(collection, change, statement.lookup(), options).await?;
    if counts.matched > 0 || !statement.is_upsert() {
        return Ok(Executed::Many(counts));
    }
    let single = statement.single(None, options);
    Ok(Executed::Single(single.execute(collection, options).await?))
}

/// The results of statements, by position. An ordered command ends with its first failure, so the statements after it
/// have no result.
type Results = Vec<(usize, Result<Done, WriteError>)>;

/// Executes statements that change at most one document each: neighbours that fix `_id` in one commit.
async fn run_singles(
    collection: &Arc<Collection>,
    first: usize,
    singles: Vec<Single>,
    options: &WriteOptions,
) -> Result<Results, WriteError> {
    let mut results = Results::with_capacity(singles.len());
    let mut together = Together::default();
    for (at, single) in (first..).zip(&singles) {
        match single.op_by_id(collection) {
            Some(operation) => together.push(at, operation, single),
            None => {
                // A lookup must see the changes of the statements before it, so these are committed first.
                together.commit(collection, options, &mut results).await?;
                if stopped(&results, options) {
                    break;
                }
                results.push((at, Box::pin(single.execute(collection, options)).await));
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
    writes: Vec<WriteOp>,
    reports: Vec<Report>,
    statements: Vec<Option<StatementId>>,
}

impl Together {
    fn push(&mut self, at: usize, operation: Operation, single: &Single) {
        self.positions.push(at);
        self.writes.push(operation.write);
        self.reports.push(operation.report);
        self.statements.push(single.statement);
    }

    async fn commit(
        &mut self,
        collection: &Arc<Collection>,
        options: &WriteOptions,
        results: &mut Results,
    ) -> Result<(), WriteError> {
        let waiting = std::mem::take(self);
        if waiting.writes.is_empty() {
            return Ok(());
        }
        let statements = match waiting.statements.iter().any(Option::is_some) {
            true => waiting.statements,
            false => Vec::new(),
        };
        let outcomes = collection
            .commit(waiting.writes, options.commit(statements))
            .await?;
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
