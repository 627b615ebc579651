//! The term from which the hash of a revision is computed, as CouchDB does it, in Erlang's external term format.
//!
//! CouchDB's `couch_db:new_revid` takes the MD5 of `term_to_binary([Deleted, OldStart, OldRev, Body, Atts],
//! [{minor_version, 1}])`, where `Body` is EJSON (an object is `{[{Name, Value}]}`, a text a binary) and `Atts` has
//! name, type and MD5 of each attachment, last first. Format: Erlang/OTP, ERTS, "External Term Format". Values of types that
//! JSON lacks are hashed as the objects that stand for them in relaxed MongoDB Extended JSON, since a client would send these
//! to a CouchDB.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use value::json::plain;
use value::{RawDocument, ValueRef};

const VERSION: u8 = 131;
const SMALL_INTEGER: u8 = 97;
const INTEGER: u8 = 98;
const ATOM: u8 = 100;
const SMALL_TUPLE: u8 = 104;
const NIL: u8 = 106;
const STRING: u8 = 107;
const LIST: u8 = 108;
const BINARY: u8 = 109;
const SMALL_BIG: u8 = 110;
const NEW_FLOAT: u8 = 70;

/// The longest list of bytes that is written as a string.
const STRING_BYTES_MAX: usize = 0xFFFF;

/// The member that keeps a document's attachments.
const ATTACHMENTS: &str = "_attachments";

/// The term of a revision; `generation` and `parent` are those of the revision before it.
pub(super) fn encode(
    generation: u64,
    parent: &[u8],
    deleted: bool,
    content: Option<RawDocument<'_>>,
) -> Vec<u8> {
    let size = content.map_or(0, |content| content.as_bytes().len());
    let mut term = Term {
        out: Vec::with_capacity(size + size / 2 + 64),
    };
    term.out.push(VERSION);
    term.list(5);
    term.boolean(deleted);
    term.integer(i64::try_from(generation).unwrap_or(i64::MAX));
    match parent.is_empty() {
        true => term.integer(0),
        false => term.binary(parent),
    }
    let attachments = content.and_then(attachments).unwrap_or_default();
    let fields = content.into_iter().flat_map(RawDocument::iter);
    term.object(fields.filter(|(name, _)| match *name {
        "_id" => false,
        ATTACHMENTS => attachments.is_empty(),
        _ => true,
    }));
    term.attachments(&attachments);
    term.out.push(NIL);
    term.out
}

/// The parts of an attachment that the revision depends on.
struct Attachment<'a> {
    name: &'a str,
    content_type: &'a str,
    md5: Vec<u8>,
}

/// The attachments of a document; `None` if the member has another form.
fn attachments(content: RawDocument<'_>) -> Option<Vec<Attachment<'_>>> {
    let ValueRef::Document(kept) = content.get(ATTACHMENTS)? else {
        return None;
    };
    let each = kept.iter().map(|(name, attachment)| {
        let attachment = attachment.as_document()?;
        let digest = attachment.get("digest")?.as_str()?.strip_prefix("md5-")?;
        Some(Attachment {
            name,
            content_type: attachment.get("content_type")?.as_str()?,
            md5: STANDARD.decode(digest).ok()?,
        })
    });
    each.collect()
}

struct Term {
    out: Vec<u8>,
}

impl Term {
    fn value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::String(text) => self.binary(text.as_bytes()),
            ValueRef::Document(document) => self.object(document.iter()),
            ValueRef::Array(array) => self.array(array.iter()),
            ValueRef::Bool(bool) => self.boolean(bool),
            ValueRef::Null => self.atom("null"),
            ValueRef::Int32(int) => self.integer(i64::from(int)),
            ValueRef::Int64(int) => self.integer(int),
            ValueRef::Double(double) if double.is_finite() => {
                self.out.push(NEW_FLOAT);
                self.out.extend_from_slice(&double.to_be_bytes());
            }
            typed => self.value(plain(typed).as_ref()),
        }
    }

    fn atom(&mut self, name: &str) {
        self.out.push(ATOM);
        self.out.extend_from_slice(&(name.len() as u16).to_be_bytes());
        self.out.extend_from_slice(name.as_bytes());
    }

    fn boolean(&mut self, bool: bool) {
        self.atom(if bool { "true" } else { "false" });
    }

    fn binary(&mut self, bytes: &[u8]) {
        self.out.push(BINARY);
        self.out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        self.out.extend_from_slice(bytes);
    }

    fn integer(&mut self, int: i64) {
        if let Ok(byte) = u8::try_from(int) {
            self.out.extend_from_slice(&[SMALL_INTEGER, byte]);
        } else if let Ok(int) = i32::try_from(int) {
            self.out.push(INTEGER);
            self.out.extend_from_slice(&int.to_be_bytes());
        } else {
            let magnitude = int.unsigned_abs();
            let size = 8 - magnitude.leading_zeros() as usize / 8;
            self.out
                .extend_from_slice(&[SMALL_BIG, size as u8, u8::from(int < 0)]);
            self.out.extend_from_slice(&magnitude.to_le_bytes()[..size]);
        }
    }

    /// The head of a list; [`NIL`] follows its elements.
    fn list(&mut self, length: u32) {
        self.out.push(LIST);
        self.out.extend_from_slice(&length.to_be_bytes());
    }

    fn tuple(&mut self, arity: u8) {
        self.out.extend_from_slice(&[SMALL_TUPLE, arity]);
    }

    fn object<'v>(&mut self, fields: impl Iterator<Item = (&'v str, ValueRef<'v>)>) {
        self.tuple(1);
        let (start, mut length) = (self.out.len(), 0u32);
        self.list(0);
        for (name, value) in fields {
            self.tuple(2);
            self.binary(name.as_bytes());
            self.value(value);
            length += 1;
        }
        self.end_list(start, length);
    }

    fn array<'v>(&mut self, elements: impl Iterator<Item = ValueRef<'v>>) {
        let (start, mut length, mut are_bytes) = (self.out.len(), 0u32, true);
        self.list(0);
        for element in elements {
            let at = self.out.len();
            self.value(element);
            are_bytes &= self.out[at] == SMALL_INTEGER;
            length += 1;
        }
        if are_bytes && (1..=STRING_BYTES_MAX).contains(&(length as usize)) {
            self.shorten(start, length as u16);
        } else {
            self.end_list(start, length);
        }
    }

    /// Writes the length of the list that begins at `start`, and its end. An empty list is only its end.
    fn end_list(&mut self, start: usize, length: u32) {
        match length {
            0 => self.out.truncate(start),
            _ => self.out[start + 1..start + 5].copy_from_slice(&length.to_be_bytes()),
        }
        self.out.push(NIL);
    }

    /// Makes a list of small integers a string, as Erlang writes it.
    fn shorten(&mut self, start: usize, length: u16) {
        let elements = self.out.split_off(start);
        self.out.push(STRING);
        self.out.extend_from_slice(&length.to_be_bytes());
        self.out
            .extend(elements[5..].chunks_exact(2).map(|element| element[1]));
    }

    fn attachments(&mut self, attachments: &[Attachment<'_>]) {
        let start = self.out.len();
        self.list(0);
        for attachment in attachments.iter().rev() {
            self.tuple(3);
            self.binary(attachment.name.as_bytes());
            self.binary(attachment.content_type.as_bytes());
            self.binary(&attachment.md5);
        }
        self.end_list(start, attachments.len() as u32);
    }
}
