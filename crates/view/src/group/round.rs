//! What one commit of an update changes.

use super::state::GroupState;
use crate::codec::{Reader, put_sized};
use crate::design::Definition;
use crate::key::{self, Collation};
use crate::limits::{ROW_OVERHEAD_BYTES, UPDATE_ROUND_BYTES};
use crate::tree::{Position, Row, RowChange, Tree, Writer};
use crate::{Error, Result};
use bytes::Bytes;
use memory::{Budget, Holder, Share};
use serde_json::value::RawValue;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use store::{DerivedSnapshot, PageBatch, StoreError};
use value::varint;

/// One round takes this part of what those of all updates may have together.
const ROUND_SHARE_OF_LIMIT: usize = 2;

/// Changed documents with their new rows, gathered until they are worth a commit.
#[derive(Debug)]
pub struct Round {
    share: Share,
    documents: Vec<Document>,
    /// Where in `documents` the last change of an id is.
    places: HashMap<Bytes, usize>,
    bytes: usize,
}

#[derive(Debug)]
struct Document {
    id: Bytes,
    /// The place of the view with each row.
    rows: Vec<(usize, Row)>,
}

/// What map functions answer: for each document, for each function, key and value of each row.
type Answer<'a> = Vec<Vec<Vec<(&'a RawValue, &'a RawValue)>>>;

impl Round {
    /// An empty one. What it gathers comes out of this memory.
    pub fn within(memory: &Budget) -> Round {
        Round {
            share: memory.share(Holder::Views),
            documents: Vec::new(),
            places: HashMap::new(),
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
        self.add(id.into(), Vec::new());
    }

    /// Takes what the map functions said of the first of these documents; of how many.
    pub fn add_mapped(&mut self, ids: &[String], answer: String, definition: &Definition) -> Result<usize> {
        let answer = Bytes::from(answer);
        let documents: Answer<'_> = serde_json::from_slice(&answer)
            .map_err(|error| Error::InvalidValue(format!("rows of {}: {error}", definition.id)))?;
        let mapped = documents.len();
        for (id, views) in ids.iter().zip(documents) {
            let id = Bytes::from(id.clone());
            let mut rows = Vec::with_capacity(views.iter().map(Vec::len).sum());
            for (view, emitted) in views.into_iter().enumerate() {
                let first = rows.len();
                for (key, value) in emitted {
                    let position = Position {
                        sort_key: sort_key(&id, key.get(), definition, view)?,
                        id: id.clone(),
                        emission: 0,
                    };
                    let key = answer.slice_ref(key.get().as_bytes());
                    let value = answer.slice_ref(value.get().as_bytes());
                    rows.push((view, Row { position, key, value }));
                }
                number(&mut rows[first..])?;
            }
            self.add(id, rows);
        }
        Ok(mapped)
    }

    fn add(&mut self, id: Bytes, rows: Vec<(usize, Row)>) {
        let size: usize = rows.iter().map(|(_, row)| row.size_bytes()).sum();
        self.bytes += size + id.len() + (rows.len() + 1) * ROW_OVERHEAD_BYTES;
        // The document changed again since. Only its latest rows count: those that are stored are found by its entry in
        // the tree of documents, so what the round held before needs no deletion. The order does not matter, since
        // `write` sorts.
        if let Some(before) = self.places.insert(id.clone(), self.documents.len()) {
            self.documents.swap_remove(before);
            if let Some(moved) = self.documents.get(before) {
                self.places.insert(moved.id.clone(), before);
            }
            self.places.insert(id.clone(), self.documents.len());
        }
        self.documents.push(Document { id, rows });
    }

    /// Changes the trees, and the state with them, and empties the round.
    pub async fn write(
        &mut self,
        snapshot: &Arc<DerivedSnapshot>,
        state: &mut GroupState,
        definition: &Definition,
    ) -> Result<PageBatch> {
        let documents = std::mem::take(&mut self.documents);
        self.places.clear();
        self.bytes = 0;
        let documents = in_order(documents, |document| &document.id, |a, b| a.id.cmp(&b.id));
        let mut changes: Vec<Vec<RowChange>> = vec![Vec::new(); definition.views.len()];
        let old = old_rows(snapshot, state, &documents).await?;
        let mut of_documents = Vec::with_capacity(documents.len());
        let mut indexed = old.iter().peekable();
        for document in documents {
            // The tree of documents notes the places of a document's rows, so they can be deleted without running the
            // map functions on what the document was. Both lists are in the order of ids.
            let before = indexed.next_if(|row| row.position.sort_key == document.id);
            if let Some(before) = before {
                let places = decode_places(&before.value, &document.id);
                let places = places.ok_or_else(|| snapshot.corrupt("the rows noted of a document"))?;
                for (view, place) in places {
                    let changes = changes.get_mut(view);
                    let changes = changes.ok_or_else(|| snapshot.corrupt("a row of a view that is none"))?;
                    changes.push(RowChange::Delete(place));
                }
            }
            let place = Position {
                sort_key: document.id,
                ..Position::default()
            };
            if !document.rows.is_empty() {
                let value = encode_places(&document.rows);
                let row = Row {
                    position: place,
                    key: Bytes::new(),
                    value,
                };
                of_documents.push(RowChange::Put(row));
            } else if before.is_some() {
                of_documents.push(RowChange::Delete(place));
            }
            for (view, row) in document.rows {
                changes[view].push(RowChange::Put(row));
            }
        }
        // All trees change in one batch, which is committed with the state that names their roots: so a crash leaves the rows of
        // all views at the same position of the log.
        let mut batch = PageBatch::default();
        let next_page = &mut state.next_page;
        let writer = Writer::new(snapshot, &mut batch, next_page, &[]);
        state.documents = writer.apply(state.documents.take(), of_documents).await?;
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

/// The encoded key of a row; in a partitioned view it follows the partition of the document's id.
fn sort_key(id: &[u8], key: &str, definition: &Definition, view: usize) -> Result<Bytes> {
    let key = serde_json::from_str(key)
        .map_err(|error| Error::InvalidValue(format!("a key of {}: {error}", definition.id)))?;
    let mut out = Vec::with_capacity(24);
    if definition.partitioned {
        let partition = std::str::from_utf8(id).ok().and_then(store::partition_of);
        let partition = partition.ok_or(Error::Store(StoreError::NoPartition))?;
        store::put_partition(partition, &mut out);
    }
    key::encode(&key, definition.views[view].collation, &mut out)?;
    Ok(out.into())
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
/// own, and each item is moved once; items are compared only if those bytes are equal.
fn in_order<T>(items: Vec<T>, key: fn(&T) -> &Bytes, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let begin = |(at, item): (usize, &T)| (first_bytes(key(item)), at);
    let mut order: Vec<(u64, usize)> = items.iter().enumerate().map(begin).collect();
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(&items[a.1], &items[b.1])));
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|(_, at)| items[at].take()).collect()
}

/// The first eight bytes as a number of their order; what is shorter ends in zeros.
fn first_bytes(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let size = bytes.len().min(8);
    first[..size].copy_from_slice(&bytes[..size]);
    u64::from_be_bytes(first)
}

/// For each row the view, the encoded key and which emission it was.
fn encode_places(rows: &[(usize, Row)]) -> Bytes {
    let size = rows.iter().map(|(_, row)| row.position.sort_key.len() + 6).sum();
    let mut out = Vec::with_capacity(size);
    for (view, row) in rows {
        varint::put(*view as u64, &mut out);
        varint::put(u64::from(row.position.emission), &mut out);
        put_sized(&row.position.sort_key, &mut out);
    }
    out.into()
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
