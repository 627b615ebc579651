//! A document on its way through a pipeline.

use crate::{Code, QueryError, Result};
use language::expression::{Variables, document_bytes};
use query::spill::Spilled;
use std::sync::Arc;
use value::{Document, DocumentBuf, DocumentRef};

/// The most bytes of a document that is returned to a client: 16 MB and room for what the server adds.
const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024 + 16 * 1024;

/// A document as it was read, or as a stage has built it. Stages that do not change it pass its bytes on.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    /// BSON.
    Raw(DocumentBuf),
    /// Decoded.
    Tree(Document),
    /// With metadata, which `$meta` reads; what is made of this one document keeps it.
    Marked(Box<Marked>),
}

/// A document and its metadata.
#[derive(Clone, Debug)]
pub(crate) struct Marked {
    pub(crate) document: Document,
    /// The values of `$meta` by name.
    pub(crate) metadata: Document,
}

/// The bytes before a document with metadata in a file; they cannot be the length of a document.
const MARK: [u8; 4] = [0; 4];

impl Row {
    pub(crate) fn as_ref(&self) -> DocumentRef<'_> {
        match self {
            Row::Raw(bytes) => bytes.as_ref(),
            Row::Tree(document) => DocumentRef::Tree(document),
            Row::Marked(marked) => DocumentRef::Tree(&marked.document),
        }
    }

    pub(crate) fn into_document(self) -> Document {
        match self {
            Row::Raw(bytes) => bytes.to_document(),
            Row::Tree(document) => document,
            Row::Marked(marked) => marked.document,
        }
    }

    /// The document, and the metadata for a document that is made of it.
    pub(crate) fn into_parts(self) -> (Document, Option<Document>) {
        match self {
            Row::Marked(marked) => (marked.document, Some(marked.metadata)),
            other => (other.into_document(), None),
        }
    }

    /// A document that a stage has built, with the metadata of the one that it was made of.
    pub(crate) fn of_parts(document: Document, metadata: Option<Document>) -> Row {
        match metadata {
            Some(metadata) => Row::Marked(Box::new(Marked { document, metadata })),
            None => Row::Tree(document),
        }
    }

    /// A document that a stage has built, with the metadata of the one that it was made of and more.
    pub(crate) fn with_metadata(document: Document, before: Option<Document>, more: Document) -> Row {
        let mut metadata = before.unwrap_or_default();
        more.into_iter()
            .for_each(|(name, value)| metadata.set(name, value));
        Row::of_parts(document, Some(metadata))
    }

    /// The metadata for documents that are made of it.
    pub(crate) fn metadata(&self) -> Option<&Document> {
        match self {
            Row::Marked(marked) => Some(&marked.metadata),
            Row::Raw(_) | Row::Tree(_) => None,
        }
    }

    /// Makes expressions see its metadata instead of that of the row before it.
    pub(crate) fn show_metadata(&self, variables: &mut Arc<Variables>) {
        match self.metadata() {
            Some(metadata) => Arc::make_mut(variables).set_metadata(metadata.clone()),
            None if variables.shown_metadata().is_empty() => {}
            None => Arc::make_mut(variables).set_metadata(Document::new()),
        }
    }

    /// The approximate bytes that it takes in memory.
    pub(crate) fn size_bytes(&self) -> usize {
        let metadata = self.metadata();
        let metadata_bytes = metadata.map_or(0, |metadata| document_bytes(DocumentRef::Tree(metadata)));
        size_of::<Row>() + document_bytes(self.as_ref()) + metadata_bytes
    }

    /// The row as BSON. Fails if it is larger than a document may be.
    pub(crate) fn into_bson(self) -> Result<DocumentBuf> {
        let bytes = match self {
            Row::Raw(bytes) => bytes,
            Row::Tree(document) => DocumentBuf::from(&document),
            Row::Marked(marked) => DocumentBuf::from(&marked.document),
        };
        let size = bytes.bytes().len();
        if size > DOCUMENT_BYTES_MAX {
            return Err(QueryError::new(
                Code::BSON_OBJECT_TOO_LARGE,
                format!(
                    "BSONObj size: {size} (0x{size:X}) is invalid. Size must be between 0 and {DOCUMENT_BYTES_MAX}(16MB)"
                ),
            ));
        }
        Ok(bytes)
    }
}

impl Spilled for Row {
    fn save(&self, out: &mut Vec<u8>) {
        match self {
            Row::Raw(bytes) => out.extend_from_slice(bytes.bytes()),
            Row::Tree(document) => out.extend_from_slice(DocumentBuf::from(document).bytes()),
            Row::Marked(marked) => {
                out.extend_from_slice(&MARK);
                out.extend_from_slice(DocumentBuf::from(&marked.metadata).bytes());
                out.extend_from_slice(DocumentBuf::from(&marked.document).bytes());
            }
        }
    }

    fn load(bytes: &[u8]) -> Result<Row> {
        let document = |bytes: &[u8]| DocumentBuf::from_validated(bytes.to_vec().into());
        let Some(marked) = bytes.strip_prefix(&MARK) else {
            return Ok(Row::Raw(document(bytes)));
        };
        let length = marked
            .first_chunk()
            .map_or(0, |length| u32::from_le_bytes(*length) as usize);
        let (metadata, marked) = marked.split_at(length.min(marked.len()));
        Ok(Row::Marked(Box::new(Marked {
            document: document(marked).to_document(),
            metadata: document(metadata).to_document(),
        })))
    }
}
