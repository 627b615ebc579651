//! Documents as searches are shown them.

use crate::error::Result;
use engine::{Record, Sequence};
use search::{Run, Seen};
use value::{DocumentBuf, ValueRef};

/// What a document takes whatever is asked of it.
const STEPS_OF_DOCUMENT: usize = 10;
/// Bytes of a document that are looked at in the time of one step.
const BYTES_OF_STEP: usize = 64;

/// About the steps of looking at a document, or of showing it.
pub fn steps_of(document: &DocumentBuf) -> usize {
    STEPS_OF_DOCUMENT + document.bytes().len() / BYTES_OF_STEP
}

/// An `_id` as text.
pub fn id_text(id: ValueRef<'_>) -> String {
    value::json::id_text(id).into_owned()
}

/// The `_id` of a record as text.
pub fn id_of(record: &Record) -> String {
    let id = record.document.as_raw().get("_id");
    id.map_or_else(String::new, id_text)
}

/// The number of a record's last change.
pub fn sequence_number(record: &Record) -> u64 {
    change_number(&record.sequence())
}

/// The number of the change before this position; the first one's is 0.
pub fn change_number(position: &Sequence) -> u64 {
    position.changes_since(&Sequence::START).saturating_sub(1)
}

/// A record as a search sees it; `id` is its `_id` as text.
pub fn seen<'d>(id: &'d str, record: &'d Record) -> Seen<'d> {
    Seen {
        id,
        sequence: sequence_number(record),
        version: record.generation(),
        document: &record.document,
    }
}

/// Shows a run a document, or lets it count that; false where no more are wanted.
pub(crate) fn show_record(run: &mut Run<'_>, record: &Record, counting: bool) -> Result<bool> {
    engine::steps(steps_of(&record.document))?;
    let id = id_of(record);
    let seen = seen(&id, record);
    if counting {
        run.count(&seen);
        return Ok(true);
    }
    Ok(run.see(&seen)?)
}
