//! What a thread of a program runs, and the memory that it has.

use super::runtime::Runtime;
use super::{Command, ScriptError, ScriptLimits, Sources};
use crate::limits::{LIST_MEMORY_BYTES_MIN, LIST_PART_OF_MEMORY, SCRIPT_MEMORY_BYTES_FIRST};
use memory::{Budget, Full, Holder, Share, WAIT_MAX};

/// By how much it grows.
const GROWTH: usize = 2;

/// A sandbox that grows with what it is given. It begins small, so that many programs have room; what did not fit is run again
/// in a larger one, since functions of design documents change nothing.
pub(super) struct Worker {
    sources: Sources,
    limits: ScriptLimits,
    memory: Budget,
    // Before its share, so that it is gone when that is given back.
    runtime: Option<Result<Runtime, ScriptError>>,
    share: Share,
    is_over: bool,
}

impl Worker {
    /// Nothing is taken before the first call.
    pub(super) fn new(sources: Sources, limits: ScriptLimits, memory: Budget) -> Worker {
        Worker {
            sources,
            limits,
            runtime: None,
            share: memory.share(Holder::DesignFunctions),
            memory,
            is_over: false,
        }
    }

    /// Whether it cannot go on.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether others wait for its memory.
    pub(super) fn is_wanted(&self) -> bool {
        self.memory.is_wanted(Holder::DesignFunctions)
    }

    /// Takes more memory. Where there is no room, all is given back first: those who hold something and wait for more would
    /// wait for each other. Programs that are idle give theirs back meanwhile.
    fn grow(&mut self, bytes: usize) -> Result<(), Full> {
        if self.share.fit(bytes) {
            return Ok(());
        }
        // Nothing always fits.
        self.share.fit(0);
        self.share.wait_blocking(bytes, WAIT_MAX)
    }

    /// Runs a command.
    pub(super) fn call(&mut self, command: Command, input: &str) -> Result<String, ScriptError> {
        if self.runtime.is_none() {
            let first = SCRIPT_MEMORY_BYTES_FIRST.min(self.limits.memory_bytes);
            if let Err(full) = self.share.wait_blocking(first, WAIT_MAX) {
                self.is_over = true;
                return Err(full.into());
            }
        }
        loop {
            let bytes = self.share.bytes();
            let limits = ScriptLimits {
                memory_bytes: bytes,
                ..self.limits
            };
            let runtime = self
                .runtime
                .get_or_insert_with(|| Runtime::start(&self.sources, limits, None));
            let result = match runtime {
                Ok(runtime) => runtime.call(command, input.to_owned()),
                Err(error) => Err(error.clone()),
            };
            self.is_over = runtime.is_err();
            let Err(error) = result else { return result };
            let grown = (GROWTH * bytes).min(self.limits.memory_bytes);
            match error {
                ScriptError::OutOfMemory {
                    place, limit_bytes, ..
                } => {
                    // Those that did not fit were thrown away with all that they held.
                    self.runtime = None;
                    let most = grown.min(self.share.limit());
                    let full = match most > bytes {
                        true => match self.grow(most) {
                            Ok(()) => continue,
                            Err(full) => Some(full),
                        },
                        false => (grown > bytes).then(|| self.share.full(grown)),
                    };
                    self.is_over = true;
                    return Err(ScriptError::OutOfMemory {
                        place,
                        limit_bytes,
                        full,
                    });
                }
                error => {
                    self.is_over |= matches!(error, ScriptError::TimedOut { .. });
                    return Err(error);
                }
            }
        }
    }
}

/// The memory of a list function, which cannot be run again: all that it may have, from the beginning.
pub(super) fn of_list(memory: &Budget, limits: ScriptLimits) -> Result<(Share, ScriptLimits), Full> {
    let mut share = memory.share(Holder::DesignFunctions);
    let part = (share.limit() / LIST_PART_OF_MEMORY).max(LIST_MEMORY_BYTES_MIN);
    let memory_bytes = limits.memory_bytes.min(part);
    share.wait_blocking(memory_bytes, WAIT_MAX)?;
    Ok((
        share,
        ScriptLimits {
            memory_bytes,
            ..limits
        },
    ))
}
