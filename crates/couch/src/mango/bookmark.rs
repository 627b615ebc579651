//! Where a query goes on: the position of the last document that was found, as a token.

use access::error::Result;
use engine::DocumentPosition;

/// The bookmark where there is no position yet.
pub(crate) const NIL: &str = "nil";

pub(crate) fn read(bookmark: &str) -> Result<Option<DocumentPosition>> {
    if bookmark == NIL {
        return Ok(None);
    }
    match DocumentPosition::from_token(bookmark) {
        Some(position) => Ok(Some(position)),
        None => {
            let mut shown = String::new();
            json::write_string(bookmark, &mut shown);
            Err(mango::Error::invalid_bookmark(&shown).into())
        }
    }
}
