//! Bytes: as text in several formats, and as numbers in either byte order.

use super::{Evaluated, Options, error, failure, type_name, unsupported};
use crate::{Code, Result};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use std::borrow::Cow;
use value::{Binary, Value, ValueRef, hex, unhex};

/// The subtype of UUIDs.
const UUID: u8 = 4;

/// How bytes are written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Base64,
    Base64Url,
    Utf8,
    Hex,
    Uuid,
    /// UUIDs as such, all else in base64.
    Auto,
}

/// Which end of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl Format {
    pub(super) fn of(operand: &Evaluated<'_>) -> Result<Option<Format>> {
        match operand.present() {
            None => Ok(None),
            Some(ValueRef::String(name)) => Ok(Some(match name {
                "base64" => Format::Base64,
                "base64url" => Format::Base64Url,
                "utf8" => Format::Utf8,
                "hex" => Format::Hex,
                "uuid" => Format::Uuid,
                "auto" => Format::Auto,
                unknown => {
                    return Err(error(
                        Code::location(4_341_125),
                        format!("Invalid 'format' argument for $convert: {unknown}"),
                    ));
                }
            })),
            Some(_) => Err(error(
                Code::location(4_341_114),
                format!(
                    "$convert requires that 'format' be a string, found: {}",
                    type_name(operand)
                ),
            )),
        }
    }
}

impl ByteOrder {
    pub(super) fn of(operand: &Evaluated<'_>) -> Result<ByteOrder> {
        match operand.present() {
            None | Some(ValueRef::String("little")) => Ok(ByteOrder::Little),
            Some(ValueRef::String("big")) => Ok(ByteOrder::Big),
            Some(ValueRef::String(unknown)) => Err(error(
                Code::location(9_130_002),
                format!("Invalid 'byteOrder' argument for $convert: {unknown}"),
            )),
            Some(_) => Err(error(
                Code::location(9_130_001),
                format!(
                    "$convert requires that 'byteOrder' be a string, found: {}",
                    type_name(operand)
                ),
            )),
        }
    }
}

/// The bytes as they are on the wire: the old subtype 2 has its length in front.
fn raw(subtype: u8, bytes: &[u8]) -> Cow<'_, [u8]> {
    if subtype != 2 {
        return Cow::Borrowed(bytes);
    }
    let mut whole = (bytes.len() as u32).to_le_bytes().to_vec();
    whole.extend_from_slice(bytes);
    Cow::Owned(whole)
}

/// The bytes as a signed integer; only one of these sizes can be one.
pub(super) fn integer(subtype: u8, bytes: &[u8], order: ByteOrder, sizes: &[usize]) -> Result<i64> {
    let bytes = raw(subtype, bytes);
    if !sizes.contains(&bytes.len()) {
        return Err(failure(format!(
            "Failed to convert '{}' bytes to a number in $convert because of invalid length",
            bytes.len()
        )));
    }
    let mut ordered = bytes.to_vec();
    if order == ByteOrder::Little {
        ordered.reverse();
    }
    let negative = ordered.first().is_some_and(|byte| byte & 0x80 != 0);
    let start: i64 = if negative { -1 } else { 0 };
    Ok(ordered
        .iter()
        .fold(start, |number, byte| number << 8 | i64::from(*byte)))
}

/// The bytes as a double of 4 or 8 bytes.
pub(super) fn double(subtype: u8, bytes: &[u8], order: ByteOrder) -> Result<f64> {
    let bytes = raw(subtype, bytes);
    if let Ok(bytes) = <[u8; 8]>::try_from(&*bytes) {
        return Ok(match order {
            ByteOrder::Little => f64::from_le_bytes(bytes),
            ByteOrder::Big => f64::from_be_bytes(bytes),
        });
    }
    if let Ok(bytes) = <[u8; 4]>::try_from(&*bytes) {
        return Ok(f64::from(match order {
            ByteOrder::Little => f32::from_le_bytes(bytes),
            ByteOrder::Big => f32::from_be_bytes(bytes),
        }));
    }
    Err(failure(format!(
        "Failed to convert '{}' bytes to a double in $convert because of invalid length",
        bytes.len()
    )))
}

fn missing_format() -> crate::Error {
    error(
        Code::location(4_341_115),
        "Format must be speficied when converting between string and BinData in $convert",
    )
}

/// The bytes as text.
pub(super) fn encode(subtype: u8, bytes: &[u8], format: Option<Format>) -> Result<String> {
    let bytes = raw(subtype, bytes);
    let format = match format.ok_or_else(missing_format)? {
        Format::Auto if subtype == UUID && bytes.len() == 16 => Format::Uuid,
        Format::Auto => Format::Base64,
        other => other,
    };
    match format {
        Format::Base64 | Format::Auto => Ok(STANDARD.encode(&*bytes)),
        Format::Base64Url => Ok(URL_SAFE_NO_PAD.encode(&*bytes)),
        Format::Hex => Ok(bytes.iter().map(|byte| format!("{byte:02X}")).collect()),
        Format::Utf8 => String::from_utf8(bytes.into_owned()).map_err(|_| {
            failure("Failed to convert bytes to a string in $convert: they are not valid UTF-8")
        }),
        Format::Uuid => match <[u8; 16]>::try_from(&*bytes) {
            Ok(uuid) if subtype == UUID => {
                let hex = hex(&uuid);
                Ok(format!(
                    "{}-{}-{}-{}-{}",
                    &hex[..8],
                    &hex[8..12],
                    &hex[12..16],
                    &hex[16..20],
                    &hex[20..]
                ))
            }
            _ => Err(failure(
                "Input is not a valid UUID: it must be 16 bytes of subtype 4",
            )),
        },
    }
}

/// The bytes of a text; UUIDs, and they alone, are read from their own format.
fn decode(text: &str, format: Format, subtype: u8) -> Option<Vec<u8>> {
    if (format == Format::Uuid) != (subtype == UUID) {
        return None;
    }
    match format {
        Format::Base64 => STANDARD.decode(text).ok(),
        Format::Base64Url => URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok(),
        Format::Utf8 => Some(text.as_bytes().to_vec()),
        Format::Hex => unhex(text),
        Format::Uuid => {
            let groups: Vec<usize> = text.split('-').map(str::len).collect();
            (groups == [8, 4, 4, 4, 12]).then(|| unhex(&text.replace('-', "")))?
        }
        // It only says how bytes are written.
        Format::Auto => None,
    }
}

pub(super) fn to_binary(value: ValueRef<'_>, options: &Options<'_>) -> Result<Value> {
    let mut bytes = match value {
        ValueRef::Int32(number) => number.to_le_bytes().to_vec(),
        ValueRef::Int64(number) => number.to_le_bytes().to_vec(),
        ValueRef::Double(number) => number.to_le_bytes().to_vec(),
        ValueRef::Binary {
            subtype: present,
            bytes,
        } => {
            let subtype = options.checked_subtype()?;
            if present != subtype {
                return Err(failure(format!(
                    "Conversions between different BinData subtypes are not supported: {present} to {subtype}"
                )));
            }
            return Ok(Value::Binary(Binary {
                subtype,
                bytes: bytes.to_vec(),
            }));
        }
        ValueRef::String(text) => {
            let format = options.format.ok_or_else(missing_format)?;
            let subtype = options.checked_subtype()?;
            let bytes = decode(text, format, subtype).ok_or_else(|| {
                failure(format!(
                    "Input string '{text}' is not valid in the format of $convert"
                ))
            })?;
            return Ok(Value::Binary(Binary { subtype, bytes }));
        }
        _ => return Err(unsupported(value, "binData")),
    };
    let subtype = options.checked_subtype()?;
    if options.order == ByteOrder::Big {
        bytes.reverse();
    }
    Ok(Value::Binary(Binary { subtype, bytes }))
}
