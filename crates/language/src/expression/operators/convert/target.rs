//! What `$convert` converts to.

use super::{Evaluated, Result, error, type_name};
use crate::expression::number::Number;
use crate::{Code, Error};
use value::{Document, Type, ValueRef};

/// The type that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Type number 0, which nothing can be converted to.
    Missing,
    Type(Type),
}

impl Target {
    /// `{type: "binData", subtype: 4}`
    pub(super) fn uuid() -> Document {
        Document::new().with("type", "binData").with("subtype", 4)
    }

    /// The value of `to`; `None` if it is null.
    pub(super) fn of(to: &Evaluated<'_>) -> Result<Option<Target>> {
        let Some(present) = to.present() else {
            return Ok(None);
        };
        match present {
            ValueRef::Document(long) => {
                let kind = long.get("type").ok_or_else(|| {
                    Error::failed_to_parse("Missing 'type' field in $convert's 'to' argument")
                })?;
                Target::named(kind).map(Some)
            }
            other => Target::named(other).map(Some),
        }
    }

    /// The subtype of bytes that `to` asks for. It is checked only where bytes are made.
    pub(super) fn subtype<'t>(to: &'t Evaluated<'_>) -> Option<ValueRef<'t>> {
        match to.get() {
            Some(ValueRef::Document(long)) => long.get("subtype"),
            _ => None,
        }
    }

    fn named(kind: ValueRef<'_>) -> Result<Target> {
        let target = match kind {
            ValueRef::String("missing") => Some(Target::Missing),
            ValueRef::String(name) => {
                let known = Type::from_alias(name)
                    .ok_or_else(|| Error::bad_value(format!("Unknown type name: {name}")))?;
                Some(Target::Type(known))
            }
            other => match Number::of(other) {
                None => {
                    return Err(Error::failed_to_parse(format!(
                        "$convert's 'to' argument must be a string or number, but is {}",
                        type_name(&Evaluated::Borrowed(other))
                    )));
                }
                Some(number) => match number.to_i64() {
                    None => {
                        return Err(Error::failed_to_parse(
                            "In $convert, numeric 'to' argument is not an integer",
                        ));
                    }
                    Some(0) => Some(Target::Missing),
                    Some(number) => Type::from_number(number).map(Target::Type),
                },
            },
        };
        target.ok_or_else(|| {
            Error::failed_to_parse("In $convert, numeric value for 'to' does not correspond to a BSON type")
        })
    }
}

/// The subtype, if it is one.
pub(super) fn checked_subtype(subtype: ValueRef<'_>) -> Result<u8> {
    let number = Number::of(subtype).ok_or_else(|| {
        error(
            Code::location(4_341_108),
            format!(
                "In $convert, 'subtype' must be numeric, but is {}",
                subtype.type_of().alias()
            ),
        )
    })?;
    let whole = number.to_i32().ok_or_else(|| {
        error(
            Code::location(4_341_106),
            "In $convert, numeric 'subtype' argument is not an integer",
        )
    })?;
    match u8::try_from(whole) {
        Ok(known @ (0..=9 | 128..=255)) => Ok(known),
        _ => Err(error(
            Code::location(4_341_107),
            format!(
                "In $convert, numeric value for 'subtype' does not correspond to a BinData type: {whole}"
            ),
        )),
    }
}
