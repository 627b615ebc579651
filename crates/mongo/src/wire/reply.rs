//! Answers on their way out.

use super::Compressor;
use super::header::{HEADER_BYTES, Header, OpCode};
use memory::Share;
use std::sync::Arc;
use value::raw::DocumentWriter;
use value::{Document, DocumentBuf, DocumentRef, Timestamp, ValueRef};

/// The flag of a message that another follows.
const MORE_TO_COME: u32 = 1 << 1;

/// The form that an answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// OP_MSG.
    Msg,
    /// OP_MSG, and more of them as long as a cursor has more, without being asked for.
    Stream,
    /// OP_REPLY, to an OP_QUERY.
    Reply,
    /// The client wants none.
    None,
}

impl ReplyForm {
    /// The form of an answer to a message of this kind.
    pub fn of(opcode: OpCode) -> ReplyForm {
        if opcode == OpCode::Query {
            ReplyForm::Reply
        } else {
            ReplyForm::Msg
        }
    }
}

/// An answer to a command.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// Documents that a cursor gives, written as field `cursor` in front.
    pub cursor: Option<CursorBatch>,
    /// All other fields, `ok` included.
    pub body: Document,
    /// Never compressed, since sizes of compressed secrets tell of their contents.
    pub is_secret: bool,
}

/// One batch of a cursor. The documents go out as they were stored.
#[derive(Clone, Debug)]
pub struct CursorBatch {
    /// `firstBatch` or `nextBatch`.
    pub name: &'static str,
    /// The documents of the batch, copied as they are.
    pub documents: Vec<DocumentBuf>,
    /// The cursor to ask for more, 0 at the end.
    pub id: i64,
    /// `db.collection`.
    pub namespace: String,
    /// The time of the snapshot that is read, where the client asked for one.
    pub at_cluster_time: Option<Timestamp>,
    /// The memory of long documents, until the message that they are copied to is counted.
    pub(crate) _held: Option<Arc<Share>>,
}

impl From<Document> for Reply {
    fn from(body: Document) -> Reply {
        Reply {
            body,
            ..Reply::default()
        }
    }
}

impl Reply {
    /// Whether a cursor has more documents than this reply.
    pub fn has_more(&self) -> bool {
        self.cursor.as_ref().is_some_and(|cursor| cursor.id != 0)
    }

    /// The whole message, header included. `more_to_come` says that another follows it unasked.
    pub fn encode(
        &self,
        form: ReplyForm,
        more_to_come: bool,
        compressor: Option<Compressor>,
        request_id: i32,
        response_to: i32,
    ) -> std::io::Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.size_guess());
        out.resize(HEADER_BYTES, 0);
        let opcode = match form {
            ReplyForm::Msg | ReplyForm::Stream | ReplyForm::None => {
                let flags = if more_to_come { MORE_TO_COME } else { 0 };
                out.extend_from_slice(&flags.to_le_bytes());
                // One section of kind 0.
                out.push(0);
                OpCode::Msg
            }
            ReplyForm::Reply => {
                // Flag AwaitCapable, cursor 0, starting from 0, one document.
                out.extend_from_slice(&8_i32.to_le_bytes());
                out.extend_from_slice(&[0; 12]);
                out.extend_from_slice(&1_i32.to_le_bytes());
                OpCode::Reply
            }
        };
        self.write_document(&mut out);
        let (opcode, mut out) = match compressor {
            Some(compressor) => {
                let payload = out.get(HEADER_BYTES..).unwrap_or_default();
                let mut compressed = vec![0; HEADER_BYTES];
                compressor.compress(opcode, payload, &mut compressed)?;
                (OpCode::Compressed, compressed)
            }
            None => (opcode, out),
        };
        let header = Header {
            length: out.len(),
            request_id,
            response_to,
            opcode,
        };
        header.write_at_front(&mut out);
        Ok(out)
    }

    /// About the bytes of the message; at least what a cursor's documents take.
    pub fn size_guess(&self) -> usize {
        let documents = self.cursor.iter().flat_map(|cursor| &cursor.documents);
        256 + documents
            .map(|document| document.bytes().len() + 8)
            .sum::<usize>()
    }

    /// The reply as one document.
    pub fn to_raw(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size_guess());
        self.write_document(&mut out);
        out
    }

    fn write_document(&self, out: &mut Vec<u8>) {
        let mut writer = DocumentWriter::new(out);
        if let Some(cursor) = &self.cursor {
            writer.put_document("cursor", |writer| cursor.write(writer));
        }
        for (name, value) in self.body.iter() {
            writer.put(name, value.as_ref());
        }
        writer.finish();
    }
}

impl CursorBatch {
    fn write(&self, writer: &mut DocumentWriter<'_>) {
        writer.put_array(self.name, |writer| {
            let mut number = itoa::Buffer::new();
            for (position, document) in self.documents.iter().enumerate() {
                let document = DocumentRef::Raw(document.as_raw());
                writer.put(number.format(position), ValueRef::Document(document));
            }
        });
        writer.put("id", ValueRef::Int64(self.id));
        writer.put("ns", ValueRef::String(&self.namespace));
        if let Some(time) = self.at_cluster_time {
            writer.put("atClusterTime", ValueRef::Timestamp(time));
        }
    }
}
