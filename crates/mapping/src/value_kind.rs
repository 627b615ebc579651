//! Types of values in documents, for fields that hold those of one type alone.

use crate::fields::text_of;
use value::ValueRef;

/// The subtype of binary values that are UUIDs.
const UUID_SUBTYPE: u8 = 4;

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Texts.
    String,
    /// Numbers of any width.
    Number,
    /// Moments.
    Date,
    /// True or false.
    Boolean,
    /// ObjectIds.
    ObjectId,
    /// UUIDs.
    Uuid,
    /// Null.
    Null,
}

impl ValueKind {
    /// The type of a value; `None` for documents, arrays and what fields do not hold.
    pub fn of(value: ValueRef<'_>) -> Option<ValueKind> {
        Some(match value {
            ValueRef::String(_) | ValueRef::Symbol(_) => ValueKind::String,
            ValueRef::Bool(_) => ValueKind::Boolean,
            ValueRef::DateTime(_) => ValueKind::Date,
            ValueRef::ObjectId(_) => ValueKind::ObjectId,
            ValueRef::Null => ValueKind::Null,
            ValueRef::Binary { subtype, .. } if subtype == UUID_SUBTYPE => ValueKind::Uuid,
            number if number.is_number() => ValueKind::Number,
            _ => return None,
        })
    }

    /// The text by which fields of whole texts know a value.
    pub fn text(value: ValueRef<'_>) -> Option<String> {
        match value {
            ValueRef::Null => Some("null".to_owned()),
            ValueRef::Binary { bytes, .. } => Some(value::hex(bytes)),
            value => text_of(value),
        }
    }
}
