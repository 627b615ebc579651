//! Writing BSON bytes.

use crate::{ArrayRef, Document, DocumentRef, RawDocument, ValueRef};

/// Writes one document element by element into a buffer that may already hold others.
///
/// ```
/// let mut out = Vec::new();
/// let mut writer = value::raw::DocumentWriter::new(&mut out);
/// writer.put("ok", value::ValueRef::Double(1.0));
/// writer.finish();
/// assert_eq!(out.len(), 17);
/// ```
#[derive(Debug)]
pub struct DocumentWriter<'b> {
    out: &'b mut Vec<u8>,
    start: usize,
}

impl<'b> DocumentWriter<'b> {
    /// Starts a document at the end of `out`.
    pub fn new(out: &'b mut Vec<u8>) -> DocumentWriter<'b> {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        DocumentWriter { out, start }
    }

    /// Adds a field.
    pub fn put(&mut self, name: &str, value: ValueRef<'_>) {
        element_header(self.out, value, name);
        encode_value_into(self.out, value);
    }

    /// Adds an element whose bytes (type, name, value) were taken from another document.
    pub fn put_element(&mut self, element: &[u8]) {
        self.out.extend_from_slice(element);
    }

    /// Adds all elements of another document as they are.
    pub fn put_all(&mut self, document: RawDocument<'_>) {
        let bytes = document.as_bytes();
        // Between its length and its end.
        self.put_element(bytes.get(4..bytes.len().saturating_sub(1)).unwrap_or_default());
    }

    /// Adds the elements of another document that have one of these names, or all others, as they are.
    pub fn put_named(&mut self, document: RawDocument<'_>, names: &[String], keeps: bool) {
        let mut elements = document.iter();
        let mut missing = names.len();
        while let Some((element, name)) = elements.next_raw() {
            let is_named = names.iter().any(|known| known.as_bytes() == name);
            if is_named == keeps {
                self.put_element(element);
            }
            missing = missing.saturating_sub(usize::from(is_named));
            // Behind the last field that is kept nothing more is looked at. One that is left out may be there twice.
            if keeps && missing == 0 {
                break;
            }
        }
    }

    /// Adds an embedded document that `write` fills.
    pub fn put_document(&mut self, name: &str, write: impl FnOnce(&mut DocumentWriter<'_>)) {
        self.put_nested(0x03, name, write);
    }

    /// Adds an array whose elements `write` puts under the names "0", "1", …
    pub fn put_array(&mut self, name: &str, write: impl FnOnce(&mut DocumentWriter<'_>)) {
        self.put_nested(0x04, name, write);
    }

    /// Adds a string in parts.
    pub fn put_text(&mut self, name: &str, parts: &[&str]) {
        self.out.push(0x02);
        put_name(self.out, name);
        let length: usize = parts.iter().map(|part| part.len()).sum();
        self.out.extend_from_slice(&(length as u32 + 1).to_le_bytes());
        for part in parts {
            self.out.extend_from_slice(part.as_bytes());
        }
        self.out.push(0);
    }

    /// Adds an embedded document whose bytes `copy` appends; gives what that returns.
    pub fn put_copied<R>(&mut self, name: &str, copy: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        self.out.push(0x03);
        put_name(self.out, name);
        copy(self.out)
    }

    fn put_nested(&mut self, kind: u8, name: &str, write: impl FnOnce(&mut DocumentWriter<'_>)) {
        self.out.push(kind);
        put_name(self.out, name);
        let mut inner = DocumentWriter::new(self.out);
        write(&mut inner);
        inner.finish();
    }

    /// The bytes written since the document's start.
    pub fn size_bytes(&self) -> usize {
        self.out.len() - self.start
    }

    /// Ends the document.
    pub fn finish(self) {
        self.out.push(0);
        let length = (self.out.len() - self.start) as u32;
        if let Some(prefix) = self.out.get_mut(self.start..self.start + 4) {
            prefix.copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// The BSON bytes of a document.
pub fn encode_document(document: &Document) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    encode_value_into(&mut out, ValueRef::Document(DocumentRef::Tree(document)));
    out
}

fn element_header(out: &mut Vec<u8>, value: ValueRef<'_>, name: &str) {
    out.push(value.type_of() as u8);
    put_name(out, name);
}

/// Appends a name, or a part of a regular expression, and its end. BSON has no form for a zero byte there: it would end the
/// name, and what follows would be read as other fields. Whoever takes names of a client refuses such; should one come so far,
/// the character for what cannot be shown stands in the byte's place.
fn put_name(out: &mut Vec<u8>, name: &str) {
    match memchr::memchr(0, name.as_bytes()) {
        None => out.extend_from_slice(name.as_bytes()),
        Some(_) => out.extend_from_slice(name.replace('\0', "\u{FFFD}").as_bytes()),
    }
    out.push(0);
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32 + 1).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// Appends the value's own bytes, without type and name.
pub fn encode_value_into(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Double(v) => out.extend_from_slice(&v.to_le_bytes()),
        ValueRef::String(v) | ValueRef::JavaScript(v) | ValueRef::Symbol(v) => put_string(out, v),
        ValueRef::Document(DocumentRef::Raw(document)) => out.extend_from_slice(document.as_bytes()),
        ValueRef::Document(document) => {
            let mut writer = DocumentWriter::new(out);
            for (name, value) in document.iter() {
                writer.put(name, value);
            }
            writer.finish();
        }
        ValueRef::Array(ArrayRef::Raw(array)) => out.extend_from_slice(array.as_bytes()),
        ValueRef::Array(array) => {
            let mut writer = DocumentWriter::new(out);
            let mut name = itoa::Buffer::new();
            for (position, value) in array.iter().enumerate() {
                writer.put(name.format(position), value);
            }
            writer.finish();
        }
        ValueRef::Binary { subtype: 2, bytes } => {
            out.extend_from_slice(&(bytes.len() as u32 + 4).to_le_bytes());
            out.push(2);
            out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            out.extend_from_slice(bytes);
        }
        ValueRef::Binary { subtype, bytes } => {
            out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            out.push(subtype);
            out.extend_from_slice(bytes);
        }
        ValueRef::Undefined | ValueRef::Null | ValueRef::MinKey | ValueRef::MaxKey => {}
        ValueRef::ObjectId(v) => out.extend_from_slice(v.bytes()),
        ValueRef::Bool(v) => out.push(u8::from(v)),
        ValueRef::DateTime(v) | ValueRef::Int64(v) => out.extend_from_slice(&v.to_le_bytes()),
        ValueRef::Regex { pattern, options } => {
            put_name(out, pattern);
            put_name(out, options);
        }
        ValueRef::DbPointer { namespace, id } => {
            put_string(out, namespace);
            out.extend_from_slice(id.bytes());
        }
        ValueRef::JavaScriptWithScope { code, scope } => {
            let start = out.len();
            out.extend_from_slice(&[0; 4]);
            put_string(out, code);
            encode_value_into(out, ValueRef::Document(scope));
            let length = (out.len() - start) as u32;
            if let Some(prefix) = out.get_mut(start..start + 4) {
                prefix.copy_from_slice(&length.to_le_bytes());
            }
        }
        ValueRef::Int32(v) => out.extend_from_slice(&v.to_le_bytes()),
        ValueRef::Timestamp(v) => {
            out.extend_from_slice(&v.increment.to_le_bytes());
            out.extend_from_slice(&v.seconds.to_le_bytes());
        }
        ValueRef::Decimal128(v) => out.extend_from_slice(v.bytes()),
    }
}
