//! What a script's names stand for. Lists and maps are shared, as in the language: what is changed by one name is changed for all.

use crate::ast::Expression;
use crate::error::{Result, failed};
use std::cell::RefCell;
use std::rc::Rc;
use value::{Document, Value};

/// The members of a map, in the order in which they were put.
pub(crate) type Members = Vec<(Rc<str>, Object)>;

#[derive(Clone, Debug)]
pub(crate) enum Object {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Rc<str>),
    List(Rc<RefCell<Vec<Object>>>),
    Map(Rc<RefCell<Members>>),
    /// A type of BSON that JSON lacks: it is handed on as it is.
    Other(Rc<Value>),
    /// The fields of the document.
    Fields,
    /// The values of a field of the document.
    Field(Rc<str>, Rc<Vec<Object>>),
    /// A class, of which functions are called.
    Class(Rc<str>),
    Lambda(Rc<(Vec<String>, Expression)>),
}

impl Object {
    pub(crate) fn text(text: impl AsRef<str>) -> Object {
        Object::Text(text.as_ref().into())
    }

    pub(crate) fn list(list: Vec<Object>) -> Object {
        Object::List(Rc::new(RefCell::new(list)))
    }

    pub(crate) fn map(members: Vec<(Rc<str>, Object)>) -> Object {
        Object::Map(Rc::new(RefCell::new(members)))
    }

    pub(crate) fn from_value(value: &Value) -> Object {
        match value {
            Value::Null | Value::Undefined => Object::Null,
            Value::Bool(bool) => Object::Bool(*bool),
            Value::Int32(int) => Object::Int(i64::from(*int)),
            Value::Int64(int) => Object::Int(*int),
            Value::Double(double) => Object::Double(*double),
            Value::String(text) => Object::text(text),
            Value::Array(list) => Object::list(list.iter().map(Object::from_value).collect()),
            Value::Document(document) => Object::map(
                document
                    .iter()
                    .map(|(name, value)| (name.into(), Object::from_value(value)))
                    .collect(),
            ),
            other => Object::Other(Rc::new(other.clone())),
        }
    }

    /// As a value; a list or map that is within itself is refused by its depth.
    pub(crate) fn to_value(&self) -> Result<Value> {
        self.to_value_at(0)
    }

    fn to_value_at(&self, depth: usize) -> Result<Value> {
        if depth > 100 {
            return failed("a list or map holds itself, or is nested deeper than 100");
        }
        Ok(match self {
            Object::Null => Value::Null,
            Object::Bool(bool) => Value::Bool(*bool),
            Object::Int(int) => i32::try_from(*int).map_or(Value::Int64(*int), Value::Int32),
            Object::Double(double) => Value::Double(*double),
            Object::Text(text) => Value::String(text.to_string()),
            Object::List(list) => {
                let list = list.borrow();
                let values: Result<Vec<Value>> = list.iter().map(|one| one.to_value_at(depth + 1)).collect();
                Value::Array(values?)
            }
            Object::Map(members) => {
                let mut document = Document::new();
                for (name, value) in members.borrow().iter() {
                    document.push(name.to_string(), value.to_value_at(depth + 1)?);
                }
                Value::Document(document)
            }
            Object::Other(value) => Value::clone(value),
            Object::Field(_, values) => match &values[..] {
                [one] => one.to_value_at(depth + 1)?,
                several => Object::list(several.to_vec()).to_value_at(depth + 1)?,
            },
            Object::Fields | Object::Class(_) | Object::Lambda(_) => {
                return failed(format!("a {} cannot be stored", self.kind()));
            }
        })
    }

    /// What it is called in errors.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Object::Null => "null",
            Object::Bool(_) => "boolean",
            Object::Int(_) => "long",
            Object::Double(_) => "double",
            Object::Text(_) => "java.lang.String",
            Object::List(_) => "java.util.ArrayList",
            Object::Map(_) => "java.util.HashMap",
            Object::Other(_) => "java.lang.Object",
            Object::Fields => "doc",
            Object::Field(..) => "doc values",
            Object::Class(_) => "class",
            Object::Lambda(_) => "lambda",
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Object::Null)
    }

    pub(crate) fn as_bool(&self) -> Result<bool> {
        match self {
            Object::Bool(bool) => Ok(*bool),
            other => failed(format!("cannot cast [{}] to boolean", other.kind())),
        }
    }

    pub(crate) fn as_f64(&self) -> Result<f64> {
        match self {
            Object::Int(int) => Ok(*int as f64),
            Object::Double(double) => Ok(*double),
            other => failed(format!("[{}] is not a number", other.kind())),
        }
    }

    pub(crate) fn as_int(&self) -> Result<i64> {
        match self {
            Object::Int(int) => Ok(*int),
            Object::Double(double) => Ok(*double as i64),
            other => failed(format!("[{}] is not a number", other.kind())),
        }
    }

    pub(crate) fn as_text(&self) -> Result<Rc<str>> {
        match self {
            Object::Text(text) => Ok(text.clone()),
            other => failed(format!("[{}] is not a text", other.kind())),
        }
    }

    /// As it is written into a text.
    pub(crate) fn shown(&self) -> Rc<str> {
        let list = |list: &[Object]| {
            let shown: Vec<Rc<str>> = list.iter().map(Object::shown).collect();
            format!("[{}]", shown.join(", ")).into()
        };
        match self {
            Object::Null => "null".into(),
            Object::Bool(bool) => bool.to_string().into(),
            Object::Int(int) => int.to_string().into(),
            Object::Double(double) => double_text(*double).into(),
            Object::Text(text) => text.clone(),
            // One that holds itself would have no end: what lies deeper is not written out.
            Object::List(items) => list(&items.borrow().iter().map(shallow).collect::<Vec<_>>()),
            Object::Field(_, values) => list(values),
            Object::Map(members) => {
                let members = members.borrow();
                let shown: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("{name}={}", shallow(value).shown()))
                    .collect();
                format!("{{{}}}", shown.join(", ")).into()
            }
            other => other.kind().into(),
        }
    }

    pub(crate) fn equals(&self, other: &Object) -> bool {
        self.equals_at(other, 0)
    }

    fn equals_at(&self, other: &Object, depth: usize) -> bool {
        if depth > 100 {
            return false;
        }
        match (self, other) {
            (Object::Null, Object::Null) => true,
            (Object::Bool(a), Object::Bool(b)) => a == b,
            (Object::Int(a), Object::Int(b)) => a == b,
            (Object::Int(_) | Object::Double(_), Object::Int(_) | Object::Double(_)) => {
                self.as_f64().ok() == other.as_f64().ok()
            }
            (Object::Text(a), Object::Text(b)) => a == b,
            (Object::List(a), Object::List(b)) => {
                Rc::ptr_eq(a, b) || {
                    let (a, b) = (a.borrow(), b.borrow());
                    a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.equals_at(b, depth + 1))
                }
            }
            (Object::Map(a), Object::Map(b)) => {
                Rc::ptr_eq(a, b) || {
                    let (a, b) = (a.borrow(), b.borrow());
                    let has = |name: &Rc<str>, value: &Object| {
                        b.iter()
                            .any(|(other, there)| name == other && value.equals_at(there, depth + 1))
                    };
                    a.len() == b.len() && a.iter().all(|(name, value)| has(name, value))
                }
            }
            (Object::Other(a), Object::Other(b)) => {
                value::compare(a.as_ref().as_ref(), b.as_ref().as_ref()).is_eq()
            }
            _ => false,
        }
    }
}

/// The same where it is no list or map, and else what says that it is one.
fn shallow(object: &Object) -> Object {
    match object {
        Object::List(_) => Object::text("[…]"),
        Object::Map(_) => Object::text("{…}"),
        other => other.clone(),
    }
}

/// A double as the language writes it: `3.0`.
fn double_text(double: f64) -> String {
    match double.fract() == 0.0 && double.abs() < 1e7 {
        true => format!("{double:.1}"),
        false => double.to_string(),
    }
}
