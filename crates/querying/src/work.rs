//! Work that ends once nobody wants its answer.

use language::interruption::steps;
use mapping::error::{ErrorKind, Result, SearchError};

/// Counts work of this many steps; fails once nobody wants the answer any more.
pub fn work(count: usize) -> Result<()> {
    steps(count).map_err(|error| SearchError::new(ErrorKind::Ended(error.code), error.message))
}
