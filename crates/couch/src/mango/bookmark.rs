//! Where a query goes on: the place of the last document that was found, which means nothing to clients.

use crate::error::Result;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine::DocumentPosition;

/// The first byte of a bookmark of this form.
const FORM: u8 = 1;
/// The bookmark where there is no place yet.
pub(crate) const NIL: &str = "nil";

/// The bookmark of a place.
pub(crate) fn write(position: &DocumentPosition) -> String {
    let mut bytes = vec![FORM];
    bytes.extend_from_slice(position.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The place of a bookmark.
pub(crate) fn read(bookmark: &str) -> Result<Option<DocumentPosition>> {
    if bookmark == NIL {
        return Ok(None);
    }
    let bytes = URL_SAFE_NO_PAD.decode(bookmark).unwrap_or_default();
    match bytes.split_first() {
        Some((&FORM, position)) => Ok(Some(DocumentPosition::from_bytes(position.to_vec()))),
        _ => {
            let mut shown = String::new();
            crate::json::write_string(bookmark, &mut shown);
            Err(mango::Error::invalid_bookmark(&shown).into())
        }
    }
}
