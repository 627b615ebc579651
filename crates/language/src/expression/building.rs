//! What one operator may build in memory.

use super::found::Found;
use crate::interruption::{self, steps};
use crate::{Code, Error, Result};
use memory::{Holder, Share};
use value::raw::MESSAGE_DEPTH_MAX;
use value::size::{is_deeper_than, size_bytes};
use value::{Value, ValueRef};

/// The bytes that a value made by one operator may take in memory (MongoDB's limit of `$map`, `$reduce` and `$range`).
const BUILT_BYTES_MAX: usize = 100 * 1024 * 1024;
/// Values up to this size are not counted with those of other operations: the limit is for the few large ones.
const UNCOUNTED_BYTES: usize = 256 * 1024;
/// About the bytes that are copied in the time of one step.
const BYTES_PER_STEP: usize = 256;

/// Counts what goes into the value that an operator makes.
#[derive(Debug)]
pub(crate) struct Building {
    operator: &'static str,
    bytes: usize,
    /// What was taken of the operation's memory for it, once it is large.
    share: Option<Share>,
}

impl Building {
    pub(crate) fn new(operator: &'static str) -> Building {
        Building {
            operator,
            bytes: 0,
            share: None,
        }
    }

    /// Counts bytes that are about to be added; fails where there are too many, or the operation must end.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > UNCOUNTED_BYTES {
            self.count()?;
        }
        steps(1 + bytes / BYTES_PER_STEP)
    }

    #[cold]
    fn count(&mut self) -> Result<()> {
        if self.bytes > BUILT_BYTES_MAX {
            return Err(self.too_large(format!("its value may take {BUILT_BYTES_MAX} bytes")));
        }
        let share = self
            .share
            .get_or_insert_with(|| interruption::memory().share(Holder::Values));
        match share.set(self.bytes) {
            Ok(()) => Ok(()),
            Err(full) => Err(self.too_large(full)),
        }
    }

    fn too_large(&self, why: impl std::fmt::Display) -> Error {
        Error::new(
            Code::EXCEEDED_MEMORY_LIMIT,
            format!("{} would use too much memory: {why}", self.operator),
        )
    }

    /// As [`Building::add`] for a value, which is decoded where there is room for it.
    pub(crate) fn take(&mut self, found: Found<'_>) -> Result<Option<Value>> {
        if let Some(value) = found.get() {
            self.add(self.size(value)?)?;
        }
        Ok(found.into_value())
    }

    /// As [`Building::take`].
    pub(super) fn copy(&mut self, value: ValueRef<'_>) -> Result<Value> {
        self.add(self.size(value)?)?;
        Ok(value.to_value())
    }

    /// About the bytes of a value. One that is nested deeper than an answer may be is refused: `$reduce` makes one of a few bytes that
    /// nothing could go through any more.
    fn size(&self, value: ValueRef<'_>) -> Result<usize> {
        if is_deeper_than(value, MESSAGE_DEPTH_MAX) {
            let message = format!(
                "{} would exceed the maximum nested object depth: {MESSAGE_DEPTH_MAX}",
                self.operator
            );
            return Err(Error::new(Code::OVERFLOW, message));
        }
        Ok(size_bytes(value))
    }
}
