//! `fingerprint`: a hash of what fields have, the same for the same values.

use crate::context::Context;
use crate::error::{PipelineError, Result, failed};
use crate::options::{self, Options};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use mapping::java::class_of;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use value::{Document, Value};

/// What stands before each name and each value.
const DELIMITER: u8 = 0;

/// The processor.
#[derive(Debug)]
pub(crate) struct Fingerprint {
    /// Sorted.
    fields: Vec<String>,
    target: String,
    salt: String,
    method: Method,
    ignores_missing: bool,
}

#[derive(Clone, Copy, Debug)]
enum Method {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

impl Method {
    fn parse(name: Option<&str>) -> options::Result<Method> {
        Ok(match name {
            Some("MD5") => Method::Md5,
            None | Some("SHA-1") => Method::Sha1,
            Some("SHA-256") => Method::Sha256,
            Some("SHA-512") => Method::Sha512,
            Some("MurmurHash3") => return Err(PipelineError::unsupported("the method [MurmurHash3]")),
            Some(other) => {
                let reason = format!(
                    "[{other}] must be one of the supported hash methods [MD5,SHA-1,SHA-256,SHA-512,MurmurHash3]"
                );
                return Err(PipelineError::of("method", reason));
            }
        })
    }

    /// The hash, as base64.
    fn of(self, bytes: &[u8]) -> String {
        match self {
            Method::Md5 => BASE64_STANDARD.encode(Md5::digest(bytes)),
            Method::Sha1 => BASE64_STANDARD.encode(Sha1::digest(bytes)),
            Method::Sha256 => BASE64_STANDARD.encode(Sha256::digest(bytes)),
            Method::Sha512 => BASE64_STANDARD.encode(Sha512::digest(bytes)),
        }
    }
}

impl Fingerprint {
    pub(super) fn parse(options: &mut Options) -> options::Result<Fingerprint> {
        let mut fields = options.texts("fields")?;
        if fields.is_empty() {
            return Err(PipelineError::of("fields", "must specify at least one field"));
        }
        fields.sort();
        let salt = options.optional_text("salt")?.unwrap_or_default();
        Ok(Fingerprint {
            fields,
            target: options
                .optional_text("target_field")?
                .unwrap_or_else(|| "fingerprint".to_owned()),
            // One of blanks alone counts as none.
            salt: Some(salt)
                .filter(|salt| !salt.trim().is_empty())
                .unwrap_or_default(),
            method: Method::parse(options.optional_text("method")?.as_deref())?,
            ignores_missing: options.flag("ignore_missing", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let mut bytes = self.salt.clone().into_bytes();
        let mut has_any = false;
        for field in &self.fields {
            match context.get(field) {
                None | Some(Value::Null) if self.ignores_missing => {}
                None | Some(Value::Null) => {
                    return failed(format!("missing field [{field}] when calculating fingerprint"));
                }
                Some(value) => {
                    has_any = true;
                    feed(&value, &mut bytes)?;
                }
            }
        }
        match has_any {
            true => context.set(&self.target, Value::from(self.method.of(&bytes))),
            false => Ok(()),
        }
    }
}

/// Adds what a value is hashed as.
fn feed(value: &Value, bytes: &mut Vec<u8>) -> Result<()> {
    match value {
        Value::Array(list) => return list.iter().try_for_each(|one| feed(one, bytes)),
        Value::Document(document) => return feed_members(document, bytes),
        _ => bytes.push(DELIMITER),
    }
    match value {
        Value::Null => {}
        Value::String(text) => bytes.extend_from_slice(text.as_bytes()),
        Value::Bool(flag) => bytes.push(if *flag { 1 } else { 2 }),
        Value::Int32(number) => bytes.extend_from_slice(&number.to_le_bytes()),
        Value::Int64(number) | Value::DateTime(number) => bytes.extend_from_slice(&number.to_le_bytes()),
        Value::Double(number) => bytes.extend_from_slice(&number.to_le_bytes()),
        other => {
            return failed(format!(
                "cannot convert object of type [{}] to bytes",
                class_of(other)
            ));
        }
    }
    Ok(())
}

/// Adds the members of an object in the order of their names.
fn feed_members(document: &Document, bytes: &mut Vec<u8>) -> Result<()> {
    let mut members: Vec<(&str, &Value)> = document.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    for (name, value) in members {
        bytes.push(DELIMITER);
        bytes.extend_from_slice(name.as_bytes());
        feed(value, bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hashed_by_their_types_and_in_the_order_of_names() {
        let mut bytes = Vec::new();
        let mut document = Document::new();
        document.set("b", 1);
        document.set("a", Value::Array(vec![Value::from(true), Value::from("x")]));
        document.set("c", 2_i64);
        feed(&Value::Document(document), &mut bytes).expect("bytes");
        let wanted: &[u8] = b"\0a\0\x01\0x\0b\0\x01\0\0\0\0c\0\x02\0\0\0\0\0\0\0";
        assert_eq!(bytes, wanted);
        assert_eq!(Method::Sha1.of(b""), "2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
        assert_eq!(Method::Md5.of(b""), "1B2M2Y8AsgTpgAmY7PhCfg==");
    }
}
