//! BSON values: their types, their order across types, their key encoding, field paths and JSON forms.
//!
//! A document exists in two forms. **Raw** ([`RawDocument`], [`DocumentBuf`]) is the BSON bytes as they
//! came from a client or from disk; nothing is decoded until a field is looked at. **Tree** ([`Document`],
//! [`Value`]) is decoded and can be changed. [`ValueRef`] is one borrowed view of both, so that comparison,
//! key encoding, paths and filters are written once.
//!
//! What must hold: a [`RawDocument`] was validated when it was made, so reading it cannot fail.
//!
//! Left to others: what a filter (`language`) or an update (`update`) means, where documents are kept (`store`).

pub mod civil;
pub mod collated;
pub mod collation;
pub mod column;
pub mod date;
pub mod decimal;
mod document;
mod document_filter;
mod hex;
mod macros;
mod name;
mod number;
mod object_id;
mod order;
mod types;
mod view;

pub mod json;
pub mod key;
pub mod path;
pub mod random;
pub mod raw;
pub mod shell;
pub mod size;
pub mod varint;

pub use decimal::Decimal128;
pub use document::Document;
pub use document_filter::DocumentFilter;
pub use hex::{hex, unhex};
pub use object_id::ObjectId;
pub use order::{canonical_type, compare, compare_documents, is_within};
pub use raw::{DocumentBuf, RawArray, RawDocument, RawError};
pub use types::{Binary, DbPointer, Regex, Timestamp, Type, Value};
pub use view::{ArrayRef, DocumentRef, Picked, ValueRef};
