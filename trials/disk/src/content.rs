//! The bytes of a file, in blocks, with holes.

use std::collections::{BTreeMap, BTreeSet};
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
    /// Blocks that have their room on the disk, but nothing in them yet.
    reserved: BTreeSet<u64>,
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

    /// The blocks that have room on the disk.
    pub fn allocated(&self) -> u64 {
        (self.blocks.len() + self.reserved.len()) as u64
    }

    /// How many blocks the write would add.
    pub fn missing(&self, offset: u64, length: u64) -> u64 {
        blocks_of(offset, length).filter(|(index, ..)| !self.has_room(*index)).count() as u64
    }

    fn has_room(&self, index: u64) -> bool {
        self.blocks.contains_key(&index) || self.reserved.contains(&index)
    }

    /// Gives the range its room, so that writes into it find it.
    pub fn reserve(&mut self, offset: u64, length: u64) {
        let missing: Vec<u64> = blocks_of(offset, length).map(|(index, ..)| index).filter(|index| !self.has_room(*index)).collect();
        self.reserved.extend(missing);
    }

    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut written = 0;
        for (index, start, end) in blocks_of(offset, bytes.len() as u64) {
            self.reserved.remove(&index);
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
                self.reserved.remove(&index);
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
        self.reserved.split_off(&size.div_ceil(BLOCK as u64));
        self.size = size;
    }
}
