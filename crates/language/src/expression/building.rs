//! The limit on the memory of values that operators build.

use super::evaluated::Evaluated;
use crate::interruption::{self, steps};
use crate::{Code, Error, Result};
use memory::{Holder, Share};
use value::raw::MESSAGE_DEPTH_MAX;
use value::size::{is_deeper_than, size_bytes};
use value::{Value, ValueRef};

/// The bytes that a value made by one operator may take in memory (MongoDB's limit of `$map`, `$reduce` and `$range`).
const BUILT_BYTES_MAX: usize = 100 * 1024 * 1024;
/// Values up to this size are not counted in the memory of operations: that limit is for the few large ones.
const UNCOUNTED_BYTES: usize = 256 * 1024;
/// The bytes, about, that are copied in the time of one step.
const BYTES_PER_STEP: usize = 256;

/// Counts the bytes of a value that an operator builds.
#[derive(Debug)]
pub(crate) struct Building {
    operator: &'static str,
    bytes: usize,
    /// Its share of the operation's memory, once it is large.
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

    /// Counts bytes that are about to be added. Fails if there are too many, or if the operation must end.
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

    /// As [`Building::add`], for a value, which is decoded if there is room for it.
    pub(crate) fn take(&mut self, found: Evaluated<'_>) -> Result<Option<Value>> {
        if let Some(value) = found.get() {
            self.add(self.size(value)?)?;
        }
        Ok(found.into_value())
    }

    /// As [`Building::take`], for a borrowed value.
    pub(super) fn copy(&mut self, value: ValueRef<'_>) -> Result<Value> {
        self.add(self.size(value)?)?;
        Ok(value.to_value())
    }

    /// The approximate bytes of a value. Fails if it is nested deeper than an answer may be: `$reduce` can make such a value of a few
    /// bytes, and nothing could walk through it.
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
