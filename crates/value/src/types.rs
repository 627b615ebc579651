//! The decoded value of every BSON type, and the type's number and names.
//!
//! Type numbers and aliases: BSON specification 1.1 (bsonspec.org) and MongoDB's `$type` operator.

use crate::{Decimal128, Document, ObjectId, ValueRef};
use std::sync::atomic::{AtomicU64, Ordering};

/// One BSON value, decoded.
///
/// The tag takes eight bytes, which are there in any case: after a tag of one byte the rest is copied from the second byte on,
/// across the words in which it was written, and a processor waits for those.
#[derive(Clone, Debug)]
#[repr(u64)]
pub enum Value {
    /// 64-bit IEEE 754 floating point.
    Double(f64),
    /// UTF-8 text; may contain NUL.
    String(String),
    /// An embedded document, its fields in order.
    Document(Document),
    /// An array.
    Array(Vec<Value>),
    /// Bytes with a subtype.
    Binary(Binary),
    /// Deprecated, but still met in old data.
    Undefined,
    /// A 12-byte identifier.
    ObjectId(ObjectId),
    /// True or false.
    Bool(bool),
    /// Milliseconds since 1970-01-01T00:00:00Z, negative before.
    DateTime(i64),
    /// Null.
    Null,
    /// A regular expression.
    Regex(Regex),
    /// Deprecated reference to a document of another collection.
    DbPointer(DbPointer),
    /// JavaScript code.
    JavaScript(String),
    /// Deprecated; compares as a string.
    Symbol(String),
    /// JavaScript code with the variables that it sees.
    JavaScriptWithScope(String, Document),
    /// 32-bit integer.
    Int32(i32),
    /// MongoDB's internal timestamp.
    Timestamp(Timestamp),
    /// 64-bit integer.
    Int64(i64),
    /// 128-bit decimal floating point.
    Decimal128(Decimal128),
    /// Before every other value.
    MinKey,
    /// After every other value.
    MaxKey,
}

/// Bytes with a subtype (0 generic, 2 old generic, 3 old UUID, 4 UUID, 5 MD5, 6 encrypted, 128.. user's).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binary {
    /// The subtype byte.
    pub subtype: u8,
    /// The payload; for subtype 2 without its inner length.
    pub bytes: Vec<u8>,
}

/// A regular expression as BSON holds it: the pattern and its options, sorted letters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Regex {
    /// The pattern, without NUL.
    pub pattern: String,
    /// Option letters (`i`, `m`, `s`, `u`, `x`), without NUL.
    pub options: String,
}

/// Deprecated reference to a document of another collection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DbPointer {
    /// The namespace.
    pub namespace: String,
    /// The document's id.
    pub id: ObjectId,
}

/// MongoDB's internal timestamp: seconds, then an increment within the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub seconds: u32,
    /// Increment within the second.
    pub increment: u32,
}

impl Timestamp {
    /// A timestamp of this second, or later: greater than all that this process was given before.
    pub fn next(seconds: u32) -> Timestamp {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let first = (u64::from(seconds) << 32) | 1;
        let after = |last: u64| first.max(last.saturating_add(1));
        let last = LAST
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(after(last)))
            .unwrap_or_default();
        let given = after(last);
        Timestamp {
            seconds: (given >> 32) as u32,
            increment: given as u32,
        }
    }
}

/// A BSON type, with its number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the variants are those of Value")]
pub enum Type {
    Double = 0x01,
    String = 0x02,
    Document = 0x03,
    Array = 0x04,
    Binary = 0x05,
    Undefined = 0x06,
    ObjectId = 0x07,
    Bool = 0x08,
    DateTime = 0x09,
    Null = 0x0A,
    Regex = 0x0B,
    DbPointer = 0x0C,
    JavaScript = 0x0D,
    Symbol = 0x0E,
    JavaScriptWithScope = 0x0F,
    Int32 = 0x10,
    Timestamp = 0x11,
    Int64 = 0x12,
    Decimal128 = 0x13,
    MaxKey = 0x7F,
    MinKey = 0xFF,
}

impl Type {
    const ALL: [Type; 21] = [
        Type::Double,
        Type::String,
        Type::Document,
        Type::Array,
        Type::Binary,
        Type::Undefined,
        Type::ObjectId,
        Type::Bool,
        Type::DateTime,
        Type::Null,
        Type::Regex,
        Type::DbPointer,
        Type::JavaScript,
        Type::Symbol,
        Type::JavaScriptWithScope,
        Type::Int32,
        Type::Timestamp,
        Type::Int64,
        Type::Decimal128,
        Type::MaxKey,
        Type::MinKey,
    ];

    /// The type of an element's type byte on the wire.
    pub fn from_byte(byte: u8) -> Option<Type> {
        match byte {
            0x01..=0x13 => Type::ALL.get(usize::from(byte) - 1).copied(),
            0x7F => Some(Type::MaxKey),
            0xFF => Some(Type::MinKey),
            _ => None,
        }
    }

    /// The type that MongoDB's `$type` knows under this number (-1 is MinKey).
    pub fn from_number(number: i64) -> Option<Type> {
        match number {
            -1 => Some(Type::MinKey),
            1..=127 => Type::from_byte(number as u8),
            _ => None,
        }
    }

    /// The type that MongoDB's `$type` knows under this alias (`number` stands for several and is not one).
    pub fn from_alias(alias: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|t| t.alias() == alias)
    }

    /// MongoDB's alias, as in `$type` and in error messages.
    pub fn alias(self) -> &'static str {
        match self {
            Type::Double => "double",
            Type::String => "string",
            Type::Document => "object",
            Type::Array => "array",
            Type::Binary => "binData",
            Type::Undefined => "undefined",
            Type::ObjectId => "objectId",
            Type::Bool => "bool",
            Type::DateTime => "date",
            Type::Null => "null",
            Type::Regex => "regex",
            Type::DbPointer => "dbPointer",
            Type::JavaScript => "javascript",
            Type::Symbol => "symbol",
            Type::JavaScriptWithScope => "javascriptWithScope",
            Type::Int32 => "int",
            Type::Timestamp => "timestamp",
            Type::Int64 => "long",
            Type::Decimal128 => "decimal",
            Type::MinKey => "minKey",
            Type::MaxKey => "maxKey",
        }
    }

    /// Whether values of this type are numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Type::Double | Type::Int32 | Type::Int64 | Type::Decimal128)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Double(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::String(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::String(value)
    }
}

impl From<Document> for Value {
    fn from(value: Document) -> Value {
        Value::Document(value)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Value {
        Value::Array(values.into_iter().map(Into::into).collect())
    }
}

impl From<ObjectId> for Value {
    fn from(value: ObjectId) -> Value {
        Value::ObjectId(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::Int32(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int64(value)
    }
}

impl From<Decimal128> for Value {
    fn from(value: Decimal128) -> Value {
        Value::Decimal128(value)
    }
}

impl From<Binary> for Value {
    fn from(value: Binary) -> Value {
        Value::Binary(value)
    }
}

impl From<Regex> for Value {
    fn from(value: Regex) -> Value {
        Value::Regex(value)
    }
}

impl From<Timestamp> for Value {
    fn from(value: Timestamp) -> Value {
        Value::Timestamp(value)
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Value {
        Value::String(value.clone())
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Value {
        value.to_value()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    /// None is null.
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

impl FromIterator<Value> for Value {
    /// An array.
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Value {
        Value::Array(values.into_iter().collect())
    }
}
