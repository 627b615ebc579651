//! The memory of one blocking stage.

use crate::{Code, QueryError, Result};

/// The bytes that one stage keeps at most (MongoDB's limit).
pub const STAGE_BYTES_MAX: usize = 100 * 1024 * 1024;

/// Whether a stage has more in memory than it may keep there.
pub(crate) fn is_full(bytes: usize) -> bool {
    bytes > STAGE_BYTES_MAX
}

/// Fails where a stage keeps more than it may.
pub(crate) fn check(stage: &str, bytes: usize) -> Result<()> {
    if bytes <= STAGE_BYTES_MAX {
        return Ok(());
    }
    Err(QueryError::new(
        Code::QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
        format!(
            "Exceeded memory limit for {stage}: it would keep more than {STAGE_BYTES_MAX} bytes in memory, which it cannot do \
             with files; filter or project before it"
        ),
    ))
}
