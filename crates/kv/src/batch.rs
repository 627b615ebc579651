//! Puts and deletes that are committed together.

use crate::FIRST_KEY_BYTE;

/// Puts and deletes of one shard in the order given; a later one of the same key wins. One flat buffer.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    buffer: Vec<u8>,
    writes: Vec<Write>,
}

/// Where in the buffer a write's key starts, the key's size, and the size of the value behind it if it is a
/// put.
#[derive(Clone, Copy, Debug)]
struct Write {
    start: usize,
    key_bytes: u32,
    value_bytes: Option<u32>,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Sets a key.
    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(key);
        self.buffer.extend_from_slice(value);
        self.writes.push(Write {
            start,
            key_bytes: size(key),
            value_bytes: Some(size(value)),
        });
    }

    /// Removes a key; one that is not there is no error.
    pub fn delete(&mut self, key: &[u8]) {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(key);
        self.writes.push(Write {
            start,
            key_bytes: size(key),
            value_bytes: None,
        });
    }

    /// The number of puts and deletes.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The bytes of all keys and values.
    pub fn size_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Key and, where it is a put, value of each write in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.writes.iter().map(|write| self.entry(write))
    }

    /// Key and value of each write, ordered by key; of several writes of one key only the last.
    pub(crate) fn sorted(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        let mut order: Vec<(&[u8], Option<&[u8]>)> = self.iter().collect();
        if !order.is_sorted_by(|(left, _), (right, _)| left < right) {
            order.sort_by_key(|(key, _)| *key);
        }
        let mut entries = order.into_iter().peekable();
        std::iter::from_fn(move || {
            loop {
                let (key, value) = entries.next()?;
                // The sort is stable, so a later write of the same key stands behind this one and wins.
                if entries.peek().is_none_or(|(next, _)| *next != key) {
                    return Some((key, value));
                }
            }
        })
    }

    /// Panics where a key lies in the part that belongs to the store itself.
    pub(crate) fn check_keys(&self) {
        for (key, _) in self.iter() {
            assert!(
                key.first().is_some_and(|first| *first >= FIRST_KEY_BYTE),
                "the key {key:02x?} must begin with {FIRST_KEY_BYTE:#04x} or a greater byte"
            );
        }
    }

    fn entry(&self, write: &Write) -> (&[u8], Option<&[u8]>) {
        let middle = write.start + write.key_bytes as usize;
        let value = write
            .value_bytes
            .map(|size| &self.buffer[middle..middle + size as usize]);
        (&self.buffer[write.start..middle], value)
    }
}

/// The size of a key or value, which is far below 4 GiB for every caller.
fn size(part: &[u8]) -> u32 {
    assert!(
        u32::try_from(part.len()).is_ok(),
        "a key or value of {} bytes is too large",
        part.len()
    );
    part.len() as u32
}
