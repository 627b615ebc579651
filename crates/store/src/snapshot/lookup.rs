//! Finding records by their numbers and documents by their `_id`, in memory or else in the engine.

use super::Snapshot;
use crate::index::entry_record;
use crate::record::Header;
use crate::{Record, RecordId, StoreError, keys};
use bytes::Bytes;
use value::{DocumentBuf, RawDocument, ValueRef};

/// The number of records that are looked up in the engine at once when the bytes of the result are limited.
const LOOKUPS_WITHIN: usize = 128;

/// The bytes of documents that are looked up at once when each is needed only for a moment.
const VISITED_BYTES: usize = 1 << 20;

/// Documents of records that were looked up together.
#[derive(Debug)]
pub struct RawDocuments {
    /// Those that were in memory, one after the other.
    copied: Vec<u8>,
    /// The end of each; one that was not in memory has no bytes.
    ends: Vec<usize>,
    /// Those that were not in memory, with their places; `None` if there is no record.
    read: Vec<(usize, Option<DocumentBuf>)>,
}

impl RawDocuments {
    /// The number of records that were looked up.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no record was looked up.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of all documents.
    pub fn bytes(&self) -> usize {
        let read = self.read.iter().filter_map(|(_, document)| document.as_ref());
        self.copied.len() + read.map(|document| document.bytes().len()).sum::<usize>()
    }

    /// The documents in the order of the look-up; `None` if there is no record.
    pub fn iter(&self) -> impl Iterator<Item = Option<RawDocument<'_>>> {
        let mut start = 0;
        let mut read = self.read.iter();
        self.ends.iter().map(move |&end| {
            let bytes = &self.copied[start..end];
            start = end;
            match bytes.is_empty() {
                false => Some(RawDocument::from_validated(bytes)),
                true => read.next()?.1.as_ref().map(DocumentBuf::as_raw),
            }
        })
    }
}

impl Snapshot {
    /// The record of this id.
    pub async fn by_record(&self, id: RecordId) -> Result<Option<Record>, StoreError> {
        let mut copied = Vec::new();
        if self.cached.copy(id, self.sequence, &mut copied) {
            return self.decode(id, &copied.into()).map(Some);
        }
        let read = self.read_record(id).await?;
        Ok(read.map(|(header, bytes)| header.record(id, &bytes)))
    }

    /// The records of these ids, in their order.
    pub async fn by_records(&self, ids: &[RecordId]) -> Result<Vec<Option<Record>>, StoreError> {
        let (mut records, missing) = self.present(ids)?;
        let keys: Vec<Vec<u8>> = missing.iter().map(|&at| keys::record(ids[at]).to_vec()).collect();
        if !keys.is_empty() {
            let found = self.snapshot.get_many(&keys).await?;
            for (at, bytes) in missing.into_iter().zip(found) {
                let read = bytes.map(|bytes| self.take_in(ids[at], bytes)).transpose()?;
                records[at] = read.map(|(header, bytes)| header.record(ids[at], &bytes));
            }
        }
        Ok(records)
    }

    /// The documents of the first of these records, in their order, until their bytes reach a limit; at least one, if there
    /// is any.
    pub async fn documents_within(
        &self,
        ids: &[RecordId],
        bytes_max: usize,
    ) -> Result<Vec<Option<DocumentBuf>>, StoreError> {
        let RawDocuments { copied, ends, read } = self.raw_documents_within(ids, bytes_max).await?;
        let mut documents = cut(copied, ends);
        for (at, document) in read {
            documents[at] = document;
        }
        Ok(documents)
    }

    /// Calls `visit` with the documents of these records, in their order. Only a few are in memory at a time.
    pub async fn visit_documents<E: From<StoreError>>(
        &self,
        ids: &[RecordId],
        mut visit: impl FnMut(RecordId, DocumentBuf) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = ids;
        while !left.is_empty() {
            let documents = self.documents_within(left, VISITED_BYTES).await?;
            let (these, others) = left.split_at(documents.len().max(1));
            left = others;
            for (&id, document) in these.iter().zip(documents) {
                if let Some(document) = document {
                    visit(id, document)?;
                }
            }
        }
        Ok(())
    }

    /// As [`Snapshot::documents_within`], with the documents in one buffer, to be read in place.
    pub async fn raw_documents_within(
        &self,
        ids: &[RecordId],
        bytes_max: usize,
    ) -> Result<RawDocuments, StoreError> {
        // What is in memory is copied into one buffer.
        let mut copied = Vec::new();
        let mut ends = Vec::with_capacity(ids.len());
        let mut missing = Vec::new();
        self.cached.copy_documents(
            ids,
            self.sequence,
            bytes_max,
            &mut copied,
            &mut ends,
            &mut missing,
        );
        let mut read = Vec::with_capacity(missing.len());
        if !missing.is_empty() {
            let keys: Vec<Vec<u8>> = missing.iter().map(|&at| keys::record(ids[at]).to_vec()).collect();
            let found = self.snapshot.get_many_within(&keys, bytes_max).await?;
            if let Some(&first_left) = missing.get(found.len()) {
                ends.truncate(first_left);
            }
            for (at, bytes) in missing.into_iter().zip(found) {
                let taken = bytes.map(|bytes| self.take_in(ids[at], bytes)).transpose()?;
                read.push((at, taken.map(|(header, bytes)| header.shared(&bytes))));
            }
        }
        Ok(RawDocuments { copied, ends, read })
    }

    /// The document of a record.
    pub async fn document(&self, id: RecordId) -> Result<Option<DocumentBuf>, StoreError> {
        let mut copied = Vec::new();
        if self.cached.copy_document(id, self.sequence, &mut copied) {
            return Ok(Some(DocumentBuf::from_validated(copied.into())));
        }
        let read = self.read_record(id).await?;
        Ok(read.map(|(header, bytes)| header.shared(&bytes)))
    }

    /// The records of the first of these ids, until their bytes reach a limit; at least one, if there is any.
    pub async fn by_records_within(
        &self,
        ids: &[RecordId],
        bytes_max: usize,
    ) -> Result<Vec<Option<Record>>, StoreError> {
        let mut records = Vec::new();
        let mut bytes = 0;
        for portion in ids.chunks(LOOKUPS_WITHIN) {
            let (present, missing) = self.present(portion)?;
            let keys: Vec<Vec<u8>> = missing
                .iter()
                .map(|&at| keys::record(portion[at]).to_vec())
                .collect();
            let left = bytes_max.saturating_sub(bytes);
            let mut read = self.snapshot.get_many_within(&keys, left).await?.into_iter();
            let mut missing = missing.into_iter().peekable();
            for (at, (&id, present)) in portion.iter().zip(present).enumerate() {
                let record = match missing.next_if_eq(&at) {
                    None => present,
                    Some(_) => match read.next() {
                        // All that were read.
                        None => return Ok(records),
                        Some(found) => {
                            let read = found.map(|bytes| self.take_in(id, bytes)).transpose()?;
                            read.map(|(header, bytes)| header.record(id, &bytes))
                        }
                    },
                };
                bytes += record.as_ref().map_or(0, |record| record.document.bytes().len());
                records.push(record);
                if bytes >= bytes_max {
                    return Ok(records);
                }
            }
        }
        Ok(records)
    }

    /// The record whose document has this `_id`.
    pub async fn by_id(&self, id: ValueRef<'_>) -> Result<Option<Record>, StoreError> {
        let key = keys::id_key(id);
        if let Some(guess) = self.cached.guess(&key)
            && let Some(found) = self.by_record(guess).await?
            && has_id(found.document.as_raw(), &key)
        {
            return Ok(Some(found));
        }
        match self.record_of(&key).await? {
            None => Ok(None),
            Some(record) => self.by_record(record).await,
        }
    }

    /// The document of this `_id`, and its record.
    pub async fn document_by_id(
        &self,
        id: ValueRef<'_>,
    ) -> Result<Option<(RecordId, DocumentBuf)>, StoreError> {
        let key = keys::id_key(id);
        if let Some(guess) = self.cached.guess(&key)
            && let Some(found) = self.document(guess).await?
            && has_id(found.as_raw(), &key)
        {
            return Ok(Some((guess, found)));
        }
        let Some(record) = self.record_of(&key).await? else {
            return Ok(None);
        };
        let document = self.document(record).await?;
        Ok(document.map(|document| (record, document)))
    }

    /// The record that the index on `_id` has for a key.
    async fn record_of(&self, id_key: &[u8]) -> Result<Option<RecordId>, StoreError> {
        let Some(value) = self.snapshot.get(id_key).await? else {
            return Ok(None);
        };
        let record = entry_record(&value).ok_or_else(|| self.corrupt("an entry of _id_ without record"))?;
        self.cached.note(id_key, record);
        Ok(Some(record))
    }

    /// The records that are in memory, and the places of the others.
    fn present(&self, ids: &[RecordId]) -> Result<(Vec<Option<Record>>, Vec<usize>), StoreError> {
        // Copied into one buffer, which the records share.
        let mut copied = Vec::new();
        let mut missing = Vec::new();
        let mut ends = Vec::with_capacity(ids.len());
        for (at, &id) in ids.iter().enumerate() {
            if !self.cached.copy(id, self.sequence, &mut copied) {
                missing.push(at);
            }
            ends.push(copied.len());
        }
        let copied = Bytes::from(copied);
        let starts = std::iter::once(&0).chain(&ends);
        let record = |((start, end), &id): ((&usize, &usize), &RecordId)| {
            (start < end)
                .then(|| self.decode(id, &copied.slice(*start..*end)))
                .transpose()
        };
        let records = starts.zip(&ends).zip(ids).map(record);
        Ok((records.collect::<Result<_, StoreError>>()?, missing))
    }

    /// Reads a record from the engine.
    async fn read_record(&self, id: RecordId) -> Result<Option<(Header, Bytes)>, StoreError> {
        let bytes = self.snapshot.get(&keys::record(id)).await?;
        bytes.map(|bytes| self.take_in(id, bytes)).transpose()
    }

    /// Checks the bytes of a record, and keeps them in memory.
    fn take_in(&self, id: RecordId, bytes: Bytes) -> Result<(Header, Bytes), StoreError> {
        let header = Header::read(id, &bytes).map_err(|what| self.corrupt(what))?;
        self.cached.keep(id, self.sequence, &bytes, &header);
        Ok((header, bytes))
    }
}

/// Whether this document has the `_id` with this key. If so, no other document of the snapshot has it, except in collections that
/// repeat `_id`s.
fn has_id(document: RawDocument<'_>, id_key: &[u8]) -> bool {
    document.get("_id").is_some_and(|id| keys::id_key(id) == id_key)
}

/// Cuts a buffer of documents, one after the other, into documents; an empty one is `None`.
fn cut(buffer: Vec<u8>, ends: Vec<usize>) -> Vec<Option<DocumentBuf>> {
    let buffer = Bytes::from(buffer);
    let mut start = 0;
    let documents = ends.into_iter().map(|end| {
        let bytes = (start < end).then(|| buffer.slice(start..end));
        start = end;
        bytes.map(DocumentBuf::from_validated)
    });
    documents.collect()
}
