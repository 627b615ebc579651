//! What one commit of an update changes.

use super::state::GroupState;
use crate::codec::{Reader, put_sized};
use crate::design::Definition;
use crate::key::{self, Collation};
use crate::limits::{
    DOCUMENT_OVERHEAD_BYTES, ROW_OVERHEAD_BYTES, UPDATE_ROUND_BYTES, WRITTEN_ROW_OVERHEAD_BYTES,
};
use crate::tree::{Position, Row, RowChange, Tree, Writer};
use crate::{Error, Result};
use bytes::Bytes;
use memory::{Budget, Holder, Share};
use serde_json::value::RawValue;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use store::{DerivedSnapshot, PageBatch, StoreError};
use value::varint;

/// One round gathers this part of what those of all updates may have together: while it is written, it takes nearly as much again, and
/// the next is gathered.
const ROUND_SHARE_OF_LIMIT: usize = 3;

/// Changed documents with their new rows, gathered until they are worth a commit.
#[derive(Debug)]
pub struct Round {
    share: Share,
    /// A document that changed twice is there twice; the later one counts.
    documents: Vec<Document>,
    batches: Vec<Batch>,
    /// The rows in all batches.
    rows: usize,
    bytes: usize,
}

/// The rows of documents that were mapped together, those of one document one after the other: the place of the view with each.
/// One list for all batches would be copied as it grows.
type Batch = Vec<(usize, Row)>;

#[derive(Debug)]
struct Document {
    id: Bytes,
    /// Where its rows are: in which batch, and where in it.
    batch: usize,
    rows: Range<usize>,
}

/// What map functions answer: for each document, for each function, key and value of each row.
type Answer<'a> = Vec<Vec<Vec<(&'a RawValue, &'a RawValue)>>>;

impl Round {
    /// An empty one. What it gathers comes out of this memory.
    pub fn within(memory: &Budget) -> Round {
        Round {
            share: memory.share(Holder::Views),
            documents: Vec::new(),
            batches: Vec::new(),
            rows: 0,
            bytes: 0,
        }
    }

    /// Whether it should be written before more is gathered: because it is large, or because other updates have the memory.
    pub fn is_full(&mut self) -> bool {
        let has_room = self.share.fit(self.bytes);
        if !has_room {
            self.share.charge(self.bytes);
        }
        !has_room || self.bytes >= UPDATE_ROUND_BYTES.min(self.share.limit() / ROUND_SHARE_OF_LIMIT)
    }

    /// Takes documents that have no rows (any more).
    pub fn add_removed(&mut self, id: String) {
        self.add(id.into(), 0..0, &[]);
    }

    /// Takes what the map functions said of the first of these documents; of how many.
    pub fn add_mapped(&mut self, ids: &[String], answer: String, definition: &Definition) -> Result<usize> {
        let answer = Bytes::from(answer);
        let documents: Answer<'_> = serde_json::from_slice(&answer)
            .map_err(|error| Error::InvalidValue(format!("rows of {}: {error}", definition.id)))?;
        let mut mapped_ids = Pieces::new(ids.iter().take(documents.len()).map(String::as_bytes));
        let mut sort_keys = sort_keys(ids, &documents, definition)?;
        let mapped = documents.len();
        let mut rows = Vec::with_capacity(sort_keys.len());
        for views in documents {
            let id = mapped_ids.next().unwrap_or_default();
            let first_of_document = rows.len();
            for (view, emitted) in views.into_iter().enumerate() {
                let first = rows.len();
                for (key, value) in emitted {
                    let position = Position {
                        sort_key: sort_keys.next().unwrap_or_default(),
                        id: id.clone(),
                        emission: 0,
                    };
                    let key = answer.slice_ref(key.get().as_bytes());
                    let value = answer.slice_ref(value.get().as_bytes());
                    rows.push((view, Row { position, key, value }));
                }
                number(&mut rows[first..])?;
            }
            self.add(id, first_of_document..rows.len(), &rows[first_of_document..]);
        }
        self.rows += rows.len();
        self.batches.push(rows);
        Ok(mapped)
    }

    /// Adds a document of the batch that comes next, with its place there and its rows.
    fn add(&mut self, id: Bytes, place: Range<usize>, rows: &[(usize, Row)]) {
        let size: usize = rows.iter().map(|(_, row)| row.size_bytes()).sum();
        self.bytes += size + id.len() + DOCUMENT_OVERHEAD_BYTES + rows.len() * ROW_OVERHEAD_BYTES;
        self.documents.push(Document {
            id,
            batch: self.batches.len(),
            rows: place,
        });
    }

    /// The documents in the order of their ids, of those that changed twice the later one: the rows that are stored are found by
    /// the document's entry in the tree of documents, so what the round held of it before needs no deletion.
    fn take_documents(&mut self) -> Vec<Document> {
        let documents = std::mem::take(&mut self.documents);
        let mut documents = in_order(documents, |document| &document.id, |a, b| a.id.cmp(&b.id));
        documents.dedup_by(|later, earlier| {
            let is_same = later.id == earlier.id;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        documents
    }

    /// Changes the trees, and the state with them, and empties the round.
    pub async fn write(
        &mut self,
        snapshot: &Arc<DerivedSnapshot>,
        state: &mut GroupState,
        definition: &Definition,
    ) -> Result<PageBatch> {
        // What is gathered already has to be written, so there is nothing to be refused.
        self.share
            .charge(self.bytes + self.rows * WRITTEN_ROW_OVERHEAD_BYTES);
        let documents = self.take_documents();
        let mut batches = std::mem::take(&mut self.batches);
        (self.bytes, self.rows) = (0, 0);
        let old = old_rows(snapshot, state, &documents).await?;
        let (of_documents, mut changes) = of_documents(&documents, &batches, &old, definition.views.len())
            .map_err(|what| snapshot.corrupt(what))?;
        drop(old);
        // All trees change in one batch, which is committed with the state that names their roots: so a crash leaves the rows of
        // all views at the same position of the log.
        let mut batch = PageBatch::default();
        let next_page = &mut state.next_page;
        let writer = Writer::new(snapshot, &mut batch, next_page, &[]);
        state.documents = writer.apply(state.documents.take(), of_documents).await?;
        // Only now: the changes of all trees at once would be half as much memory again.
        reserve(&mut changes, &batches);
        for document in documents {
            for (view, row) in batches
                .get_mut(document.batch)
                .and_then(|batch| batch.get_mut(document.rows))
                .unwrap_or_default()
            {
                changes[*view].push(RowChange::Put(std::mem::take(row)));
            }
        }
        drop(batches);
        for ((changes, root), view) in changes.into_iter().zip(&mut state.views).zip(&definition.views) {
            let writer = Writer::new(snapshot, &mut batch, next_page, &view.reducers);
            *root = writer.apply(root.take(), sorted(changes)).await?;
        }
        Ok(batch)
    }
}

/// Numbers the rows that one document emitted in one view. Those of one key come in the order of their values, as
/// Erlang orders them, for that is how CouchDB keeps them (`couch_mrview_updater:insert_results`).
fn number(rows: &mut [(usize, Row)]) -> Result<()> {
    if rows.len() < 2 {
        return Ok(());
    }
    let mut order = Vec::with_capacity(rows.len());
    for (_, row) in rows.iter() {
        let mut value = Vec::new();
        let parsed = serde_json::from_slice(&row.value);
        let parsed = parsed.map_err(|error| Error::InvalidValue(format!("an emitted value: {error}")))?;
        key::encode(&parsed, Collation::Raw, &mut value)?;
        order.push((row.position.sort_key.clone(), value, order.len()));
    }
    order.sort_unstable();
    for (emission, (_, _, place)) in order.into_iter().enumerate() {
        rows[place].1.position.emission = emission as u32;
    }
    Ok(())
}

/// Texts one after the other in one allocation: a round has many small ones.
struct Pieces {
    bytes: Bytes,
    ends: std::vec::IntoIter<usize>,
    at: usize,
}

impl Pieces {
    fn new<'p>(pieces: impl Iterator<Item = &'p [u8]>) -> Pieces {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for piece in pieces {
            bytes.extend_from_slice(piece);
            ends.push(bytes.len());
        }
        Pieces::ending(bytes, ends)
    }

    /// How many are to come.
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn ending(bytes: Vec<u8>, ends: Vec<usize>) -> Pieces {
        Pieces {
            bytes: bytes.into(),
            ends: ends.into_iter(),
            at: 0,
        }
    }
}

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let end = self.ends.next()?;
        let start = std::mem::replace(&mut self.at, end);
        Some(self.bytes.slice(start..end))
    }
}

/// The encoded keys of all rows; in a partitioned view each follows the partition of its document's id.
fn sort_keys(ids: &[String], documents: &Answer<'_>, definition: &Definition) -> Result<Pieces> {
    let (mut out, mut ends) = (Vec::new(), Vec::new());
    for (id, views) in ids.iter().zip(documents) {
        for (view, emitted) in views.iter().enumerate() {
            let collation = definition.views[view].collation;
            for (key, _) in emitted {
                if definition.partitioned {
                    let partition = store::partition_of(id).ok_or(Error::Store(StoreError::NoPartition))?;
                    store::put_partition(partition, &mut out);
                }
                let key = serde_json::from_str(key.get())
                    .map_err(|error| Error::InvalidValue(format!("a key of {}: {error}", definition.id)))?;
                key::encode(&key, collation, &mut out)?;
                ends.push(out.len());
            }
        }
    }
    Ok(Pieces::ending(out, ends))
}

/// The rows of a document.
fn rows_of<'b>(document: &Document, batches: &'b [Batch]) -> &'b [(usize, Row)] {
    let batch = batches.get(document.batch);
    batch
        .and_then(|batch| batch.get(document.rows.clone()))
        .unwrap_or_default()
}

/// Makes room for the rows of each view.
fn reserve(changes: &mut [Vec<RowChange>], batches: &[Batch]) {
    let mut counts = vec![0; changes.len()];
    let rows = batches.iter().flatten();
    rows.for_each(|(view, _)| counts[*view] += 1);
    for (changes, count) in changes.iter_mut().zip(counts) {
        changes.reserve_exact(count);
    }
}

/// The changes of the tree of documents, and for each view the deletions of the rows that they had before. Both lists of
/// documents are in the order of ids. The error is what is corrupt.
fn of_documents(
    documents: &[Document],
    batches: &[Batch],
    old: &[Row],
    views: usize,
) -> std::result::Result<(Vec<RowChange>, Vec<Vec<RowChange>>), &'static str> {
    let mut deletions: Vec<Vec<RowChange>> = vec![Vec::new(); views];
    let mut changes = Vec::with_capacity(documents.len());
    let mut noted = noted_places(documents, batches);
    let mut old = old.iter().peekable();
    for document in documents {
        // The tree of documents notes the places of a document's rows, so they can be deleted without running the map
        // functions on what the document was.
        let before = old.next_if(|row| row.position.sort_key == document.id);
        if let Some(before) = before {
            let places = decode_places(&before.value, &document.id);
            for (view, place) in places.ok_or("the rows noted of a document")? {
                let deletions = deletions.get_mut(view).ok_or("a row of a view that is none")?;
                deletions.push(RowChange::Delete(place));
            }
        }
        let position = Position {
            sort_key: document.id.clone(),
            ..Position::default()
        };
        let value = noted.next().unwrap_or_default();
        if !document.rows.is_empty() {
            changes.push(RowChange::Put(Row {
                position,
                key: Bytes::new(),
                value,
            }));
        } else if before.is_some() {
            changes.push(RowChange::Delete(position));
        }
    }
    Ok((changes, deletions))
}

/// What is noted of those documents that had rows before.
async fn old_rows(
    snapshot: &Arc<DerivedSnapshot>,
    state: &GroupState,
    documents: &[Document],
) -> Result<Vec<Row>> {
    if state.documents.is_none() {
        return Ok(Vec::new());
    }
    let place = |document: &Document| Position {
        sort_key: document.id.clone(),
        ..Position::default()
    };
    let places: Vec<Position> = documents.iter().map(place).collect();
    let tree = Tree::new(snapshot.clone(), state.documents.clone());
    let mut rows = tree.rows_at(&places).await?;
    rows.sort_unstable_by(|a, b| a.position.cmp(&b.position));
    Ok(rows)
}

/// Sorts by place. Where the old rows' deletion and a new row fall to one place, only the new row stays, since the tree
/// takes one change a place.
fn sorted(changes: Vec<RowChange>) -> Vec<RowChange> {
    let is_put = |change: &RowChange| matches!(change, RowChange::Put(_));
    let compare =
        |a: &RowChange, b: &RowChange| a.position().cmp(b.position()).then(is_put(b).cmp(&is_put(a)));
    let mut changes = in_order(changes, |change| &change.position().sort_key, compare);
    changes.dedup_by(|later, earlier| later.position() == earlier.position());
    changes
}

/// Sorts large items whose order begins with that of `key`. The first bytes of the keys are sorted in an array of their
/// own, and each item is moved once; items are compared only if those bytes are equal. Equal items stay in their order.
fn in_order<T>(items: Vec<T>, key: fn(&T) -> &Bytes, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let begin = |(at, item): (usize, &T)| (first_bytes(key(item)), at);
    let mut order: Vec<(u64, usize)> = items.iter().enumerate().map(begin).collect();
    order.sort_unstable_by(|a, b| {
        let whole = || compare(&items[a.1], &items[b.1]).then(a.1.cmp(&b.1));
        a.0.cmp(&b.0).then_with(whole)
    });
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let mut sorted = Vec::with_capacity(order.len());
    sorted.extend(order.into_iter().filter_map(|(_, at)| items[at].take()));
    sorted
}

/// The first eight bytes as a number of their order; what is shorter ends in zeros.
fn first_bytes(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let size = bytes.len().min(8);
    first[..size].copy_from_slice(&bytes[..size]);
    u64::from_be_bytes(first)
}

/// What the tree of documents notes of each: of each row the view, the encoded key and which emission it was.
fn noted_places(documents: &[Document], batches: &[Batch]) -> Pieces {
    let (mut out, mut ends) = (Vec::new(), Vec::with_capacity(documents.len()));
    for document in documents {
        for (view, row) in rows_of(document, batches) {
            varint::put(*view as u64, &mut out);
            varint::put(u64::from(row.position.emission), &mut out);
            put_sized(&row.position.sort_key, &mut out);
        }
        ends.push(out.len());
    }
    Pieces::ending(out, ends)
}

fn decode_places(bytes: &Bytes, id: &Bytes) -> Option<Vec<(usize, Position)>> {
    let mut reader = Reader::new(bytes.clone());
    let mut out = Vec::new();
    while !reader.is_at_end() {
        let view = usize::try_from(reader.varint()?).ok()?;
        let position = Position {
            emission: reader.number()?,
            sort_key: reader.sized()?,
            id: id.clone(),
        };
        out.push((view, position));
    }
    Some(out)
}
