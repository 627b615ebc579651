//! One borrowed view of raw and decoded values.

use crate::{
    Decimal128, Document, DocumentBuf, ObjectId, RawArray, RawDocument, Timestamp, Type, Value, name,
};

/// A borrowed value, out of a raw or a decoded document. Cheap to copy.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the variants are those of Value")]
pub enum ValueRef<'a> {
    Double(f64),
    String(&'a str),
    Document(DocumentRef<'a>),
    Array(ArrayRef<'a>),
    Binary { subtype: u8, bytes: &'a [u8] },
    Undefined,
    ObjectId(ObjectId),
    Bool(bool),
    DateTime(i64),
    Null,
    Regex { pattern: &'a str, options: &'a str },
    DbPointer { namespace: &'a str, id: ObjectId },
    JavaScript(&'a str),
    Symbol(&'a str),
    JavaScriptWithScope { code: &'a str, scope: DocumentRef<'a> },
    Int32(i32),
    Timestamp(Timestamp),
    Int64(i64),
    Decimal128(Decimal128),
    MinKey,
    MaxKey,
}

/// A borrowed document in either form.
#[derive(Clone, Copy, Debug)]
pub enum DocumentRef<'a> {
    /// BSON bytes.
    Raw(RawDocument<'a>),
    /// Decoded.
    Tree(&'a Document),
    /// Fields that were picked out.
    Picked(&'a Picked<'a>),
}

/// Fields picked out of a document, or computed of it: what a reader gets who said before which it looks at.
#[derive(Clone, Copy, Debug)]
pub struct Picked<'a> {
    /// The names of the fields.
    pub names: &'a [Box<str>],
    /// Their values in the same places; none is missing.
    pub values: &'a [Option<ValueRef<'a>>],
}

/// A borrowed array in either form.
#[derive(Clone, Copy, Debug)]
pub enum ArrayRef<'a> {
    /// BSON bytes.
    Raw(RawArray<'a>),
    /// Decoded.
    Tree(&'a [Value]),
}

impl<'a> ValueRef<'a> {
    /// The value's type.
    pub fn type_of(self) -> Type {
        match self {
            ValueRef::Double(_) => Type::Double,
            ValueRef::String(_) => Type::String,
            ValueRef::Document(_) => Type::Document,
            ValueRef::Array(_) => Type::Array,
            ValueRef::Binary { .. } => Type::Binary,
            ValueRef::Undefined => Type::Undefined,
            ValueRef::ObjectId(_) => Type::ObjectId,
            ValueRef::Bool(_) => Type::Bool,
            ValueRef::DateTime(_) => Type::DateTime,
            ValueRef::Null => Type::Null,
            ValueRef::Regex { .. } => Type::Regex,
            ValueRef::DbPointer { .. } => Type::DbPointer,
            ValueRef::JavaScript(_) => Type::JavaScript,
            ValueRef::Symbol(_) => Type::Symbol,
            ValueRef::JavaScriptWithScope { .. } => Type::JavaScriptWithScope,
            ValueRef::Int32(_) => Type::Int32,
            ValueRef::Timestamp(_) => Type::Timestamp,
            ValueRef::Int64(_) => Type::Int64,
            ValueRef::Decimal128(_) => Type::Decimal128,
            ValueRef::MinKey => Type::MinKey,
            ValueRef::MaxKey => Type::MaxKey,
        }
    }

    /// The value decoded: a copy of all that it borrows.
    pub fn to_value(self) -> Value {
        match self {
            ValueRef::Double(v) => Value::Double(v),
            ValueRef::String(v) => Value::String(v.to_owned()),
            ValueRef::Document(v) => Value::Document(v.to_document()),
            ValueRef::Array(v) => Value::Array(v.iter().map(ValueRef::to_value).collect()),
            ValueRef::Binary { subtype, bytes } => Value::Binary(crate::Binary {
                subtype,
                bytes: bytes.to_vec(),
            }),
            ValueRef::Undefined => Value::Undefined,
            ValueRef::ObjectId(v) => Value::ObjectId(v),
            ValueRef::Bool(v) => Value::Bool(v),
            ValueRef::DateTime(v) => Value::DateTime(v),
            ValueRef::Null => Value::Null,
            ValueRef::Regex { pattern, options } => Value::Regex(crate::Regex {
                pattern: pattern.to_owned(),
                options: options.to_owned(),
            }),
            ValueRef::DbPointer { namespace, id } => Value::DbPointer(crate::DbPointer {
                namespace: namespace.to_owned(),
                id,
            }),
            ValueRef::JavaScript(v) => Value::JavaScript(v.to_owned()),
            ValueRef::Symbol(v) => Value::Symbol(v.to_owned()),
            ValueRef::JavaScriptWithScope { code, scope } => {
                Value::JavaScriptWithScope(code.to_owned(), scope.to_document())
            }
            ValueRef::Int32(v) => Value::Int32(v),
            ValueRef::Timestamp(v) => Value::Timestamp(v),
            ValueRef::Int64(v) => Value::Int64(v),
            ValueRef::Decimal128(v) => Value::Decimal128(v),
            ValueRef::MinKey => Value::MinKey,
            ValueRef::MaxKey => Value::MaxKey,
        }
    }

    /// Whether the value is a number of any type.
    pub fn is_number(self) -> bool {
        self.type_of().is_number()
    }

    /// The embedded document, if it is one.
    pub fn as_document(self) -> Option<DocumentRef<'a>> {
        match self {
            ValueRef::Document(document) => Some(document),
            _ => None,
        }
    }

    /// The array, if it is one.
    pub fn as_array(self) -> Option<ArrayRef<'a>> {
        match self {
            ValueRef::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The text, if it is a string.
    pub fn as_str(self) -> Option<&'a str> {
        match self {
            ValueRef::String(text) => Some(text),
            _ => None,
        }
    }
}

impl Value {
    /// A borrowed view of the value.
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Value::Double(v) => ValueRef::Double(*v),
            Value::String(v) => ValueRef::String(v),
            Value::Document(v) => ValueRef::Document(DocumentRef::Tree(v)),
            Value::Array(v) => ValueRef::Array(ArrayRef::Tree(v)),
            Value::Binary(v) => ValueRef::Binary {
                subtype: v.subtype,
                bytes: &v.bytes,
            },
            Value::Undefined => ValueRef::Undefined,
            Value::ObjectId(v) => ValueRef::ObjectId(*v),
            Value::Bool(v) => ValueRef::Bool(*v),
            Value::DateTime(v) => ValueRef::DateTime(*v),
            Value::Null => ValueRef::Null,
            Value::Regex(v) => ValueRef::Regex {
                pattern: &v.pattern,
                options: &v.options,
            },
            Value::DbPointer(v) => ValueRef::DbPointer {
                namespace: &v.namespace,
                id: v.id,
            },
            Value::JavaScript(v) => ValueRef::JavaScript(v),
            Value::Symbol(v) => ValueRef::Symbol(v),
            Value::JavaScriptWithScope(code, scope) => ValueRef::JavaScriptWithScope {
                code,
                scope: DocumentRef::Tree(scope),
            },
            Value::Int32(v) => ValueRef::Int32(*v),
            Value::Timestamp(v) => ValueRef::Timestamp(*v),
            Value::Int64(v) => ValueRef::Int64(*v),
            Value::Decimal128(v) => ValueRef::Decimal128(*v),
            Value::MinKey => ValueRef::MinKey,
            Value::MaxKey => ValueRef::MaxKey,
        }
    }

    /// The value's type.
    pub fn type_of(&self) -> Type {
        self.as_ref().type_of()
    }
}

/// Equal by type and content, field order included: the identity of stored bytes, not MongoDB's
/// comparison (for that see [`crate::compare`]). Doubles are equal by bits, so NaN equals itself.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits(),
            (Value::String(a), Value::String(b))
            | (Value::JavaScript(a), Value::JavaScript(b))
            | (Value::Symbol(a), Value::Symbol(b)) => a == b,
            (Value::Document(a), Value::Document(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a == b,
            (Value::Binary(a), Value::Binary(b)) => a == b,
            (Value::ObjectId(a), Value::ObjectId(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::DateTime(a), Value::DateTime(b)) => a == b,
            (Value::Regex(a), Value::Regex(b)) => a == b,
            (Value::DbPointer(a), Value::DbPointer(b)) => a == b,
            (Value::JavaScriptWithScope(a, x), Value::JavaScriptWithScope(b, y)) => a == b && x == y,
            (Value::Int32(a), Value::Int32(b)) => a == b,
            (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
            (Value::Int64(a), Value::Int64(b)) => a == b,
            (Value::Decimal128(a), Value::Decimal128(b)) => a == b,
            (Value::Undefined, Value::Undefined)
            | (Value::Null, Value::Null)
            | (Value::MinKey, Value::MinKey)
            | (Value::MaxKey, Value::MaxKey) => true,
            _ => false,
        }
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Document) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<'a> DocumentRef<'a> {
    /// The fields in order.
    pub fn iter(self) -> DocumentIter<'a> {
        match self {
            DocumentRef::Raw(document) => DocumentIter {
                raw: Some(document.iter()),
                tree: None,
                picked: None,
            },
            DocumentRef::Tree(document) => DocumentIter {
                raw: None,
                tree: Some(document.fields().iter()),
                picked: None,
            },
            DocumentRef::Picked(picked) => DocumentIter {
                raw: None,
                tree: None,
                picked: Some(picked.names.iter().zip(picked.values)),
            },
        }
    }

    /// The value of the first field of this name.
    pub fn get(self, name: &str) -> Option<ValueRef<'a>> {
        match self {
            DocumentRef::Raw(document) => document.get(name),
            DocumentRef::Tree(document) => document.get(name).map(Value::as_ref),
            DocumentRef::Picked(picked) => picked.get(name),
        }
    }

    /// Whether there is no field.
    pub fn is_empty(self) -> bool {
        match self {
            DocumentRef::Raw(document) => document.is_empty(),
            DocumentRef::Tree(document) => document.is_empty(),
            DocumentRef::Picked(picked) => picked.values.iter().all(Option::is_none),
        }
    }

    /// The document decoded.
    pub fn to_document(self) -> Document {
        match self {
            DocumentRef::Raw(document) => document.to_document(),
            DocumentRef::Tree(document) => document.clone(),
            DocumentRef::Picked(_) => self
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_value()))
                .collect(),
        }
    }
}

impl DocumentRef<'_> {
    /// The document as BSON: a copy.
    pub fn to_buf(self) -> DocumentBuf {
        match self {
            DocumentRef::Raw(document) => document.to_buf(),
            DocumentRef::Tree(document) => DocumentBuf::from(document),
            DocumentRef::Picked(_) => DocumentBuf::from(&self.to_document()),
        }
    }
}

impl<'a> Picked<'a> {
    fn get(self, name: &str) -> Option<ValueRef<'a>> {
        let mut names = self.names.iter();
        let at = names.position(|known| name::is_same(known.as_bytes(), name.as_bytes()))?;
        *self.values.get(at)?
    }
}

impl<'a> From<&'a Document> for DocumentRef<'a> {
    fn from(document: &'a Document) -> DocumentRef<'a> {
        DocumentRef::Tree(document)
    }
}

impl<'a> From<RawDocument<'a>> for DocumentRef<'a> {
    fn from(document: RawDocument<'a>) -> DocumentRef<'a> {
        DocumentRef::Raw(document)
    }
}

impl<'a> ArrayRef<'a> {
    /// The elements in order.
    pub fn iter(self) -> impl Iterator<Item = ValueRef<'a>> {
        let (raw, tree) = match self {
            ArrayRef::Raw(array) => (Some(array.iter()), None),
            ArrayRef::Tree(values) => (None, Some(values.iter().map(Value::as_ref))),
        };
        raw.into_iter().flatten().chain(tree.into_iter().flatten())
    }

    /// The element at this place, counted from 0.
    pub fn get(self, position: usize) -> Option<ValueRef<'a>> {
        match self {
            ArrayRef::Raw(array) => array.iter().nth(position),
            ArrayRef::Tree(values) => values.get(position).map(Value::as_ref),
        }
    }

    /// The number of elements; a walk where the array is raw.
    pub fn len(self) -> usize {
        match self {
            ArrayRef::Raw(array) => array.iter().count(),
            ArrayRef::Tree(values) => values.len(),
        }
    }

    /// Whether there is no element.
    pub fn is_empty(self) -> bool {
        match self {
            ArrayRef::Raw(array) => array.iter().next().is_none(),
            ArrayRef::Tree(values) => values.is_empty(),
        }
    }
}

/// The fields of a [`DocumentRef`] in order.
#[derive(Clone, Debug)]
pub struct DocumentIter<'a> {
    raw: Option<crate::raw::Elements<'a>>,
    tree: Option<std::slice::Iter<'a, (String, Value)>>,
    picked: Option<PickedFields<'a>>,
}

type PickedFields<'a> =
    std::iter::Zip<std::slice::Iter<'a, Box<str>>, std::slice::Iter<'a, Option<ValueRef<'a>>>>;

impl<'a> Iterator for DocumentIter<'a> {
    type Item = (&'a str, ValueRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match (&mut self.raw, &mut self.tree) {
            (Some(raw), _) => raw.next(),
            (None, Some(tree)) => tree.next().map(|(name, value)| (name.as_str(), value.as_ref())),
            (None, None) => {
                let mut fields = self.picked.iter_mut().flatten();
                fields.find_map(|(name, value)| value.map(|value| (&**name, value)))
            }
        }
    }
}
