//! Executing writes on a collection: the statements of inserts, updates, deletes and findAndModify.
//!
//! Every change is a [`store::Transform`] that the collection's committer runs on the document as it is at that
//! moment: it matches the filter again (a random one only if the document has changed), applies the update and checks
//! the validator. So no concurrent write is lost, however old the snapshot in which the document was found, and
//! concurrent statements share a commit.
//!
//! - A statement whose filter fixes `_id` needs no plan: it goes straight to the committer, together with its
//!   neighbours of the same kind ([`by_id`]).
//! - Any other statement finds documents first ([`lookup`]). One that changes a single document looks again if the
//!   document that it found was changed meanwhile; one that changes many works page by page.
//!
//! What must hold: a statement that was executed before (by its [`StatementId`]) is not executed again, and has the same
//! result.
//!
//! Left to others: commands and their wire forms, making collections, sessions (`engine`).

mod by_id;
mod change;
mod delete;
mod error;
mod find_and_modify;
mod insert;
mod lookup;
mod many;
mod report;
mod run;
mod single;
mod update;
mod validator;

pub use delete::{DeleteRequest, Deleted, delete};
pub use error::{Failures, WriteError};
pub use find_and_modify::{FindAndModify, FoundAndModified, find_and_modify};
pub use insert::{Inserted, insert};
pub use lookup::Lookup;
pub use update::{UpdateRequest, Updated, update};
pub use validator::{ValidationAction, ValidationLevel, Validator};

use crate::execute::Interruption;
use std::sync::Arc;
use store::{CommitOptions, Durability, Image, StatementId};

/// How often a statement looks for another document if the one that it found has changed meanwhile.
pub const LOOKUP_ATTEMPTS_MAX: usize = 1_000;

/// The number of documents that one commit changes, if a statement changes many.
pub const CHANGES_PER_COMMIT_MAX: usize = 1_000;

/// The bytes of documents after which that commit takes no more.
pub const CHANGED_BYTES_PER_COMMIT_MAX: usize = 8 * 1024 * 1024;

/// How the statements of a command are executed.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// Whether execution ends at the first statement that fails.
    pub ordered: bool,
    /// When a commit is answered.
    pub durability: Durability,
    /// What documents must satisfy.
    pub validator: Option<Arc<Validator>>,
    /// Whether empty timestamps of inserted documents stay empty instead of becoming the present time, so that restored documents are
    /// as they were.
    pub keeps_empty_timestamps: bool,
    /// The statements' ids for retries: empty, or one for each statement (in an insert, for each document).
    pub statements: Vec<Option<StatementId>>,
    /// What ends the command early.
    pub interruption: Interruption,
}

impl Default for WriteOptions {
    /// Ordered, flushed, without a validator.
    fn default() -> WriteOptions {
        WriteOptions {
            ordered: true,
            durability: Durability::Flushed,
            validator: None,
            keeps_empty_timestamps: false,
            statements: Vec::new(),
            interruption: Interruption::default(),
        }
    }
}

impl WriteOptions {
    fn statement(&self, number: usize) -> Option<StatementId> {
        self.statements.get(number).copied().flatten()
    }

    /// The options of one commit of the command, with these statements.
    fn commit(&self, statements: Vec<Option<StatementId>>) -> CommitOptions {
        CommitOptions {
            ordered: self.ordered,
            durability: self.durability,
            statements,
            image: Image::None,
        }
    }
}
