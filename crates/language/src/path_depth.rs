//! The limit on the number of fields in a path.

use crate::{Code, Error, Result};

/// The most of them (`FieldPath` of MongoDB's `src/mongo/db/pipeline/field_path.h`).
pub const PATH_DEPTH_MAX: usize = 200;

/// Fails for a path of more parts, since each part may become a document within a document.
pub fn check_path_depth(parts: usize) -> Result<()> {
    match parts <= PATH_DEPTH_MAX {
        true => Ok(()),
        false => Err(Error::new(
            Code::OVERFLOW,
            format!("FieldPath is too long: at most {PATH_DEPTH_MAX} fields"),
        )),
    }
}
