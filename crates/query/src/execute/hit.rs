//! Hits: the records that a source finds.

use crate::Result;
use crate::spill::{Spilled, damaged, split_document};
use store::RecordId;
use value::{Document, DocumentBuf};

/// One record that a source found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The record, whether its document was read or not.
    pub record: RecordId,
    /// Its document, if the source has read it.
    pub document: Option<DocumentBuf>,
    /// Whether the document was made from an index key and has only the needed fields.
    pub covered: bool,
    /// Its sort key; empty unless index keys are sorted.
    pub sort_key: Vec<u8>,
    /// The index key under which it was found, if that was asked for.
    pub key: Option<Box<Document>>,
}

impl Hit {
    /// A record with its document.
    pub fn whole(record: RecordId, document: DocumentBuf) -> Hit {
        Hit {
            record,
            document: Some(document),
            covered: false,
            sort_key: Vec::new(),
            key: None,
        }
    }

    /// A record whose document is still to be read.
    pub fn of_record(record: RecordId) -> Hit {
        Hit {
            record,
            document: None,
            covered: false,
            sort_key: Vec::new(),
            key: None,
        }
    }

    /// The bytes of its document; 0 if it was not read.
    pub(super) fn document_bytes(&self) -> usize {
        self.document
            .as_ref()
            .map_or(0, |document| document.bytes().len())
    }
}

impl Spilled for Hit {
    fn save(&self, out: &mut Vec<u8>) {
        let document = self.document.as_ref().map(DocumentBuf::bytes);
        let flags = u8::from(document.is_some()) | u8::from(self.covered) << 1;
        out.extend(self.record.0.to_le_bytes());
        out.push(flags);
        if let Some(document) = document {
            out.extend_from_slice(document);
        }
        if let Some(key) = &self.key {
            out.extend_from_slice(DocumentBuf::from(&**key).bytes());
        }
    }

    fn load(bytes: &[u8]) -> Result<Hit> {
        let (record, rest) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (flags, mut rest) = rest.split_first().ok_or_else(damaged)?;
        let document = if flags & 1 == 0 {
            None
        } else {
            let (document, behind) = split_document(rest)?;
            rest = behind;
            Some(document)
        };
        let key = if rest.is_empty() {
            None
        } else {
            let key = DocumentBuf::from_validated(rest.to_vec().into());
            Some(Box::new(key.to_document()))
        };
        Ok(Hit {
            record: RecordId(u64::from_le_bytes(*record)),
            document,
            covered: flags & 2 != 0,
            sort_key: Vec::new(),
            key,
        })
    }
}
