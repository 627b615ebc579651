//! Keys of views: JSON values as bytes that sort as CouchDB collates.
//!
//! The order (CouchDB documentation, "Views Collation"): null, false, true, numbers, strings by ICU's root locale,
//! arrays element by element, objects field by field in their order, name before value; what ends first comes first.
//! With the view option `"collation": "raw"` it is Erlang's term order: numbers, false, null, true, objects, arrays,
//! strings by their bytes.
//!
//! Every encoding is self-delimiting: no encoding is a prefix of another, so what follows one does not affect the
//! order.

mod group;
mod partition;

pub use group::group_prefix;
pub use partition::{partition_end, partition_start};

use crate::limits::KEY_DEPTH_MAX;
use crate::{Error, Result};
use serde_json::Value;
use value::collated::{self, END, STRING_END};
use value::collation;

/// Which order a view has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Collation {
    /// CouchDB's own.
    #[default]
    Unicode,
    /// Erlang's, by bytes.
    Raw,
}

/// In a raw string, stands before a byte that would be [`STRING_END`] or this one.
const ESCAPE: u8 = 0x01;

/// The tags of one order; CouchDB's own are those of [`collated`]. Numbers are followed by eight bytes, strings by
/// [`STRING_END`], arrays and objects by [`END`].
struct Tags {
    null: u8,
    no: u8,
    yes: u8,
    number: u8,
    string: u8,
    array: u8,
    object: u8,
}

const UNICODE: Tags = Tags {
    null: collated::NULL,
    no: collated::FALSE,
    yes: collated::TRUE,
    number: collated::NUMBER,
    string: collated::STRING,
    array: collated::ARRAY,
    object: collated::OBJECT,
};

/// In the order of the tags; `false < null < true` as Erlang orders atoms by name.
const RAW: Tags = Tags {
    number: 0x60,
    no: 0x61,
    null: 0x62,
    yes: 0x63,
    object: 0x64,
    array: 0x65,
    string: 0x66,
};

/// Appends the encoding of a key.
pub fn encode(key: &Value, collation: Collation, out: &mut Vec<u8>) -> Result<()> {
    let tags = match collation {
        Collation::Unicode => &UNICODE,
        Collation::Raw => &RAW,
    };
    Encoder { tags, collation, out }.value(key, 0)
}

struct Encoder<'a> {
    tags: &'static Tags,
    collation: Collation,
    out: &'a mut Vec<u8>,
}

impl Encoder<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<()> {
        if depth > KEY_DEPTH_MAX {
            let message = format!("a key is nested deeper than {KEY_DEPTH_MAX} levels");
            return Err(Error::QueryParse(message));
        }
        match value {
            Value::Null => self.out.push(self.tags.null),
            Value::Bool(false) => self.out.push(self.tags.no),
            Value::Bool(true) => self.out.push(self.tags.yes),
            Value::Number(number) => {
                self.out.push(self.tags.number);
                collated::put_number(number.as_f64().unwrap_or(f64::MAX), self.out);
            }
            Value::String(text) => self.string(text),
            Value::Array(elements) => {
                self.out.push(self.tags.array);
                for element in elements {
                    self.value(element, depth + 1)?;
                }
                self.out.push(END);
            }
            Value::Object(fields) => {
                self.out.push(self.tags.object);
                for (name, value) in fields {
                    self.string(name);
                    self.value(value, depth + 1)?;
                }
                self.out.push(END);
            }
        }
        Ok(())
    }

    fn string(&mut self, text: &str) {
        self.out.push(self.tags.string);
        match self.collation {
            Collation::Unicode => collation::sort_key(text, self.out),
            Collation::Raw => {
                for &byte in text.as_bytes() {
                    // 01 01 stands for 00 and 01 02 for 01: below every other byte, and in order.
                    match byte {
                        STRING_END | ESCAPE => self.out.extend_from_slice(&[ESCAPE, byte + 1]),
                        _ => self.out.push(byte),
                    }
                }
            }
        }
        self.out.push(STRING_END);
    }
}
