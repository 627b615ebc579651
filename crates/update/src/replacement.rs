//! Replacing a whole document; its `_id` stays equal.

use crate::Applied;
use crate::stored::{check_stored, check_top_level_names};
use language::{Code, Error, Result};
use value::{Document, Timestamp, Value, compare};

/// Puts the replacement in the document's place, under an equal `_id`. Where now is given, empty timestamps mean it.
pub(crate) fn apply(
    replacement: &Document,
    document: &mut Document,
    is_insert: bool,
    now_ms: Option<i64>,
) -> Result<Applied> {
    let mut replacement = replacement.clone();
    if let Some(now_ms) = now_ms {
        fill_timestamps(&mut replacement, now_ms);
    }
    // With its `_id`, and in this order: one without counts as a change, though the document stays as it is.
    if replacement == *document {
        return Ok(Applied::Unchanged);
    }
    check_stored(&replacement)?;
    // Like MongoDB, a new document may have any names.
    if !is_insert {
        check_top_level_names(&replacement)?;
    }
    *document = with_id(document.remove("_id"), replacement)?;
    Ok(Applied::Changed)
}

/// An empty timestamp means now, in the fields of the document itself and nowhere else.
fn fill_timestamps(document: &mut Document, now_ms: i64) {
    for (name, value) in document.iter_mut() {
        if name != "_id" && matches!(value, Value::Timestamp(time) if *time == Timestamp::default()) {
            let seconds = u32::try_from(now_ms / 1000).unwrap_or(0);
            *value = Value::Timestamp(Timestamp {
                seconds,
                increment: 1,
            });
        }
    }
}

/// The new document with its `_id` in front, or the old one's where it has none. One that is not equal is an error; the same number
/// of another type is stored as it is given.
pub(crate) fn with_id(old: Option<Value>, new: Document) -> Result<Document> {
    let Some(id) = old else {
        return Ok(id_first(new));
    };
    let mut new = new;
    let kept = new.remove("_id").unwrap_or_else(|| id.clone());
    if compare(kept.as_ref(), id.as_ref()).is_ne() {
        return Err(Error::new(
            Code::IMMUTABLE_FIELD,
            format!(
                "After applying the update, the (immutable) field '_id' was found to have been altered to {}",
                value::shell::field("_id", kept.as_ref())
            ),
        ));
    }
    new.insert_at(0, "_id", kept);
    Ok(new)
}

fn id_first(mut document: Document) -> Document {
    if document.position("_id").is_some_and(|at| at > 0)
        && let Some(id) = document.remove("_id")
    {
        document.insert_at(0, "_id", id);
    }
    document
}
