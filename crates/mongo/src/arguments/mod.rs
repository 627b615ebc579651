//! Reading a command's arguments as strictly as MongoDB does.
//!
//! [`Arguments`] are a command's [`Fields`], with what comes beside the body and with the arguments that every command takes,
//! which are [`Generic`].

mod concern;
mod generic;
mod preference;
mod session;

pub use concern::{ReadConcern, ReadLevel, WriteConcern};
pub use generic::{Generic, is_generic};
pub use language::expression::number::Number;
pub use language::fields::{Fields, is_null, wrong_type};
pub(crate) use preference::is_plain_mode;
pub use session::NamedSession;
pub(crate) use session::user_digest;

use crate::error::Result;
use crate::wire::Request;
use bytes::Bytes;
use std::ops::Deref;
use value::{ArrayRef, DocumentBuf, DocumentRef, Value, ValueRef};

/// The arguments of a command.
#[derive(Debug)]
pub struct Arguments<'a> {
    fields: Fields<'a>,
    request: &'a Request,
}

impl<'a> Deref for Arguments<'a> {
    type Target = Fields<'a>;

    fn deref(&self) -> &Fields<'a> {
        &self.fields
    }
}

impl<'a> Arguments<'a> {
    /// The arguments of a command; those that every command takes are known already.
    pub fn new(command: &'static str, request: &'a Request) -> Arguments<'a> {
        let fields = Fields::new(command, request.body.as_raw());
        fields.take(command);
        Arguments { fields, request }
    }

    /// An array of documents, from the body or from beside it; their bytes are shared with the message.
    pub fn documents(&self, name: &'static str) -> Result<Option<Vec<DocumentBuf>>> {
        let beside = |request: &Request| {
            let sequence = request.sequences.iter().find(|sequence| sequence.name == name);
            sequence.map(|sequence| sequence.documents.clone())
        };
        if let Some(documents) = beside(self.request) {
            self.take(name);
            return Ok(Some(documents));
        }
        let whole = Some(self.request.body.bytes());
        let within = self.document_list(name)?.map(|documents| {
            let documents = documents.into_iter();
            documents.map(|document| shared(document, whole)).collect()
        });
        Ok(within)
    }

    /// Refuses arguments that nobody took, and those given twice.
    pub fn finish(&self) -> Result<()> {
        self.fields.finish_but(is_generic)?;
        match self
            .request
            .sequences
            .iter()
            .find(|sequence| !self.is_taken(&sequence.name))
        {
            Some(sequence) => Err(self.unknown(&sequence.name).into()),
            None => Ok(()),
        }
    }
}

/// A document that owns its bytes: shared with the message where it is a part of it.
pub fn shared(document: DocumentRef<'_>, whole: Option<&Bytes>) -> DocumentBuf {
    match (document, whole) {
        (DocumentRef::Raw(raw), Some(whole)) if is_within(raw.as_bytes(), whole) => {
            DocumentBuf::from_validated(whole.slice_ref(raw.as_bytes()))
        }
        (document, _) => document.to_buf(),
    }
}

fn is_within(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    whole.start <= part.start && part.end <= whole.end
}

/// Whether a value stands for yes, where MongoDB takes values of every type: all do but null, false and zero.
pub(crate) fn is_true(value: Option<ValueRef<'_>>) -> bool {
    value.is_some_and(ValueRef::as_bool_truthy)
}

/// An array's elements, decoded.
pub fn decoded_array(array: ArrayRef<'_>) -> Vec<Value> {
    array.iter().map(ValueRef::to_value).collect()
}
