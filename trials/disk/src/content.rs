//! The bytes of a file, in blocks, with holes.

use std::collections::BTreeMap;
use std::sync::Arc;

pub const BLOCK: usize = 4096;
/// What a device writes whole or not at all.
pub const SECTOR: usize = 512;

pub type Block = [u8; BLOCK];

/// Blocks are shared between what is written and what is durable until one of them changes.
#[derive(Clone, Default)]
pub struct Content {
    pub size: u64,
    pub blocks: BTreeMap<u64, Arc<Block>>,
}

/// The blocks that some bytes lie in, with the part of each: block, start within it, end within it.
pub fn blocks_of(offset: u64, length: u64) -> impl Iterator<Item = (u64, usize, usize)> {
    let (block, end) = (BLOCK as u64, offset + length);
    (offset / block..end.div_ceil(block)).map(move |index| {
        let start = index * block;
        (index, offset.saturating_sub(start) as usize, (end - start).min(block) as usize)
    })
}

impl Content {
    pub fn read(&self, offset: u64, length: usize) -> Vec<u8> {
        let length = (length as u64).min(self.size.saturating_sub(offset));
        let mut bytes = Vec::with_capacity(length as usize);
        for (index, start, end) in blocks_of(offset, length) {
            match self.blocks.get(&index) {
                Some(block) => bytes.extend_from_slice(&block[start..end]),
                None => bytes.resize(bytes.len() + end - start, 0),
            }
        }
        bytes
    }

    /// How many blocks the write would add.
    pub fn missing(&self, offset: u64, length: u64) -> u64 {
        blocks_of(offset, length).filter(|(index, ..)| !self.blocks.contains_key(index)).count() as u64
    }

    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut written = 0;
        for (index, start, end) in blocks_of(offset, bytes.len() as u64) {
            let block = Arc::make_mut(self.blocks.entry(index).or_insert_with(|| Arc::new([0; BLOCK])));
            block[start..end].copy_from_slice(&bytes[written..written + end - start]);
            written += end - start;
        }
        self.size = self.size.max(offset + bytes.len() as u64);
    }

    /// Takes out whole blocks and fills the rest of the range with zeros, as a punched hole or a cut end.
    pub fn erase(&mut self, offset: u64, length: u64) {
        for (index, start, end) in blocks_of(offset, length) {
            if end - start == BLOCK {
                self.blocks.remove(&index);
            } else if let Some(block) = self.blocks.get_mut(&index) {
                Arc::make_mut(block)[start..end].fill(0);
            }
        }
    }

    pub fn resize(&mut self, size: u64) {
        if size < self.size {
            self.erase(size, (self.size - size).next_multiple_of(BLOCK as u64) + BLOCK as u64);
        }
        self.size = size;
    }
}
