//! The memory of one blocking stage.

use crate::{Code, QueryError, Result};

/// The bytes that one stage keeps at most (MongoDB's limit).
pub const STAGE_BYTES_MAX: usize = 100 * 1024 * 1024;

/// Fails where a stage keeps more than it may.
pub(crate) fn check(stage: &str, bytes: usize) -> Result<()> {
    if bytes <= STAGE_BYTES_MAX {
        return Ok(());
    }
    Err(QueryError::new(
        Code(292),
        format!(
            "Exceeded memory limit for {stage}: it would keep more than {STAGE_BYTES_MAX} bytes, and using the disk is not \
             supported yet; filter or project before it"
        ),
    ))
}
