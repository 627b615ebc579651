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
}

impl Row {
    pub(crate) fn as_ref(&self) -> DocumentRef<'_> {
        match self {
            Row::Raw(bytes) => bytes.as_ref(),
            Row::Tree(document) => DocumentRef::Tree(document),
        }
    }

    pub(crate) fn into_document(self) -> Document {
        match self {
            Row::Raw(bytes) => bytes.to_document(),
            Row::Tree(document) => document,
        }
    }

    /// About the bytes that it takes in memory.
    pub(crate) fn size_bytes(&self) -> usize {
        size_of::<Row>() + document_bytes(self.as_ref())
    }

    /// As BSON; fails where it is larger than a document may be.
    pub(crate) fn into_bson(self) -> Result<DocumentBuf> {
        let bytes = match self {
            Row::Raw(bytes) => bytes,
            Row::Tree(document) => DocumentBuf::from(&document),
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
        }
    }

    fn load(bytes: &[u8]) -> Result<Row> {
        Ok(Row::Raw(DocumentBuf::from_validated(bytes.to_vec().into())))
    }
}
