//! Puts and deletes that are committed together.

/// Puts and deletes of one shard in the order given; a later one of the same key wins. One flat buffer.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    buffer: Vec<u8>,
    writes: Vec<(u32, u32, Option<u32>)>,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Sets a key.
    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        let start = self.buffer.len() as u32;
        self.buffer.extend_from_slice(key);
        self.buffer.extend_from_slice(value);
        self.writes.push((start, key.len() as u32, Some(value.len() as u32)));
    }

    /// Removes a key; one that is not there is no error.
    pub fn delete(&mut self, key: &[u8]) {
        let start = self.buffer.len() as u32;
        self.buffer.extend_from_slice(key);
        self.writes.push((start, key.len() as u32, None));
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
        self.writes.iter().map(|&(start, key, value)| {
            let (start, middle) = (start as usize, (start + key) as usize);
            let value = value.map(|size| &self.buffer[middle..middle + size as usize]);
            (&self.buffer[start..middle], value)
        })
    }
}
