//! Temporary files for what does not fit into memory, kept as long as one operation needs them.
//!
//! A [`SpillFolder`] belongs to a server. An operation writes a file of records (`SpillWriter`) and reads it once from its
//! beginning (`SpillRun`); then the file is removed. Nothing in the folder outlives the server, since opening the folder
//! empties it.
//!
//! Everything is checked when it is read: a file is a sequence of blocks, each with its length (four bytes,
//! little-endian), the CRC-32C of the rest (four bytes), and records: lengths of key and item (four bytes each), key,
//! item. Long items of a sort are in another file (`LongItems`), and its records contain their names.
//!
//! Files are never flushed.

mod file;
mod folder;
mod long_items;
mod quota;

pub use folder::SpillFolder;

pub use file::{SpillRun, damaged};

pub(crate) use long_items::{LongItems, NAME_BYTES};

use crate::Result;
use value::{Document, DocumentBuf, Value, ValueRef};

/// Something that can be kept in a file.
pub trait Spilled: Sized {
    /// Appends its bytes.
    fn save(&self, out: &mut Vec<u8>);

    /// Reads what [`Spilled::save`] has written.
    fn load(bytes: &[u8]) -> Result<Self>;
}

/// An item, and the number of bytes of its key that stand for its partition.
impl<T: Spilled> Spilled for (T, usize) {
    fn save(&self, out: &mut Vec<u8>) {
        out.extend((self.1 as u64).to_le_bytes());
        self.0.save(out);
    }

    fn load(bytes: &[u8]) -> Result<(T, usize)> {
        let (length, item) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        Ok((T::load(item)?, length))
    }
}

/// An item and the value that it is grouped by.
impl<T: Spilled> Spilled for (Value, T) {
    fn save(&self, out: &mut Vec<u8>) {
        let value = DocumentBuf::from(&Document::new().with("", self.0.clone()));
        out.extend_from_slice(value.bytes());
        self.1.save(out);
    }

    fn load(bytes: &[u8]) -> Result<(Value, T)> {
        let (value, item) = split_document(bytes)?;
        let value = value.as_raw().get("").map_or(Value::Null, ValueRef::to_value);
        Ok((value, T::load(item)?))
    }
}

/// A document at the front of an item's bytes, and the bytes after it.
pub(crate) fn split_document(bytes: &[u8]) -> Result<(DocumentBuf, &[u8])> {
    // BSON begins with its length.
    let length = bytes.first_chunk::<4>().ok_or_else(damaged)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| damaged())?;
    let (document, rest) = bytes.split_at_checked(length).ok_or_else(damaged)?;
    Ok((DocumentBuf::from_validated(document.to_vec().into()), rest))
}
