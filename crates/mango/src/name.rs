//! The names of indexes that are given none, as CouchDB makes them (`src/mango/src/mango_idx.erl`, `gen_name`): a hash of what was
//! asked for, in Erlang's external term format.

use sha1::{Digest, Sha1};
use value::{Value, hex};

/// What is asked for with an index.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The definition as it was given.
    pub definition: &'a Value,
    /// The type.
    pub kind: &'a str,
    /// The name, where one is given.
    pub name: Option<&'a str>,
    /// The design document, where one is named.
    pub ddoc: Option<&'a str>,
    /// Whether it is partitioned, where that is said.
    pub partitioned: Option<bool>,
    /// How many copies are to be written.
    pub w: u64,
}

/// The tags of terms.
const VERSION: u8 = 131;
const FLOAT: u8 = 70;
const SMALL_INTEGER: u8 = 97;
const INTEGER: u8 = 98;
const ATOM: u8 = 100;
const TUPLE: u8 = 104;
const NIL: u8 = 106;
const BYTES: u8 = 107;
const LIST: u8 = 108;
const BINARY: u8 = 109;
const BIG: u8 = 110;

/// The name of an index, and of its design document, that are given none.
pub fn unnamed(asked: &Asked<'_>) -> String {
    let mut term = Term(vec![VERSION]);
    term.tuple(2);
    term.value(asked.definition);
    term.list_of(6, |term| {
        term.option("ddoc", |term| term.named(asked.ddoc));
        term.option("def", |term| term.value(asked.definition));
        term.option("name", |term| term.named(asked.name));
        term.option("partitioned", |term| match asked.partitioned {
            None => term.atom("db_default"),
            Some(partitioned) => term.atom(if partitioned { "true" } else { "false" }),
        });
        term.option("type", |term| term.binary(asked.kind));
        term.option("w", |term| {
            term.integer(i64::try_from(asked.w).unwrap_or(i64::MAX));
        });
    });
    hex(&Sha1::digest(&term.0))
}

/// A term as bytes.
struct Term(Vec<u8>);

impl Term {
    fn tuple(&mut self, length: u8) {
        self.0.extend([TUPLE, length]);
    }

    fn list_of(&mut self, length: usize, elements: impl FnOnce(&mut Term)) {
        if length > 0 {
            self.0.push(LIST);
            self.length(length);
            elements(self);
        }
        self.0.push(NIL);
    }

    fn length(&mut self, length: usize) {
        self.0
            .extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    }

    fn atom(&mut self, name: &str) {
        self.0.push(ATOM);
        self.0
            .extend(u16::try_from(name.len()).unwrap_or(u16::MAX).to_be_bytes());
        self.0.extend(name.as_bytes());
    }

    fn binary(&mut self, text: &str) {
        self.0.push(BINARY);
        self.length(text.len());
        self.0.extend(text.as_bytes());
    }

    fn named(&mut self, name: Option<&str>) {
        match name {
            Some(name) => self.binary(name),
            None => self.atom("auto_name"),
        }
    }

    fn option(&mut self, name: &str, value: impl FnOnce(&mut Term)) {
        self.tuple(2);
        self.atom(name);
        value(self);
    }

    fn integer(&mut self, number: i64) {
        if let Ok(small) = u8::try_from(number) {
            self.0.extend([SMALL_INTEGER, small]);
        } else if let Ok(number) = i32::try_from(number) {
            self.0.push(INTEGER);
            self.0.extend(number.to_be_bytes());
        } else {
            let bytes = number.unsigned_abs().to_le_bytes();
            let length = 8 - bytes.iter().rev().take_while(|byte| **byte == 0).count();
            self.0.extend([BIG, length as u8, u8::from(number < 0)]);
            self.0.extend(&bytes[..length]);
        }
    }

    /// JSON as CouchDB has it: an object is a list of pairs within a tuple.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Document(object) => {
                self.tuple(1);
                self.list_of(object.len(), |term| {
                    for (name, value) in object.iter() {
                        term.tuple(2);
                        term.binary(name);
                        term.value(value);
                    }
                });
            }
            Value::Array(values) => match short_bytes(values) {
                Some(bytes) => {
                    self.0.push(BYTES);
                    self.0
                        .extend(u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes());
                    self.0.extend(bytes);
                }
                None => self.list_of(values.len(), |term| {
                    values.iter().for_each(|value| term.value(value));
                }),
            },
            Value::String(text) => self.binary(text),
            Value::Int32(number) => self.integer(i64::from(*number)),
            Value::Int64(number) => self.integer(*number),
            Value::Double(number) => {
                self.0.push(FLOAT);
                self.0.extend(number.to_be_bytes());
            }
            Value::Bool(true) => self.atom("true"),
            Value::Bool(false) => self.atom("false"),
            _ => self.atom("null"),
        }
    }
}

/// A list of nothing but bytes has a form of its own.
fn short_bytes(values: &[Value]) -> Option<Vec<u8>> {
    let byte = |value: &Value| match value {
        Value::Int32(number) => u8::try_from(*number).ok(),
        Value::Int64(number) => u8::try_from(*number).ok(),
        _ => None,
    };
    let is_short = !values.is_empty() && values.len() <= usize::from(u16::MAX);
    is_short.then(|| values.iter().map(byte).collect()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    #[test]
    fn names_are_those_of_couchdb() {
        let asked = Asked {
            definition: &Value::from(doc! {}),
            kind: "text",
            name: None,
            ddoc: None,
            partitioned: None,
            w: 3,
        };
        assert_eq!(unnamed(&asked), "cedc01a027213706d7260b5e5b73c70b9233743a");
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        let bytes = |number: i64| {
            let mut term = Term(Vec::new());
            term.integer(number);
            term.0
        };
        assert_eq!(bytes(255), [97, 255]);
        assert_eq!(bytes(-1), [98, 255, 255, 255, 255]);
        assert_eq!(bytes(1 << 33), [110, 5, 0, 0, 0, 0, 0, 2]);
    }
}
