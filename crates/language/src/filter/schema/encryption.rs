//! `encrypt` and `encryptMetadata`: fields that clients encrypt before they send them.
//!
//! The server sees only that a value is encrypted, and of which type it was.

use crate::fields::Fields;
use crate::{Code, Error, Result};
use value::{Document, Type, Value, ValueRef};

/// The subtype of binary values that are encrypted.
const ENCRYPTED: u8 = 6;
/// The kinds of payloads that tell the type of what is encrypted: deterministic and random.
const KINDS: [u8; 2] = [1, 2];
/// Where a payload has the type, behind its kind and the id of its key.
const TYPE_AT: usize = 17;

const ALGORITHMS: [(&str, ()); 2] = [
    ("AEAD_AES_256_CBC_HMAC_SHA_512-Deterministic", ()),
    ("AEAD_AES_256_CBC_HMAC_SHA_512-Random", ()),
];

/// Checks the value of `encrypt` but for `bsonType`, and returns it.
pub(super) fn check_options(value: &Value) -> Result<&Document> {
    let source = object("encrypt", value)?;
    let fields = Fields::new("encrypt", source);
    fields.take("bsonType");
    check(&fields)?;
    Ok(source)
}

/// Whether a value is encrypted and, if `is_wanted` asks for it, had such a type.
pub(super) fn matches(value: ValueRef<'_>, is_wanted: Option<impl Fn(Type) -> bool>) -> bool {
    let ValueRef::Binary {
        subtype: ENCRYPTED,
        bytes,
    } = value
    else {
        return false;
    };
    is_wanted.is_none_or(|is_wanted| original_type(bytes).is_some_and(is_wanted))
}

/// What is wrong with a value that `encrypt` refuses.
pub(super) fn reason(value: ValueRef<'_>) -> &'static str {
    match value {
        ValueRef::Binary {
            subtype: ENCRYPTED, ..
        } => "encrypted value has wrong type",
        _ => "value was not encrypted",
    }
}

/// The type that an encrypted value had.
fn original_type(bytes: &[u8]) -> Option<Type> {
    let kind = bytes.first()?;
    let original = bytes.get(TYPE_AT)?;
    KINDS.contains(kind).then(|| Type::from_byte(*original)).flatten()
}

/// `encryptMetadata` says how clients encrypt, which means nothing to the server.
pub(super) fn check_metadata(value: &Value) -> Result<()> {
    let source = object("encryptMetadata", value)?;
    if source.is_empty() {
        return Err(Error::failed_to_parse(
            "$jsonSchema keyword 'encryptMetadata' cannot be an empty object ",
        ));
    }
    check(&Fields::new("encryptMetadata", source))
}

fn object<'v>(keyword: &str, value: &'v Value) -> Result<&'v Document> {
    match value {
        Value::Document(source) => Ok(source),
        _ => Err(Error::type_mismatch(format!(
            "$jsonSchema keyword '{keyword}' must be an object "
        ))),
    }
}

fn check(fields: &Fields<'_>) -> Result<()> {
    fields.choice("algorithm", &ALGORITHMS)?;
    match fields.any("initializationVector") {
        None | Some(ValueRef::Binary { .. }) => {}
        Some(other) => return Err(fields.wrong_type("initializationVector", other, "'binData'")),
    }
    fields.any("keyId").map_or(Ok(()), check_key)?;
    fields.finish()
}

/// A key is a pointer to a field that names it, or one of several ids.
fn check_key(key: ValueRef<'_>) -> Result<()> {
    let refuse = |code: i32, message: String| Err(Error::new(Code::location(code), message));
    let keys = match key {
        ValueRef::String(_) => return Ok(()),
        ValueRef::Array(keys) => keys,
        other => {
            let found = other.type_of().alias();
            let wanted = "Expected either string or array of UUID for EncryptSchemaKeyId";
            return refuse(51_085, format!("{wanted}, found {found}"));
        }
    };
    for key in keys.iter() {
        match key {
            ValueRef::Binary { subtype: 4, bytes } if bytes.len() == 16 => {}
            ValueRef::Binary { subtype: 4, .. } => {
                let message = "uuid must be a 16-byte binary field with UUID (4) subtype";
                return Err(Error::new(Code::INVALID_UUID, message));
            }
            ValueRef::Binary { subtype, .. } => {
                let message = format!("Array elements must have bindata type UUID, found {subtype}");
                return refuse(51_084, message);
            }
            other => {
                let found = other.type_of().alias();
                return refuse(
                    51_088,
                    format!("Array elements must have type BinData, found {found}"),
                );
            }
        }
    }
    Ok(())
}
