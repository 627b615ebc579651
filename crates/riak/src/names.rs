//! Buckets are collections: `readings` is `default.readings`, and a bucket type other than `default` is a database of its
//! name. Keys are `_id`s. Names may have any bytes here: what cannot stand in a name there is written as `%HH`.

use crate::error::{Result, RiakError};
use crate::limits::NAME_BYTES_MAX;
use engine::{Namespace, Record, RevisionedSnapshot};
use json::Reader;
use std::borrow::Cow;
use std::fmt;
use value::{Binary, ObjectId, Value, ValueRef};

/// The bucket type of buckets without one.
pub(crate) const DEFAULT_TYPE: &[u8] = b"default";

/// A bucket with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bucket {
    pub(crate) kind: Vec<u8>,
    pub(crate) name: Vec<u8>,
}

impl Bucket {
    /// The bucket of these names, unless no bucket can have them.
    pub(crate) fn new(kind: Option<&[u8]>, name: &[u8]) -> Result<Bucket> {
        let kind = kind.unwrap_or(DEFAULT_TYPE);
        check(name, "Bucket")?;
        check_type(kind)?;
        Ok(Bucket {
            kind: kind.to_vec(),
            name: name.to_vec(),
        })
    }

    pub(crate) fn is_default_type(&self) -> bool {
        self.kind == DEFAULT_TYPE
    }

    /// The collection of a bucket.
    pub(crate) fn namespace(&self) -> Namespace {
        Namespace::new(database(&self.kind), collection(&self.name))
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = (
            String::from_utf8_lossy(&self.kind),
            String::from_utf8_lossy(&self.name),
        );
        write!(f, "{kind}/{name}")
    }
}

fn check(name: &[u8], what: &str) -> Result<()> {
    match name.len() {
        0 => Err(RiakError::bad(format!("{what} cannot be zero-length"))),
        1..=NAME_BYTES_MAX => Ok(()),
        bytes => Err(RiakError::bad(format!(
            "{what} has {bytes} bytes; {NAME_BYTES_MAX} are the most"
        ))),
    }
}

/// Refuses the name of a bucket type that none can have.
pub(crate) fn check_type(kind: &[u8]) -> Result<()> {
    check(kind, "Type")
}

/// Refuses a key that no object can have.
pub(crate) fn check_key(key: &[u8]) -> Result<()> {
    check(key, "Key")
}

/// The database of a bucket type.
pub(crate) fn database(kind: &[u8]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || !c.is_ascii();
    let name = escaped(kind, is_plain);
    match Namespace::is_own_database(&name) {
        true => escaped_first(&name),
        false => name,
    }
}

fn collection(bucket: &[u8]) -> String {
    // Names that begin so are the store's own, and a name neither begins nor ends with a dot.
    let has_bad_dot = bucket.starts_with(b"system.") || bucket.starts_with(b".") || bucket.ends_with(b".");
    escaped(bucket, |c| {
        !(c.is_control() || matches!(c, '$' | '%') || c == '.' && has_bad_dot)
    })
}

fn escaped(bytes: &[u8], is_plain: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match is_plain(c) {
                true => out.push(c),
                false => escape(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut out),
            }
        }
        escape(chunk.invalid(), &mut out);
    }
    out
}

fn escape(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        out.push_str(&format!("%{byte:02X}"));
    }
}

fn escaped_first(name: &str) -> String {
    let mut out = String::new();
    escape(&name.as_bytes()[..1], &mut out);
    out + &name[1..]
}

/// The bytes that an escaped name stands for.
pub(crate) fn unescaped(name: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let hex = |at: usize| behind.get(at).and_then(|&digit| char::from(digit).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high << 4 | low) as u8);
                rest = &behind[2..];
            }
            _ => {
                out.push(first);
                rest = behind;
            }
        }
    }
    out
}

/// The `_id` that a new document of this key gets.
pub(crate) fn id_of_key(key: &[u8]) -> Result<Value> {
    check_key(key)?;
    Ok(match std::str::from_utf8(key) {
        Ok(text) => Value::from(text),
        Err(_) => Value::Binary(Binary {
            subtype: 0,
            bytes: key.to_vec(),
        }),
    })
}

/// The key of an `_id`; other types of ids than texts and bytes have the text of their JSON.
pub(crate) fn key_of_id(id: ValueRef<'_>) -> Cow<'_, [u8]> {
    match id {
        ValueRef::String(text) => Cow::Borrowed(text.as_bytes()),
        ValueRef::Binary { subtype: 0, bytes } => Cow::Borrowed(bytes),
        ValueRef::ObjectId(id) => Cow::Owned(id.to_string().into_bytes()),
        other => {
            let mut text = String::new();
            json::write(other, &mut text);
            Cow::Owned(text.into_bytes())
        }
    }
}

/// The same of an `_id` that is not needed any more.
pub(crate) fn owned_key(id: Value) -> Vec<u8> {
    match id {
        Value::String(text) => text.into_bytes(),
        other => key_of_id(other.as_ref()).into_owned(),
    }
}

/// The `_id` that a key names, with its document where there is one: the text itself, or what it means besides where only a document
/// of that `_id` exists.
pub(crate) async fn find(snapshot: &RevisionedSnapshot, key: &[u8]) -> Result<(Value, Option<Record>)> {
    let id = id_of_key(key)?;
    let record = snapshot.document(id.as_ref()).await?;
    if record.is_none()
        && let Some(other) = other_meaning(key)
        && let Some(found) = snapshot.document(other.as_ref()).await?
    {
        return Ok((other, Some(found)));
    }
    Ok((id, record))
}

/// What a key means besides a text: an ObjectId, or another value as relaxed Extended JSON.
fn other_meaning(key: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(key).ok()?;
    if text.len() == 24
        && let Ok(id) = text.parse::<ObjectId>()
    {
        return Some(Value::ObjectId(id));
    }
    // Most keys are told apart without reading them, those that only begin with a digit too.
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    let may_be = match key.first()? {
        b'{' => true,
        b't' | b'f' | b'n' => matches!(key, b"true" | b"false" | b"null"),
        _ => key.iter().all(is_of_number),
    };
    let value = may_be.then(|| Reader::whole(key).ok()).flatten()?;
    (*key_of_id(value.as_ref()) == *key).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_means_another_id_only_as_that_is_written() {
        let id = "0123456789abcdef01234567";
        for (key, meaning) in [
            ("7", Some(Value::Int32(7))),
            ("-1.5", Some(Value::Double(-1.5))),
            ("true", Some(Value::Bool(true))),
            ("null", Some(Value::Null)),
            (id, id.parse().ok().map(Value::ObjectId)),
            ("07", None),
            ("12ab", None),
            ("1+1", None),
            ("tree", None),
            ("{}x", None),
            ("", None),
        ] {
            assert_eq!(other_meaning(key.as_bytes()), meaning, "{key}");
        }
    }

    #[test]
    fn names_of_any_bytes_come_back() {
        for name in [
            &b"readings"[..],
            b"a$b%c",
            b"\xFF\x00x",
            b"system.users",
            b".hidden",
            "b\u{fa}".as_bytes(),
        ] {
            assert_eq!(unescaped(&collection(name)), name);
            assert_eq!(unescaped(&database(name)), name);
        }
        assert_eq!(unescaped(&database(b"admin")), b"admin");
        assert_ne!(database(b"admin"), "admin");
        assert_eq!(collection(b"system.users"), "system%2Eusers");
    }
}
