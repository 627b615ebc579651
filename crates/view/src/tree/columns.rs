//! A leaf read as it lies, column by column: for reductions, which need neither ids nor rows of their own.
//!
//! In a page each entry of a column says how many bytes it shares with the one before it. So whether a row is of the same group as the
//! one before it is known without looking at its key.

use bytes::Bytes;
use std::ops::Range;
use value::varint;

/// A leaf.
#[derive(Clone, Debug)]
pub struct Columns {
    content: Bytes,
    rows: usize,
    sort_keys: Column,
    keys: Column,
    values: Column,
}

/// One column: of each entry what it shares with the one before it, and what it has besides.
#[derive(Clone, Debug)]
struct Column {
    shared: Vec<u32>,
    rests: Vec<u32>,
    /// Where the rests begin.
    start: usize,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct LeafRow<'c> {
    /// The bytes that its sort key shares with that of the row that was visited before it.
    pub shared: usize,
    /// The encoded key.
    pub sort_key: &'c [u8],
    /// The key as JSON text.
    pub key: &'c [u8],
    /// The value as JSON text.
    pub value: &'c [u8],
}

impl Columns {
    /// Reads where the columns are, given what stands after the level in a leaf; `None` if the bytes do not have the form of one.
    pub(super) fn read(content: Bytes) -> Option<Columns> {
        let mut rest = &content[..];
        let rows = usize::try_from(varint::take(&mut rest)?).ok()?;
        if rows > rest.len() {
            return None;
        }
        let whole = content.len();
        let sort_keys = Column::read(&mut rest, rows, whole)?;
        let _ids = Column::read(&mut rest, rows, whole)?;
        for _ in 0..rows {
            varint::take(&mut rest)?;
        }
        let keys = Column::read(&mut rest, rows, whole)?;
        let values = Column::read(&mut rest, rows, whole)?;
        rest.is_empty().then_some(Columns {
            content,
            rows,
            sort_keys,
            keys,
            values,
        })
    }

    /// Visits rows in order, until one is not taken; `None` if a row does not have the form of one.
    pub fn visit<E>(
        &self,
        places: Range<usize>,
        mut visit: impl FnMut(LeafRow<'_>) -> Result<(), E>,
    ) -> Option<Result<(), E>> {
        let (mut sort_key, mut key, mut value) = (Cursor::default(), Cursor::default(), Cursor::default());
        for place in 0..places.end.min(self.rows) {
            let shared = sort_key.advance(&self.sort_keys, place, &self.content)?;
            key.advance(&self.keys, place, &self.content)?;
            value.advance(&self.values, place, &self.content)?;
            if place < places.start {
                continue;
            }
            let entry = LeafRow {
                shared: if place == places.start { 0 } else { shared },
                sort_key: &sort_key.current,
                key: &key.current,
                value: &value.current,
            };
            if let Err(error) = visit(entry) {
                return Some(Err(error));
            }
        }
        Some(Ok(()))
    }
}

impl Column {
    fn read(rest: &mut &[u8], rows: usize, whole: usize) -> Option<Column> {
        let (shared, rests) = shared_and_rests(rest, rows)?;
        let start = whole - rest.len();
        let bytes: usize = rests.iter().map(|&size| size as usize).sum();
        *rest = rest.get(bytes..)?;
        Some(Column { shared, rests, start })
    }
}

/// Takes off the front of a column how many bytes each entry shares with the one before it, and how many it has besides.
pub(super) fn shared_and_rests(rest: &mut &[u8], count: usize) -> Option<(Vec<u32>, Vec<u32>)> {
    let numbers = |rest: &mut &[u8]| -> Option<Vec<u32>> {
        (0..count)
            .map(|_| u32::try_from(varint::take(rest)?).ok())
            .collect()
    };
    Some((numbers(rest)?, numbers(rest)?))
}

/// The entry of a column at which a visit is.
#[derive(Default)]
struct Cursor {
    current: Vec<u8>,
    /// The rests that were taken.
    read: usize,
}

impl Cursor {
    /// Goes on to the next entry; what it shares with the one before.
    fn advance(&mut self, column: &Column, place: usize, content: &[u8]) -> Option<usize> {
        let shared = *column.shared.get(place)? as usize;
        let size = *column.rests.get(place)? as usize;
        if shared > self.current.len() {
            return None;
        }
        let start = column.start + self.read;
        self.current.truncate(shared);
        self.current.extend_from_slice(content.get(start..start + size)?);
        self.read += size;
        Some(shared)
    }
}
