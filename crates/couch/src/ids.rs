//! Ids of documents: text here, any BSON value inside.
//!
//! In a URL an id is a string first, and else the 24 hexadecimal digits of an ObjectId, and else another value as relaxed
//! Extended JSON (`5`), if a document has it.

use crate::error::{CouchError, Result};
use crate::json::Reader;
use engine::RevisionedSnapshot;
use value::{ObjectId, Value, ValueRef};

/// The prefix of design documents.
pub const DESIGN: &str = "_design/";
/// The prefix of local documents.
pub const LOCAL: &str = "_local/";

/// An `_id` as text.
pub fn text(id: ValueRef<'_>) -> String {
    match id {
        ValueRef::String(text) => text.to_owned(),
        ValueRef::ObjectId(id) => id.to_string(),
        other => {
            let mut text = String::new();
            crate::json::write(other, &mut text);
            text
        }
    }
}

/// What a text could be besides a string.
fn other_meaning(text: &str) -> Option<Value> {
    if text.len() == 24
        && let Some(id) = object_id(text)
    {
        return Some(Value::ObjectId(id));
    }
    let first = *text.as_bytes().first()?;
    let may_be = first.is_ascii_digit() || matches!(first, b'-' | b'{' | b't' | b'f' | b'n');
    let value = may_be.then(|| Reader::whole(text.as_bytes()).ok()).flatten()?;
    // Only what would be shown by this very text is meant by it.
    (self::text(value.as_ref()) == text).then_some(value)
}

fn object_id(text: &str) -> Option<ObjectId> {
    let mut bytes = [0; 12];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let digit = |digit: u8| {
            char::from(digit)
                .to_digit(16)
                .filter(|_| !digit.is_ascii_uppercase())
        };
        *byte = (digit(digits[0])? << 4 | digit(digits[1])?) as u8;
    }
    Some(ObjectId::from_bytes(bytes))
}

/// The `_id` that a text means: the string, unless only a document of another kind of `_id` was ever there.
pub async fn resolve(snapshot: &RevisionedSnapshot, text: &str) -> Result<Value> {
    let string = Value::from(text);
    let Some(other) = other_meaning(text) else {
        return Ok(string);
    };
    let known =
        async |id: &Value| -> Result<bool> {
            Ok(snapshot.document(id.as_ref()).await?.is_some()
                || snapshot.deletion(id.as_ref()).await?.is_some())
        };
    Ok(if !known(&string).await? && known(&other).await? {
        other
    } else {
        string
    })
}

/// Whether a text might mean anything but a string.
pub fn is_ambiguous(text: &str) -> bool {
    other_meaning(text).is_some()
}

/// Refuses an id that no document can have (`src/couch/src/couch_doc.erl`, `validate_docid`).
pub fn check(id: &str) -> Result<()> {
    match id {
        "" => Err(CouchError::illegal_docid("Document id must not be empty")),
        DESIGN => Err(CouchError::illegal_docid("Illegal document id `_design/`")),
        LOCAL => Err(CouchError::illegal_docid("Illegal document id `_local/`")),
        _ if id.starts_with('_') && !id.starts_with(DESIGN) && !id.starts_with(LOCAL) => Err(
            CouchError::illegal_docid("Only reserved document ids may start with underscore."),
        ),
        _ => Ok(()),
    }
}
