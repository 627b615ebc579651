//! From a key and its type bits back to the value.

use super::encode::SYMBOL;
use super::reader::Reader;
use super::{Direction, number, tag};
use crate::{Binary, DbPointer, Document, ObjectId, Regex, Timestamp, Value};

/// Takes one value off the front of both.
pub(super) fn directed(key: &mut &[u8], bits: &mut &[u8], direction: Direction) -> Option<Value> {
    let mut decoder = Decoder {
        reader: Reader::new(key, direction.mask()),
        bits,
    };
    let value = decoder.value(crate::raw::MESSAGE_DEPTH_MAX)?;
    *key = decoder.reader.rest();
    Some(value)
}

/// The string at the front of an ascending key, where nothing in it is escaped, and what follows it.
pub(super) fn plain_text(key: &[u8]) -> Option<(&str, &[u8])> {
    let escaped = key.strip_prefix(&[tag::STRING])?;
    let (end, is_escape) = memchr::memchr2(0, 1, escaped).map(|at| (at, escaped.get(at) == Some(&1)))?;
    if is_escape {
        return None;
    }
    let text = std::str::from_utf8(escaped.get(..end)?).ok()?;
    Some((text, escaped.get(end + 1..)?))
}

struct Decoder<'k, 'b, 'r> {
    reader: Reader<'k>,
    bits: &'r mut &'b [u8],
}

impl Decoder<'_, '_, '_> {
    fn value(&mut self, depth_left: usize) -> Option<Value> {
        let depth_left = depth_left.checked_sub(1)?;
        Some(match self.reader.byte()? {
            tag::MIN_KEY => Value::MinKey,
            tag::UNDEFINED => Value::Undefined,
            tag::NULL => Value::Null,
            tag::FALSE => Value::Bool(false),
            tag::TRUE => Value::Bool(true),
            tag::MAX_KEY => Value::MaxKey,
            tag::STRING => {
                let text = self.reader.text()?;
                if number::next_code(self.bits) == SYMBOL {
                    Value::Symbol(text)
                } else {
                    Value::String(text)
                }
            }
            tag::DOCUMENT => Value::Document(self.fields(depth_left)?),
            tag::ARRAY => Value::Array(self.elements(depth_left)?),
            tag::BINARY => Value::Binary(self.binary()?),
            tag::OBJECT_ID => Value::ObjectId(ObjectId::from_bytes(self.reader.array()?)),
            tag::DATE_TIME => Value::DateTime((u64::from_be_bytes(self.reader.array()?) ^ 1 << 63) as i64),
            tag::TIMESTAMP => Value::Timestamp(Timestamp {
                seconds: u32::from_be_bytes(self.reader.array()?),
                increment: u32::from_be_bytes(self.reader.array()?),
            }),
            tag::REGEX => Value::Regex(Regex {
                pattern: self.reader.text()?,
                options: self.reader.text()?,
            }),
            tag::DB_POINTER => Value::DbPointer(self.db_pointer()?),
            tag::JAVASCRIPT => Value::JavaScript(self.reader.text()?),
            tag::JAVASCRIPT_WITH_SCOPE => {
                Value::JavaScriptWithScope(self.reader.text()?, self.fields(depth_left)?)
            }
            first => number::read(first, &mut self.reader)?.into_value(self.bits)?,
        })
    }

    fn fields(&mut self, depth_left: usize) -> Option<Document> {
        let mut document = Document::new();
        // The class of the value is skipped: it precedes the name for the sake of the order, and the value repeats it.
        while self.reader.byte()? != tag::END {
            let name = self.reader.text()?;
            document.push(name, self.value(depth_left)?);
        }
        Some(document)
    }

    fn elements(&mut self, depth_left: usize) -> Option<Vec<Value>> {
        let mut elements = Vec::new();
        while self.reader.peek()? != tag::END {
            elements.push(self.value(depth_left)?);
        }
        self.reader.skip(1)?;
        Some(elements)
    }

    fn binary(&mut self) -> Option<Binary> {
        let length = self.reader.length()?;
        let subtype = self.reader.byte()?;
        let inner = if subtype == 2 {
            length.checked_sub(4)?
        } else {
            length
        };
        Some(Binary {
            subtype,
            bytes: self.reader.bytes(inner)?,
        })
    }

    fn db_pointer(&mut self) -> Option<DbPointer> {
        let length = self.reader.length()?;
        let namespace = String::from_utf8(self.reader.bytes(length)?).ok()?;
        Some(DbPointer {
            namespace,
            id: ObjectId::from_bytes(self.reader.array()?),
        })
    }
}
