//! `collation` as an argument.

use crate::arguments::Fields;
use crate::error::{CommandError, Result};
use value::Document;
use value::collation::Collation;

/// The collation asked for, which is a good one; `None` if nothing was asked for.
pub(super) fn parse(arguments: &Fields<'_>) -> Result<Option<Document>> {
    let Some(options) = arguments
        .document("collation")?
        .filter(|options| !options.is_empty())
    else {
        return Ok(None);
    };
    let options = options.to_document();
    read(&options)?;
    Ok(Some(options))
}

/// The collation of a collection with all its options, as it is kept; none for the order of bytes.
pub(super) fn completed(arguments: &Fields<'_>) -> Result<Option<Collation>> {
    match arguments.document("collation")? {
        Some(options) => read(&options.to_document()),
        None => Ok(None),
    }
}

/// Reads a description.
pub(super) fn read(options: &Document) -> Result<Option<Collation>> {
    Collation::parse_asked(options).map_err(|error| CommandError::from(engine::Error::from(error)))
}
