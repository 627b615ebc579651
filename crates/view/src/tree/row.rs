//! Rows and their places.

use bytes::Bytes;

/// Where a row stands: by encoded key, then by id of the document as bytes, then by which emission of that document it
/// was.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The encoded key.
    pub sort_key: Bytes,
    /// The document's id.
    pub id: Bytes,
    /// Counted from 0 within the document and the view.
    pub emission: u32,
}

/// One row of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Its place.
    pub position: Position,
    /// The key as JSON text.
    pub key: Bytes,
    /// The value as JSON text.
    pub value: Bytes,
}

impl Row {
    /// What it takes in a page, uncompressed.
    pub fn size_bytes(&self) -> usize {
        self.position.sort_key.len() + self.position.id.len() + self.key.len() + self.value.len() + 5
    }

    /// What a client sees of it, which is what sizes of a view count.
    pub fn external_bytes(&self) -> u64 {
        (self.position.id.len() + self.key.len() + self.value.len()) as u64
    }
}

/// A change of a tree: a row that is to stand at its place, or a place that is to be empty.
#[derive(Clone, Debug)]
pub enum RowChange {
    /// The row replaces one of the same place.
    Put(Row),
    /// A place without row is no error.
    Delete(Position),
}

impl RowChange {
    /// The place that changes.
    pub fn position(&self) -> &Position {
        match self {
            RowChange::Put(row) => &row.position,
            RowChange::Delete(position) => position,
        }
    }
}

/// What an inner page (or the head) knows of a page below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// No row below is before it.
    pub first: Position,
    /// The page's number.
    pub page: u64,
    /// What is below it.
    pub summary: Summary,
}

/// What a subtree amounts to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The rows in the subtree.
    pub rows: u64,
    /// Their [`Row::external_bytes`].
    pub bytes: u64,
    /// The reduction by each function of the view.
    pub reductions: Vec<Bytes>,
}

impl Child {
    /// What it takes in a page, uncompressed.
    pub fn size_bytes(&self) -> usize {
        let reductions: usize = self.summary.reductions.iter().map(|one| one.len() + 3).sum();
        self.first.sort_key.len() + self.first.id.len() + reductions + 32
    }
}
