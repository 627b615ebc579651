//! The first byte of every key: classes of values in MongoDB's order.

use crate::Type;

pub(super) const MIN_KEY: u8 = 0x04;
pub(super) const UNDEFINED: u8 = 0x08;
pub(super) const NULL: u8 = 0x0C;

pub(super) const NAN: u8 = 0x10;
pub(super) const NEGATIVE_INFINITY: u8 = 0x11;
pub(super) const NEGATIVE_LARGE: u8 = 0x12;
/// Whole parts of 8 bytes down to 1 byte.
pub(super) const NEGATIVE_MIDDLE: std::ops::RangeInclusive<u8> = 0x13..=0x1A;
pub(super) const NEGATIVE_SMALL: u8 = 0x1B;
pub(super) const ZERO: u8 = 0x1C;
pub(super) const POSITIVE_SMALL: u8 = 0x1D;
/// Whole parts of 1 byte up to 8 bytes.
pub(super) const POSITIVE_MIDDLE: std::ops::RangeInclusive<u8> = 0x1E..=0x25;
pub(super) const POSITIVE_LARGE: u8 = 0x26;
pub(super) const POSITIVE_INFINITY: u8 = 0x27;

pub(super) const STRING: u8 = 0x40;
pub(super) const DOCUMENT: u8 = 0x44;
pub(super) const ARRAY: u8 = 0x48;
pub(super) const BINARY: u8 = 0x4C;
pub(super) const OBJECT_ID: u8 = 0x50;
pub(super) const FALSE: u8 = 0x54;
pub(super) const TRUE: u8 = 0x55;
pub(super) const DATE_TIME: u8 = 0x58;
pub(super) const TIMESTAMP: u8 = 0x5C;
pub(super) const REGEX: u8 = 0x60;
pub(super) const DB_POINTER: u8 = 0x64;
pub(super) const JAVASCRIPT: u8 = 0x68;
pub(super) const JAVASCRIPT_WITH_SCOPE: u8 = 0x6C;
pub(super) const MAX_KEY: u8 = 0xF0;

/// Ends documents and arrays. It is below every tag, so an array sorts before those that it begins.
pub(super) const END: u8 = 0x00;

/// The first and the last tag of the values that compare with this type.
pub(super) fn range(kind: Type) -> (u8, u8) {
    let tag = match kind {
        Type::Double | Type::Int32 | Type::Int64 | Type::Decimal128 => return (NAN, POSITIVE_INFINITY),
        Type::Bool => return (FALSE, TRUE),
        Type::MinKey => MIN_KEY,
        Type::Undefined => UNDEFINED,
        Type::Null => NULL,
        Type::String | Type::Symbol => STRING,
        Type::Document => DOCUMENT,
        Type::Array => ARRAY,
        Type::Binary => BINARY,
        Type::ObjectId => OBJECT_ID,
        Type::DateTime => DATE_TIME,
        Type::Timestamp => TIMESTAMP,
        Type::Regex => REGEX,
        Type::DbPointer => DB_POINTER,
        Type::JavaScript => JAVASCRIPT,
        Type::JavaScriptWithScope => JAVASCRIPT_WITH_SCOPE,
        Type::MaxKey => MAX_KEY,
    };
    (tag, tag)
}
