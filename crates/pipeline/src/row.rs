//! A document on its way through a pipeline.

use crate::{Code, QueryError, Result};
use language::expression::document_bytes;
use query::spill::Spilled;
use value::{Document, DocumentBuf, DocumentRef};

/// The bytes that a document given to a client may have: 16 MB and room for what the server adds.
const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024 + 16 * 1024;

/// A document as it was read, or as a stage has built it. Stages that do not change it pass its bytes on.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    /// BSON.
    Raw(DocumentBuf),
    /// Decoded.
    Tree(Document),
    /// With metadata, which `$meta` reads; stages that make other documents of it drop that.
    Marked(Box<Marked>),
}

/// A document and its metadata.
#[derive(Clone, Debug)]
pub(crate) struct Marked {
    pub(crate) document: Document,
    /// The values of `$meta` by name.
    pub(crate) metadata: Document,
}

/// What stands before a document with metadata in a file, and is no length of one.
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

    /// About the bytes that it takes in memory.
    pub(crate) fn size_bytes(&self) -> usize {
        let metadata = match self {
            Row::Marked(marked) => document_bytes(DocumentRef::Tree(&marked.metadata)),
            Row::Raw(_) | Row::Tree(_) => 0,
        };
        size_of::<Row>() + document_bytes(self.as_ref()) + metadata
    }

    /// As BSON; fails where it is larger than a document may be.
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
