//! From a value to its key.

use super::{Direction, number, tag};
use crate::order::binary_length;
use crate::{DocumentRef, ValueRef};

/// The code of a symbol among the type bits; a string's is 0.
pub(super) const SYMBOL: u8 = 1;

/// Appends the key, and the type bits where they are wanted.
pub(super) fn directed(
    value: ValueRef<'_>,
    direction: Direction,
    key: &mut Vec<u8>,
    bits: Option<&mut Vec<u8>>,
) {
    let start = key.len();
    Encoder { key, bits }.value(value);
    if direction == Direction::Descending {
        key.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
    }
}

struct Encoder<'a> {
    key: &'a mut Vec<u8>,
    bits: Option<&'a mut Vec<u8>>,
}

impl Encoder<'_> {
    fn value(&mut self, value: ValueRef<'_>) {
        if let Some(number) = value.number() {
            number::encode(number, value.type_of(), self.key, self.bits.as_deref_mut());
            return;
        }
        self.key.push(tag::range(value.type_of()).0);
        match value {
            ValueRef::String(text) => self.comparable_text(text, 0),
            ValueRef::Symbol(text) => self.comparable_text(text, SYMBOL),
            ValueRef::Document(document) => self.fields(document),
            ValueRef::Array(array) => {
                array.iter().for_each(|element| self.value(element));
                self.key.push(tag::END);
            }
            ValueRef::Binary { subtype, bytes } => {
                self.length(binary_length(subtype, bytes));
                self.key.push(subtype);
                self.key.extend_from_slice(bytes);
            }
            ValueRef::ObjectId(id) => self.key.extend_from_slice(id.bytes()),
            ValueRef::Bool(true) => {
                self.key.pop();
                self.key.push(tag::TRUE);
            }
            ValueRef::DateTime(ms) => {
                self.key.extend_from_slice(&(ms as u64 ^ 1 << 63).to_be_bytes());
            }
            ValueRef::Timestamp(timestamp) => {
                self.key.extend_from_slice(&timestamp.seconds.to_be_bytes());
                self.key.extend_from_slice(&timestamp.increment.to_be_bytes());
            }
            ValueRef::Regex { pattern, options } => {
                self.text(pattern);
                self.text(options);
            }
            ValueRef::DbPointer { namespace, id } => {
                self.length(namespace.len());
                self.key.extend_from_slice(namespace.as_bytes());
                self.key.extend_from_slice(id.bytes());
            }
            ValueRef::JavaScript(code) => self.text(code),
            ValueRef::JavaScriptWithScope { code, scope } => {
                self.text(code);
                self.fields(scope);
            }
            // The tag is all that these have.
            ValueRef::MinKey
            | ValueRef::Undefined
            | ValueRef::Null
            | ValueRef::Bool(false)
            | ValueRef::MaxKey => {}
            // Encoded above.
            ValueRef::Double(_) | ValueRef::Int32(_) | ValueRef::Int64(_) | ValueRef::Decimal128(_) => {}
        }
    }

    fn fields(&mut self, document: DocumentRef<'_>) {
        for (name, value) in document.iter() {
            self.key.push(tag::range(value.type_of()).0);
            self.text(name);
            self.value(value);
        }
        self.key.push(tag::END);
    }

    /// A string or symbol: equal as keys, so the type bits say which it was.
    fn comparable_text(&mut self, text: &str, code: u8) {
        self.text(text);
        if let Some(bits) = &mut self.bits {
            bits.push(code);
        }
    }

    fn text(&mut self, text: &str) {
        // The terminator 00 must not occur within, and must be below all that can: so 00 becomes 01 01 and 01 becomes
        // 01 02, which keeps their order, and a text sorts before those that it begins.
        let mut rest = text.as_bytes();
        while let Some(at) = memchr::memchr2(0, 1, rest) {
            let (plain, special) = rest.split_at(at);
            self.key.extend_from_slice(plain);
            if let Some((byte, behind)) = special.split_first() {
                self.key.extend_from_slice(&[1, byte + 1]);
                rest = behind;
            }
        }
        self.key.extend_from_slice(rest);
        self.key.push(0);
    }

    /// Shorter first: one byte, or 0xFF and four.
    fn length(&mut self, length: usize) {
        match u8::try_from(length) {
            Ok(short) if short < 0xFF => self.key.push(short),
            _ => {
                self.key.push(0xFF);
                self.key.extend_from_slice(&(length as u32).to_be_bytes());
            }
        }
    }
}
