//! Puts and deletes that are committed together.

use crate::{FIRST_KEY_BYTE, Placed};

/// Puts and deletes of one shard, in order; a later one of the same key wins. They share one flat buffer.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    buffer: Vec<u8>,
    writes: Vec<Write>,
    placed: Vec<Placed>,
}

/// The place of a write's key in the buffer, the key's size, and what is done to it.
#[derive(Clone, Copy, Debug)]
struct Write {
    start: usize,
    key_bytes: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The length of the value that follows the key, in bytes.
    Put(u32),
    /// The length of the bytes that follow the key, and the number of the placed value after them.
    Placed(u32, usize),
    Delete,
}

/// What a batch does to a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'a> {
    /// Sets it to a value.
    Put(&'a [u8]),
    /// Sets it to these bytes followed by those of a placed value.
    PutPlaced(&'a [u8], &'a Placed),
    /// Removes it.
    Delete,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Sets a key.
    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        self.write(key, value, Kind::Put(size(value)));
    }

    /// Sets a key to a few bytes followed by a placed value. Both are read back and checked as one value. `head` is
    /// kept with the key, so it has to be small.
    pub fn put_placed(&mut self, key: &[u8], head: &[u8], placed: &Placed) {
        self.write(key, head, Kind::Placed(size(head), self.placed.len()));
        self.placed.push(placed.clone());
    }

    /// Removes a key; one that is not there is no error.
    pub fn delete(&mut self, key: &[u8]) {
        self.write(key, &[], Kind::Delete);
    }

    fn write(&mut self, key: &[u8], behind: &[u8], kind: Kind) {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(key);
        self.buffer.extend_from_slice(behind);
        self.writes.push(Write {
            start,
            key_bytes: size(key),
            kind,
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

    /// The bytes of all keys and values, without those of placed values.
    pub fn size_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// The key of each write in order.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let key = |write: &Write| &self.buffer[write.start..write.start + write.key_bytes as usize];
        self.writes.iter().map(key)
    }

    /// The key of each write in order, and what is done to it.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], Change<'_>)> {
        self.writes.iter().map(|write| self.entry(write))
    }

    /// The key of each write and what is done to it, ordered by key; of several writes of one key only the last.
    pub(crate) fn sorted(&self) -> impl Iterator<Item = (&[u8], Change<'_>)> {
        let mut order: Vec<(&[u8], Change<'_>)> = self.iter().collect();
        if !order.is_sorted_by(|(left, _), (right, _)| left < right) {
            order.sort_by_key(|(key, _)| *key);
        }
        let mut entries = order.into_iter().peekable();
        std::iter::from_fn(move || {
            loop {
                let (key, value) = entries.next()?;
                // The sort is stable, so a later write of the same key follows this one and wins.
                if entries.peek().is_none_or(|(next, _)| *next != key) {
                    return Some((key, value));
                }
            }
        })
    }

    /// Panics if a key lies in the part of the shard that belongs to the store itself.
    pub(crate) fn check_keys(&self) {
        for (key, _) in self.iter() {
            assert!(
                key.first().is_some_and(|first| *first >= FIRST_KEY_BYTE),
                "the key {key:02x?} must begin with {FIRST_KEY_BYTE:#04x} or a greater byte"
            );
        }
    }

    fn entry(&self, write: &Write) -> (&[u8], Change<'_>) {
        let middle = write.start + write.key_bytes as usize;
        let behind = |bytes: u32| &self.buffer[middle..middle + bytes as usize];
        let change = match write.kind {
            Kind::Put(bytes) => Change::Put(behind(bytes)),
            Kind::Placed(bytes, number) => Change::PutPlaced(behind(bytes), &self.placed[number]),
            Kind::Delete => Change::Delete,
        };
        (&self.buffer[write.start..middle], change)
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
