//! The result of an expression: nothing, a value of the document, or a new value.

use value::{Value, ValueRef};

/// The outcome of evaluating an expression.
#[derive(Clone, Debug)]
pub enum Evaluated<'a> {
    /// There is no value.
    Missing,
    /// A value that is part of the document, of a variable or of the expression itself.
    Borrowed(ValueRef<'a>),
    /// A value that was computed.
    Owned(Value),
}

impl<'a> Evaluated<'a> {
    /// A computed value.
    pub fn of(value: impl Into<Value>) -> Evaluated<'a> {
        Evaluated::Owned(value.into())
    }

    /// A view of the value; `None` if it is missing.
    pub fn get(&self) -> Option<ValueRef<'_>> {
        match self {
            Evaluated::Missing => None,
            Evaluated::Borrowed(value) => Some(*value),
            Evaluated::Owned(value) => Some(value.as_ref()),
        }
    }

    /// A view of the value, null if it is missing.
    pub fn or_null(&self) -> ValueRef<'_> {
        self.get().unwrap_or(ValueRef::Null)
    }

    /// A view of the value; `None` if it is missing, null or undefined, which most operators treat alike.
    pub fn present(&self) -> Option<ValueRef<'_>> {
        self.get()
            .filter(|value| !matches!(value, ValueRef::Null | ValueRef::Undefined))
    }

    /// The value, decoded; `None` if it is missing.
    pub fn into_value(self) -> Option<Value> {
        match self {
            Evaluated::Missing => None,
            Evaluated::Borrowed(value) => Some(value.to_value()),
            Evaluated::Owned(value) => Some(value),
        }
    }

    /// The same without borrowing anything.
    pub fn into_owned<'b>(self) -> Evaluated<'b> {
        Evaluated::from(self.into_value())
    }

    /// Whether the value counts as true: everything except false, null, undefined, missing and zero.
    pub fn is_true(&self) -> bool {
        self.get().is_some_and(is_true)
    }
}

impl From<Option<Value>> for Evaluated<'_> {
    fn from(value: Option<Value>) -> Self {
        value.map_or(Evaluated::Missing, Evaluated::Owned)
    }
}

impl<'a> From<Option<ValueRef<'a>>> for Evaluated<'a> {
    fn from(value: Option<ValueRef<'a>>) -> Self {
        value.map_or(Evaluated::Missing, Evaluated::Borrowed)
    }
}

impl<'a> From<ValueRef<'a>> for Evaluated<'a> {
    fn from(value: ValueRef<'a>) -> Self {
        Evaluated::Borrowed(value)
    }
}

/// Whether a value counts as true.
pub fn is_true(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Bool(truth) => truth,
        ValueRef::Null | ValueRef::Undefined => false,
        ValueRef::Int32(number) => number != 0,
        ValueRef::Int64(number) => number != 0,
        ValueRef::Double(number) => number != 0.0,
        ValueRef::Decimal128(number) => !number.is_zero(),
        _ => true,
    }
}
