//! A chunk as a document of `BUCKET.chunks`: `{_id, files_id, n, data}`.

use bytes::Bytes;
use value::raw::DocumentWriter;
use value::{DocumentBuf, ObjectId, RawDocument, Type, Value, ValueRef};

/// True in the first chunk of a file that the server writes itself, not a driver chunk by chunk. By this the sweep recognises
/// uploads that ended with the process that wrote them.
pub(super) const SERVER: &str = "server";

/// The type byte, name and length in front of the bytes of the field `data`, and the subtype.
const DATA: &[u8] = b"\x05data\0";

/// The fields of a chunk.
pub(super) struct Chunk {
    pub(super) id: Value,
    pub(super) number: i64,
    pub(super) data: Bytes,
}

impl Chunk {
    /// Reads a chunk's document; its bytes share the document's memory. `None` if it is no chunk.
    pub(super) fn read(document: &DocumentBuf) -> Option<Chunk> {
        let raw = document.as_raw();
        let ValueRef::Binary { bytes, .. } = raw.get("data")? else {
            return None;
        };
        Some(Chunk {
            id: raw.get("_id")?.to_value(),
            number: raw.get("n")?.as_i64_exact()?,
            data: document.bytes().slice_ref(bytes),
        })
    }
}

/// A chunk being filled: the document is laid out at once, so that the bytes are copied only into it.
#[derive(Debug)]
pub(super) struct ChunkBuilder {
    buffer: Vec<u8>,
    /// Where the length of the data stands.
    length_at: usize,
    id: ObjectId,
}

impl ChunkBuilder {
    /// An empty chunk of a file with room for this many bytes, in the memory of an earlier chunk if there is one.
    pub(super) fn new(
        id: ObjectId,
        file: &Value,
        number: i32,
        capacity: usize,
        memory: Vec<u8>,
    ) -> ChunkBuilder {
        let mut buffer = memory;
        buffer.clear();
        buffer.reserve(capacity + 128);
        let mut fields = DocumentWriter::new(&mut buffer);
        fields.put("_id", ValueRef::ObjectId(id));
        fields.put("files_id", file.as_ref());
        fields.put("n", ValueRef::Int32(number));
        if number == 0 {
            fields.put(SERVER, ValueRef::Bool(true));
        }
        fields.put_element(DATA);
        let length_at = buffer.len();
        buffer.extend_from_slice(&[0; 5]);
        ChunkBuilder {
            buffer,
            length_at,
            id,
        }
    }

    /// Bytes in it.
    pub(super) fn len(&self) -> usize {
        self.buffer.len() - self.length_at - 5
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    pub(super) fn id(&self) -> ObjectId {
        self.id
    }

    /// Ends the document, which gets no further bytes.
    pub(super) fn seal(&mut self) {
        let data_bytes = self.len() as u32;
        self.buffer.push(0);
        let total = self.buffer.len() as u32;
        self.patch(self.length_at, data_bytes);
        self.patch(0, total);
    }

    /// The document, once it is sealed, to be kept.
    pub(super) fn into_document(self) -> DocumentBuf {
        DocumentBuf::from_validated(self.buffer.into())
    }

    /// The document, once it is sealed.
    pub(super) fn document(&self) -> RawDocument<'_> {
        RawDocument::from_validated(&self.buffer)
    }

    /// The memory of the document.
    pub(super) fn into_memory(self) -> Vec<u8> {
        self.buffer
    }

    fn patch(&mut self, at: usize, number: u32) {
        if let Some(place) = self.buffer.get_mut(at..at + 4) {
            place.copy_from_slice(&number.to_le_bytes());
        }
    }
}

/// Whether a value may be a file's id.
pub(super) fn is_file_id(id: &Value) -> bool {
    !matches!(id.type_of(), Type::Array | Type::Regex | Type::Undefined)
}
