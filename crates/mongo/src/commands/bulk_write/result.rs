//! What the operations of a `bulkWrite` did.
//!
//! An operation that fails is answered as such, since those before it were done. What was ended from outside ends the command, as in
//! MongoDB.

use crate::error::{CommandError, Result};
use code::Code;
use engine::{DeleteReply, Error, InsertReply, UpdateReply, WriteFailure};
use value::{Document, DocumentBuf, Value, doc};

/// The operations that were done, in order, and their totals.
#[derive(Default)]
pub(super) struct Results {
    each: Vec<(bool, Document)>,
    errors: u64,
    inserted: u64,
    matched: u64,
    modified: u64,
    upserted: u64,
    deleted: u64,
}

impl Results {
    pub(super) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Adds inserts that were done together, the first of them at `start`.
    pub(super) fn add_inserts(
        &mut self,
        start: usize,
        count: usize,
        ordered: bool,
        done: Result<InsertReply, Error>,
    ) -> Result<()> {
        let done = match done {
            Ok(done) => done,
            Err(error) => {
                let error = of_operation(error)?;
                let refused = if ordered { 1 } else { count };
                (start..start + refused).for_each(|index| self.refuse(index, error.clone()));
                return Ok(());
            }
        };
        check_ended(&done.failures)?;
        self.inserted += done.inserted;
        let mut failures = done.failures.into_iter().peekable();
        for at in 0..count {
            match failures.next_if(|failure| failure.index == at) {
                Some(failure) => {
                    self.fail(start + at, failure, doc! {"n": 0});
                    if ordered {
                        break;
                    }
                }
                None => self
                    .each
                    .push((true, doc! {"ok": 1.0, "idx": (start + at) as i32, "n": 1})),
            }
        }
        Ok(())
    }

    pub(super) fn add_update(&mut self, index: usize, done: Result<UpdateReply, Error>) -> Result<()> {
        match done {
            Ok(done) => {
                check_ended(&done.failures)?;
                self.put_update(index, done);
            }
            Err(error) => self.refuse(index, of_operation(error)?),
        }
        Ok(())
    }

    fn put_update(&mut self, index: usize, done: UpdateReply) {
        let counts = doc! {"n": Value::count(done.matched), "nModified": Value::count(done.modified)};
        if let Some(failure) = done.failures.into_iter().next() {
            return self.fail(index, failure, counts);
        }
        let mut result = doc! {"ok": 1.0, "idx": index as i32};
        for (name, value) in counts {
            result.push(name, value);
        }
        self.modified += done.modified;
        match done.upserted.into_iter().next() {
            Some((_, id)) => {
                self.upserted += 1;
                result.push("upserted", doc! {"_id": id});
            }
            None => self.matched += done.matched,
        }
        self.each.push((true, result));
    }

    pub(super) fn add_delete(&mut self, index: usize, done: Result<DeleteReply, Error>) -> Result<()> {
        match done {
            Ok(done) => {
                check_ended(&done.failures)?;
                self.put_delete(index, done);
            }
            Err(error) => self.refuse(index, of_operation(error)?),
        }
        Ok(())
    }

    fn put_delete(&mut self, index: usize, done: DeleteReply) {
        if let Some(failure) = done.failures.into_iter().next() {
            return self.fail(index, failure, doc! {"n": 0});
        }
        self.deleted += done.deleted;
        self.each.push((
            true,
            doc! {"ok": 1.0, "idx": index as i32, "n": Value::count(done.deleted)},
        ));
    }

    /// Adds an operation that was not done at all.
    pub(super) fn refuse(&mut self, index: usize, error: CommandError) {
        self.push_error(index, error, doc! {"n": 0});
    }

    fn fail(&mut self, index: usize, failure: WriteFailure, counts: Document) {
        self.push_error(index, CommandError::from(failure.error), counts);
    }

    fn push_error(&mut self, index: usize, error: CommandError, counts: Document) {
        self.errors += 1;
        let mut result = doc! {"ok": 0.0, "idx": index as i32, "code": error.code.number()};
        for (name, value) in error.details {
            result.push(name, value);
        }
        result.push("errmsg", error.message);
        for (name, value) in counts {
            result.push(name, value);
        }
        self.each.push((false, result));
    }

    /// One document an operation, or one an error.
    pub(super) fn documents(&self, errors_only: bool) -> Vec<DocumentBuf> {
        let shown = self
            .each
            .iter()
            .filter(|(succeeded, _)| !(errors_only && *succeeded));
        shown.map(|(_, result)| DocumentBuf::from(result)).collect()
    }

    pub(super) fn push_totals(&self, reply: &mut Document) {
        let totals: [(&str, u64); 6] = [
            ("nErrors", self.errors),
            ("nInserted", self.inserted),
            ("nMatched", self.matched),
            ("nModified", self.modified),
            ("nUpserted", self.upserted),
            ("nDeleted", self.deleted),
        ];
        for (name, total) in totals {
            reply.push(name, Value::count(total));
        }
    }
}

/// Whether an error ends the command: it was ended from outside, or a later one of its session was there before.
fn ends(code: Code) -> bool {
    code.is_interruption() || code == Code::TRANSACTION_TOO_OLD
}

/// An error as that of an operation; one that ends the command fails.
fn of_operation(error: Error) -> Result<CommandError> {
    match ends(error.code) {
        true => Err(error.into()),
        false => Ok(error.into()),
    }
}

fn check_ended(failures: &[WriteFailure]) -> Result<()> {
    match failures.iter().find(|failure| ends(failure.error.code)) {
        Some(ended) => Err(ended.error.clone().into()),
        None => Ok(()),
    }
}
