//! Ids of documents: text here, any BSON value inside.
//!
//! In a URL an id is a string first, and else the 24 hexadecimal digits of an ObjectId, and else another value as relaxed
//! Extended JSON (`5`), if a document has it.

use crate::error::{CouchError, Result};
use engine::{PARTITION_BEHIND, PARTITION_END, RevisionedSnapshot, partition_of};
use json::Reader;
use std::ops::{Bound, Range};
use value::{ObjectId, Value, ValueRef};

/// The prefix of design documents.
pub const DESIGN: &str = "_design/";
/// The prefix of local documents.
pub const LOCAL: &str = "_local/";
/// The prefix of documents of users.
pub const USER: &str = "org.couchdb.user:";

/// The name of the user whose document has this id.
pub fn name_of_user(id: &str) -> Option<&str> {
    id.strip_prefix(USER)
}

/// An `_id` as text.
pub fn text(id: ValueRef<'_>) -> String {
    value::json::id_text(id).into_owned()
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

/// Refuses an id that no document of a partitioned database can have (`src/couch/src/couch_partition.erl`, `validate_docid`).
pub fn check_partitioned(id: &str) -> Result<()> {
    check_placed(id)?;
    match partition_of(id) {
        Some(partition) => {
            check_partition(partition)?;
            check(&id[partition.len() + 1..])
        }
        None => Ok(()),
    }
}

/// The ids that design documents can have.
pub fn of_designs() -> (Bound<Value>, Bound<Value>) {
    // Up to what comes next to the slash in ASCII.
    let behind = Value::from("_design0");
    (Bound::Included(Value::from(DESIGN)), Bound::Excluded(behind))
}

/// The ids that a partition can have.
pub fn of_partition(name: &str) -> Range<Value> {
    let with = |last: char| Value::from(format!("{name}{last}"));
    with(PARTITION_END)..with(PARTITION_BEHIND)
}

/// What two ranges of ids have in common.
pub fn within(
    (low, high): (Bound<Value>, Bound<Value>),
    Range { start, end }: Range<Value>,
) -> (Bound<Value>, Bound<Value>) {
    let is_before = |a: &Value, b: &Value| value::compare(a.as_ref(), b.as_ref()).is_lt();
    let low = match low {
        Bound::Included(low) if !is_before(&low, &start) => Bound::Included(low),
        Bound::Excluded(low) if !is_before(&low, &start) => Bound::Excluded(low),
        _ => Bound::Included(start),
    };
    let high = match high {
        Bound::Included(high) if is_before(&high, &end) => Bound::Included(high),
        Bound::Excluded(high) if is_before(&high, &end) => Bound::Excluded(high),
        _ => Bound::Excluded(end),
    };
    (low, high)
}

/// Refuses an id that names no partition, which CouchDB does not even look for.
pub fn check_placed(id: &str) -> Result<()> {
    match id.starts_with('_') || partition_of(id).is_some() {
        true => Ok(()),
        false => Err(CouchError::illegal_docid("Doc id must be of form partition:id")),
    }
}

/// Refuses a name that no partition can have (`validate_partition`).
pub fn check_partition(name: &str) -> Result<()> {
    let refuse = |reason| Err(CouchError::illegal_partition(reason));
    match name {
        "" => refuse("Partition must not be empty"),
        _ if name.starts_with('_') => refuse("Partition must not start with an underscore"),
        _ if name.contains(PARTITION_END) => refuse("Partition must not contain a colon"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(checked: Result<()>) -> String {
        checked.err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn ids_of_a_partitioned_database_name_partition_and_document() {
        for id in ["a:b", "a:b:c", "ä:_design/b", "_design/a", "_local/a"] {
            assert_eq!(told(check_partitioned(id)), "", "{id}");
        }
        let wrong = "illegal_docid: Doc id must be of form partition:id";
        assert_eq!(told(check_partitioned("a")), wrong);
        let empty = "illegal_docid: Document id must not be empty";
        assert_eq!(told(check_partitioned("a:")), empty);
        let nameless = "illegal_partition: Partition must not be empty";
        assert_eq!(told(check_partitioned(":a")), nameless);
        let reserved = "illegal_docid: Only reserved document ids may start with underscore.";
        assert_eq!(told(check_partitioned("a:_b")), reserved);
    }

    #[test]
    fn partitions_have_names_without_colon_and_underscore_in_front() {
        assert_eq!(told(check_partition("a_b;c")), "");
        let underscore = "illegal_partition: Partition must not start with an underscore";
        assert_eq!(told(check_partition("_a")), underscore);
        let colon = "illegal_partition: Partition must not contain a colon";
        assert_eq!(told(check_partition("a:b")), colon);
    }
}
