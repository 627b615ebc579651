//! What a script's names stand for. Lists and maps are shared, as in the language: what is changed by one name is changed for all.

use crate::ast::Expression;
use crate::error::{Result, failed};
use crate::patterns::{Matcher, Pattern};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use value::civil::DAYS;
use value::size::size_bytes;
use value::{Document, Value};

/// What a value takes; one that has memory of its own takes it twice, besides its text.
const VALUE_BYTES: usize = 32;

/// Bytes of two texts that are compared in a step: it takes as long as others then.
pub(crate) const COMPARED_BYTES_OF_STEP: usize = 1 << 10;

/// The members of a map, in the order in which they were put.
pub(crate) type Members = Vec<(Arc<str>, Object)>;

#[derive(Clone, Debug)]
pub(crate) enum Object {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Arc<str>),
    List(Rc<RefCell<Vec<Object>>>),
    /// Objects that are all different, in the order in which they were put.
    Set(Rc<RefCell<Vec<Object>>>),
    Map(Rc<RefCell<Members>>),
    /// A type of BSON that JSON lacks: it is handed on as it is.
    Other(Rc<Value>),
    /// A day of the week, from 1 for Monday.
    Day(i64),
    /// The fields of the document.
    Fields,
    /// The values of a field of the document.
    Field(Arc<str>, Rc<Vec<Object>>),
    /// A regular expression.
    Pattern(Arc<Pattern>),
    /// A regular expression that searches a string.
    Matcher(Rc<RefCell<Matcher>>),
    /// A class, of which functions are called.
    Class(&'static str),
    Lambda(Arc<[Arc<str>]>, Arc<Expression>),
}

/// The name of a day of the week.
pub(crate) fn day_name(day: i64) -> String {
    let name = usize::try_from(day - 1).ok().and_then(|at| DAYS.get(at));
    name.map_or_else(String::new, |name| name.to_uppercase())
}

impl Object {
    /// What a script is handed. What it makes itself is counted: [`Run::text`], [`Run::list`], [`Run::map`] and
    /// [`Writer`](crate::writer::Writer).
    ///
    /// [`Run::text`]: crate::run::Run::text
    /// [`Run::list`]: crate::run::Run::list
    /// [`Run::map`]: crate::run::Run::map
    pub(crate) fn from_value(value: &Value) -> Object {
        match value {
            Value::Null | Value::Undefined => Object::Null,
            Value::Bool(bool) => Object::Bool(*bool),
            Value::Int32(int) => Object::Int(i64::from(*int)),
            Value::Int64(int) => Object::Int(*int),
            Value::Double(double) => Object::Double(*double),
            Value::String(text) => Object::Text(text.as_str().into()),
            Value::Array(list) => {
                let items = list.iter().map(Object::from_value);
                Object::List(Rc::new(RefCell::new(items.collect())))
            }
            Value::Document(document) => {
                let members = document.iter();
                let members = members.map(|(name, value)| (name.into(), Object::from_value(value)));
                Object::Map(Rc::new(RefCell::new(members.collect())))
            }
            other => Object::Other(Rc::new(other.clone())),
        }
    }

    /// Whether it is a list or a map, or has lists as a field of vectors does.
    pub(crate) fn holds_others(&self) -> bool {
        matches!(
            self,
            Object::List(_) | Object::Set(_) | Object::Map(_) | Object::Field(..)
        )
    }

    /// Converts it to a value of at most `room` bytes, and takes what it used from `room`. A list or map within itself is refused
    /// by its depth. One that is in several places is made anew for each, so forty of them may stand for a million million values.
    pub(crate) fn to_value(&self, room: &mut usize) -> Result<Value> {
        self.to_value_at(0, room)
    }

    fn to_value_at(&self, depth: usize, room: &mut usize) -> Result<Value> {
        if depth > 100 {
            return failed("a list or map holds itself, or is nested deeper than 100");
        }
        let bytes = match self {
            Object::Text(text) => 2 * VALUE_BYTES + text.len(),
            Object::List(_) | Object::Set(_) => 2 * VALUE_BYTES,
            Object::Map(members) => {
                let names = members
                    .borrow()
                    .iter()
                    .map(|(name, _)| VALUE_BYTES + name.len())
                    .sum::<usize>();
                2 * VALUE_BYTES + names
            }
            Object::Other(value) => size_bytes(value.as_ref().as_ref()),
            _ => VALUE_BYTES,
        };
        let Some(left) = room.checked_sub(bytes) else {
            return failed("what the script has made is larger than documents may be");
        };
        *room = left;
        Ok(match self {
            Object::Null => Value::Null,
            Object::Bool(bool) => Value::Bool(*bool),
            Object::Int(int) => i32::try_from(*int).map_or(Value::Int64(*int), Value::Int32),
            Object::Double(double) => Value::Double(*double),
            Object::Text(text) => Value::String(text.to_string()),
            Object::Day(day) => Value::String(day_name(*day)),
            Object::List(list) | Object::Set(list) => {
                let list = list.borrow();
                let values = list.iter().map(|one| one.to_value_at(depth + 1, room));
                Value::Array(values.collect::<Result<_>>()?)
            }
            Object::Map(members) => {
                let mut document = Document::new();
                for (name, value) in members.borrow().iter() {
                    document.push(name.to_string(), value.to_value_at(depth + 1, room)?);
                }
                Value::Document(document)
            }
            Object::Other(value) => Value::clone(value),
            Object::Field(_, values) => match &values[..] {
                [one] => one.to_value_at(depth + 1, room)?,
                several => {
                    let values = several.iter().map(|one| one.to_value_at(depth + 1, room));
                    Value::Array(values.collect::<Result<_>>()?)
                }
            },
            Object::Fields
            | Object::Class(_)
            | Object::Lambda(..)
            | Object::Pattern(_)
            | Object::Matcher(_) => {
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
            Object::Set(_) => "java.util.HashSet",
            Object::Map(_) => "java.util.HashMap",
            Object::Day(_) => "java.time.DayOfWeek",
            Object::Other(value) if matches!(**value, Value::DateTime(_)) => "java.time.ZonedDateTime",
            Object::Other(_) => "java.lang.Object",
            Object::Fields => "doc",
            Object::Field(..) => "doc values",
            Object::Pattern(_) => "java.util.regex.Pattern",
            Object::Matcher(_) => "java.util.regex.Matcher",
            Object::Class(_) => "class",
            Object::Lambda(..) => "lambda",
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

    pub(crate) fn as_text(&self) -> Result<Arc<str>> {
        match self {
            Object::Text(text) => Ok(text.clone()),
            other => failed(format!("[{}] is not a text", other.kind())),
        }
    }

    /// Whether it equals another. Counts the pairs that it compares in `pairs`, and compares at most `pairs_max`.
    pub(crate) fn equals(&self, other: &Object, pairs_max: u64, pairs: &mut u64) -> bool {
        self.equals_at(other, 0, pairs_max, pairs)
    }

    fn equals_at(&self, other: &Object, depth: usize, pairs_max: u64, pairs: &mut u64) -> bool {
        *pairs += 1;
        if depth > 100 || *pairs > pairs_max {
            return false;
        }
        match (self, other) {
            (Object::Null, Object::Null) => true,
            (Object::Bool(a), Object::Bool(b)) => a == b,
            (Object::Int(a), Object::Int(b)) | (Object::Day(a), Object::Day(b)) => a == b,
            (Object::Int(_) | Object::Double(_), Object::Int(_) | Object::Double(_)) => {
                self.as_f64().ok() == other.as_f64().ok()
            }
            (Object::Text(a), Object::Text(b)) => {
                *pairs += (a.len().min(b.len()) / COMPARED_BYTES_OF_STEP) as u64;
                a == b
            }
            (Object::List(a), Object::List(b)) => {
                Rc::ptr_eq(a, b) || {
                    let (a, b) = (a.borrow(), b.borrow());
                    let mut both = a.iter().zip(b.iter());
                    a.len() == b.len() && both.all(|(a, b)| a.equals_at(b, depth + 1, pairs_max, pairs))
                }
            }
            (Object::Set(a), Object::Set(b)) => {
                Rc::ptr_eq(a, b) || {
                    let (a, b) = (a.borrow(), b.borrow());
                    a.len() == b.len()
                        && a.iter().all(|one| {
                            let mut others = b.iter();
                            others.any(|other| one.equals_at(other, depth + 1, pairs_max, pairs))
                        })
                }
            }
            (Object::Map(a), Object::Map(b)) => {
                Rc::ptr_eq(a, b) || {
                    let (a, b) = (a.borrow(), b.borrow());
                    a.len() == b.len()
                        && a.iter().all(|(name, value)| {
                            *pairs += b.len() as u64 / 32;
                            let there = b.iter().find(|(other, _)| name == other);
                            there
                                .is_some_and(|(_, there)| value.equals_at(there, depth + 1, pairs_max, pairs))
                        })
                }
            }
            (Object::Other(a), Object::Other(b)) => {
                value::compare(a.as_ref().as_ref(), b.as_ref().as_ref()).is_eq()
            }
            _ => false,
        }
    }
}
