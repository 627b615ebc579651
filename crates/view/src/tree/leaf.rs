//! A leaf that is not read yet: for whoever may know already what is in it.

use super::columns::Columns;
use super::page;
use bytes::Bytes;
use std::ops::Range;

/// What tells a leaf from every other: pages are changed in place, so their numbers do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeafHash([u8; 32]);

/// The bytes of a leaf, and which of its rows are asked for.
#[derive(Clone, Debug)]
pub struct Leaf {
    bytes: Bytes,
    places: Range<usize>,
    is_whole: bool,
}

impl Leaf {
    pub(super) fn new(bytes: Bytes, places: Range<usize>, is_whole: bool) -> Leaf {
        Leaf {
            bytes,
            places,
            is_whole,
        }
    }

    /// The places of the rows that are asked for.
    pub fn places(&self) -> Range<usize> {
        self.places.clone()
    }

    /// Where all of its rows are asked for, by what it is known.
    pub fn hash_of_whole(&self) -> Option<LeafHash> {
        self.is_whole
            .then(|| LeafHash(*blake3::hash(&self.bytes).as_bytes()))
    }

    /// Its rows; `None` if the bytes do not have the form of a leaf.
    pub fn columns(&self) -> Option<Columns> {
        page::decode_columns(&self.bytes)
    }
}
