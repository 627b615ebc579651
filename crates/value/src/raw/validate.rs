//! The one check that bytes are a document.
//!
//! Recursion stops at [`MESSAGE_DEPTH_MAX`], so no bytes can exhaust the stack.

use crate::Type;

/// How deep a stored document may be nested, the outermost document counted (MongoDB's limit).
pub const NESTING_DEPTH_MAX: usize = 180;

/// How deep any document may be nested, the outermost counted: a command may wrap a stored document
/// (MongoDB allows 200 levels below the command).
pub const MESSAGE_DEPTH_MAX: usize = 201;

const TOO_DEEP: &str = "documents are nested more than 200 deep";

/// The length prefix and the terminator: an empty document.
const DOCUMENT_BYTES_MIN: usize = 5;

/// Why bytes are not a valid document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid BSON at byte {offset}: {what}")]
pub struct RawError {
    /// Where in the bytes.
    pub offset: usize,
    /// What is wrong.
    pub what: &'static str,
}

impl RawError {
    /// Whether nothing is wrong but the depth of nesting, for which MongoDB has an error of its own.
    pub fn is_too_deep(&self) -> bool {
        self.what == TOO_DEEP
    }
}

/// Checks that the bytes are exactly one document, valid in all that reading relies on.
pub(super) fn document(bytes: &[u8]) -> Result<(), RawError> {
    let end = Cursor {
        bytes,
        at: 0,
        end: bytes.len(),
    }
    .document(1)?;
    if end == bytes.len() {
        Ok(())
    } else {
        Err(RawError {
            offset: end,
            what: "bytes after the document",
        })
    }
}

/// A place in the bytes, which must not go past the end of the value it is within.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    fn error<T>(&self, what: &'static str) -> Result<T, RawError> {
        Err(RawError {
            offset: self.at,
            what,
        })
    }

    /// What is left up to the end.
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    fn skip(&mut self, count: usize) -> Result<(), RawError> {
        if count > self.end - self.at {
            return self.error("the value ends past the document that holds it");
        }
        self.at += count;
        Ok(())
    }

    /// A length prefix; the cursor moves past it.
    fn length(&mut self) -> Result<usize, RawError> {
        let Some(bytes) = self.rest().first_chunk::<4>() else {
            return self.error("the length is cut off");
        };
        let Ok(length) = usize::try_from(i32::from_le_bytes(*bytes)) else {
            return self.error("the length is negative");
        };
        self.at += 4;
        Ok(length)
    }

    /// The document that starts here; gives its end.
    fn document(mut self, depth: usize) -> Result<usize, RawError> {
        if depth > MESSAGE_DEPTH_MAX {
            return self.error(TOO_DEEP);
        }
        let start = self.at;
        let length = self.length()?;
        if length < DOCUMENT_BYTES_MIN || length > self.end - start {
            self.at = start;
            return self.error("the document's length does not fit the bytes");
        }
        let end = start + length;
        self.end = end - 1;
        if self.bytes.get(self.end) != Some(&0) {
            self.at = self.end;
            return self.error("the document's terminator is missing");
        }
        while self.at < self.end {
            self.element(depth)?;
        }
        Ok(end)
    }

    fn element(&mut self, depth: usize) -> Result<(), RawError> {
        let Some(kind) = self.rest().first().copied().and_then(Type::from_byte) else {
            return self.error("unknown element type");
        };
        self.at += 1;
        self.name()?;
        self.value(kind, depth)
    }

    /// A name and its terminator. Names are short, so one pass byte by byte beats a search and a check.
    fn name(&mut self) -> Result<(), RawError> {
        let rest = self.rest();
        let mut seen = 0;
        for (length, &byte) in rest.iter().enumerate() {
            seen |= byte;
            if byte == 0 {
                if !seen.is_ascii()
                    && rest
                        .get(..length)
                        .is_none_or(|name| str::from_utf8(name).is_err())
                {
                    return self.error("the field name is not UTF-8");
                }
                self.at += length + 1;
                return Ok(());
            }
        }
        self.error("the field name has no end")
    }

    fn value(&mut self, kind: Type, depth: usize) -> Result<(), RawError> {
        match kind {
            Type::Undefined | Type::Null | Type::MinKey | Type::MaxKey => Ok(()),
            Type::Int32 => self.skip(4),
            Type::Double | Type::DateTime | Type::Timestamp | Type::Int64 => self.skip(8),
            Type::ObjectId => self.skip(12),
            Type::Decimal128 => self.skip(16),
            Type::Bool => match self.rest().first() {
                Some(0 | 1) => self.skip(1),
                _ => self.error("a boolean is 0 or 1"),
            },
            Type::String | Type::JavaScript | Type::Symbol => self.string(),
            Type::Document | Type::Array => {
                self.at = self.document(depth + 1)?;
                Ok(())
            }
            Type::Binary => self.binary(),
            Type::Regex => self.name().and_then(|()| self.name()),
            Type::DbPointer => self.string().and_then(|()| self.skip(12)),
            Type::JavaScriptWithScope => self.code_with_scope(depth),
        }
    }

    fn string(&mut self) -> Result<(), RawError> {
        let start = self.at;
        let length = self.length()?;
        let Some((0, text)) = self
            .rest()
            .get(..length)
            .and_then(<[u8]>::split_last)
            .map(|(&z, t)| (z, t))
        else {
            self.at = start;
            return self.error("the string's length does not lead to its terminator");
        };
        if let Err(error) = str::from_utf8(text) {
            self.at += error.valid_up_to();
            return self.error("the string is not UTF-8");
        }
        self.at += length;
        Ok(())
    }

    fn binary(&mut self) -> Result<(), RawError> {
        let length = self.length()?;
        let subtype = self.rest().first().copied();
        self.skip(1)?;
        if subtype == Some(2) {
            let start = self.at;
            let inner = self.length()?;
            if inner.checked_add(4) != Some(length) {
                self.at = start;
                return self.error("the inner length of an old binary is not its length less 4");
            }
            return self.skip(inner);
        }
        self.skip(length)
    }

    fn code_with_scope(&mut self, depth: usize) -> Result<(), RawError> {
        let start = self.at;
        let length = self.length()?;
        if length > self.end - start {
            self.at = start;
            return self.error("the code with scope ends past the document that holds it");
        }
        let mut inner = Cursor {
            end: start + length,
            ..*self
        };
        if inner.at > inner.end {
            return self.error("the code with scope is too short");
        }
        inner.string()?;
        inner.at = inner.document(depth + 1)?;
        if inner.at != inner.end {
            return inner.error("the code with scope is longer than its parts");
        }
        self.at = inner.at;
        Ok(())
    }
}
