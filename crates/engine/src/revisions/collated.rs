//! Indexes in CouchDB's order, and reading by them.
//!
//! A protocol says which fields an index has and which documents are in it; the index is found by that description,
//! so that any number of names may stand for one.

use super::snapshot::{DocumentPosition, entries_of, go_on};
use super::{Order, PageLimit, Record, RevisionedCollection, RevisionedSnapshot};
use crate::catalog::partial_filter::SELECTOR;
use crate::error::{Error, Result};
use std::ops::Bound;
use std::sync::Arc;
use store::{COLLATED, Index, IndexSpec, IndexState, KeyRange, PARTITIONED_INDEX, put_partition};
use value::{Document, Value, collated, doc};

/// What an index in CouchDB's order holds.
#[derive(Clone, Debug, Default)]
pub struct CollatedDefinition {
    /// Its fields in order; a backslash escapes a dot that does not separate names.
    pub fields: Vec<String>,
    /// Only documents that this selector matches are in it; empty for all.
    pub selector: Document,
    /// Whether it is read partition by partition.
    pub partitioned: bool,
}

/// The part of an index that is read.
#[derive(Clone, Copy, Debug)]
pub struct CollatedRange<'a> {
    /// The partition, which must be given if and only if the index is read partition by partition.
    pub partition: Option<&'a str>,
    /// The values that bound the first fields at the low end, inclusively; empty if there is no bound.
    pub start: &'a [Value],
    /// The same at the high end.
    pub end: &'a [Value],
}

/// An index in CouchDB's order that is built.
#[derive(Clone, Debug)]
pub struct CollatedIndex(Arc<Index>);

/// A document that was found by an index.
#[derive(Clone, Debug)]
pub struct CollatedRow {
    /// The position of the row, to go on after it.
    pub position: DocumentPosition,
    /// The document.
    pub record: Record,
}

impl CollatedDefinition {
    /// A name that no other definition has.
    fn name(&self) -> String {
        let mut described = doc! {
            "fields": self.fields.iter().map(|field| Value::from(field.as_str())).collect::<Value>(),
            "selector": self.selector.clone(),
        };
        if self.partitioned {
            described.push("partitioned", true);
        }
        let hash = blake3::hash(&value::raw::encode_document(&described)).to_hex();
        format!("{COLLATED}_{}", &hash[..32])
    }

    fn spec(&self) -> IndexSpec {
        let key = self
            .fields
            .iter()
            .map(|field| (field.clone(), Value::from(COLLATED)))
            .collect();
        let filter = (!self.selector.is_empty()).then(|| doc! {SELECTOR: self.selector.clone()});
        let mut kept = Document::new();
        if self.partitioned {
            kept.push(PARTITIONED_INDEX, true);
        }
        IndexSpec {
            partial_filter: filter,
            kept,
            ..IndexSpec::new(self.name(), key)
        }
    }
}

impl RevisionedCollection {
    /// The index of this description, if it is built.
    pub fn built_index(&self, definition: &CollatedDefinition) -> Option<CollatedIndex> {
        let name = definition.name();
        let is_meant = |index: &Arc<Index>| index.spec().name == name && index.state() == IndexState::Ready;
        self.collection
            .indexes()
            .into_iter()
            .find(is_meant)
            .map(CollatedIndex)
    }

    /// The index of this description, created if there is none; waits while it is built.
    pub async fn collated_index(&self, definition: &CollatedDefinition) -> Result<CollatedIndex> {
        if let Some(built) = self.built_index(definition) {
            return Ok(built);
        }
        self.collection.create_indexes(vec![definition.spec()]).await?;
        self.built_index(definition).ok_or_else(|| {
            let message = "the index was dropped while it was built";
            Error::new(code::Code::INTERNAL_ERROR, message)
        })
    }

    /// Drops all indexes in CouchDB's order except these.
    pub async fn retain_collated(&self, kept: &[CollatedDefinition]) -> Result<()> {
        let kept: Vec<String> = kept.iter().map(CollatedDefinition::name).collect();
        for index in self.collection.indexes() {
            let name = &index.spec().name;
            if index.is_collated() && !kept.contains(name) {
                self.collection.drop_index(name).await?;
            }
        }
        Ok(())
    }
}

impl RevisionedSnapshot {
    /// Rows of an index after the row `after`, if given, and whether they are the last. The bytes of the last document may go beyond the
    /// limit.
    ///
    /// The snapshot must have been taken after the index was looked up.
    pub async fn collated_rows(
        &self,
        index: &CollatedIndex,
        range: CollatedRange<'_>,
        after: Option<&DocumentPosition>,
        order: Order,
        limit: PageLimit,
    ) -> Result<(Vec<CollatedRow>, bool)> {
        let CollatedIndex(index) = index;
        let mut keys = KeyRange {
            low: bound(range.partition, range.start),
            high: bound(range.partition, range.end),
        };
        let mut after = after.cloned();
        loop {
            if !go_on(&mut keys, after.as_ref(), order) {
                return Ok((Vec::new(), true));
            }
            let page = self
                .snapshot
                .entries(index, &keys, order, entries_of(limit))
                .await?;
            let ids: Vec<_> = page.iter().map(|entry| entry.record).collect();
            let records = self.snapshot.by_records_within(&ids, limit.bytes).await?;
            let is_last = page.exhausted() && records.len() == ids.len();
            let position = |at: usize| DocumentPosition::of_key(page.position(at));
            after = records.len().checked_sub(1).map(position);
            let row = |(at, record): (usize, Option<Record>)| {
                let record = record.filter(|record| !record.repeats_id())?;
                let position = position(at);
                Some(CollatedRow { position, record })
            };
            let rows: Vec<_> = records.into_iter().enumerate().filter_map(row).collect();
            if is_last || after.is_none() || !rows.is_empty() {
                return Ok((rows, is_last));
            }
        }
    }
}

fn bound(partition: Option<&str>, values: &[Value]) -> Bound<Vec<u8>> {
    if values.is_empty() && partition.is_none() {
        return Bound::Unbounded;
    }
    let mut bytes = Vec::new();
    if let Some(partition) = partition {
        put_partition(partition, &mut bytes);
    }
    for value in values {
        collated::encode(value.as_ref(), &mut bytes);
    }
    Bound::Included(bytes)
}
