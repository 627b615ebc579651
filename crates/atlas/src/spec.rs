//! Documents of clients read member by member; what is left in the end is an error.

use crate::error::{Result, refused};
use std::cell::RefCell;
use value::{Document, Value};

/// A document, its place in the request, and what was read of it.
#[derive(Debug)]
pub(crate) struct Spec<'d> {
    path: String,
    document: &'d Document,
    taken: RefCell<Vec<String>>,
}

impl<'d> Spec<'d> {
    pub(crate) fn new(path: impl Into<String>, document: &'d Document) -> Spec<'d> {
        Spec {
            path: path.into(),
            document,
            taken: RefCell::default(),
        }
    }

    /// The same of a value that must be a document.
    pub(crate) fn of(path: impl Into<String>, value: &'d Value) -> Result<Spec<'d>> {
        let path = path.into();
        match value {
            Value::Document(document) => Ok(Spec::new(path, document)),
            _ => Err(refused(format!("\"{path}\" must be a document"))),
        }
    }

    /// Where a member stands in the request.
    pub(crate) fn path_of(&self, name: &str) -> String {
        match self.path.is_empty() {
            true => name.to_owned(),
            false => format!("{}.{name}", self.path),
        }
    }

    /// A member, if it is there; null stands for none.
    pub(crate) fn any(&self, name: &str) -> Option<&'d Value> {
        self.given(name).filter(|value| !matches!(value, Value::Null))
    }

    /// A member, if it is there, which may be null.
    pub(crate) fn given(&self, name: &str) -> Option<&'d Value> {
        self.taken.borrow_mut().push(name.to_owned());
        self.document.get(name)
    }

    /// A member that must be there.
    pub(crate) fn required(&self, name: &str) -> Result<&'d Value> {
        let missing = || refused(format!("\"{}\" is required", self.path_of(name)));
        self.any(name).ok_or_else(missing)
    }

    fn wrong(&self, name: &str, what: &str) -> engine::Error {
        refused(format!("\"{}\" must be {what}", self.path_of(name)))
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'d str>> {
        match self.any(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "a string")),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.any(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(self.wrong(name, "a boolean")),
        }
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>> {
        match self.any(name) {
            None => Ok(None),
            Some(value) => value
                .as_ref()
                .as_f64()
                .filter(|number| number.is_finite())
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a number")),
        }
    }

    /// A whole number within bounds.
    pub(crate) fn count(&self, name: &str, least: i64, most: i64) -> Result<Option<i64>> {
        let Some(number) = self.number(name)? else {
            return Ok(None);
        };
        if matches!(self.document.get(name), Some(Value::Decimal128(_))) {
            return Err(self.wrong(name, "a number and no decimal"));
        }
        let is_good = number.fract() == 0.0 && number >= least as f64 && number <= most as f64;
        match is_good {
            true => Ok(Some(number as i64)),
            false => Err(self.wrong(name, &format!("a whole number from {least} to {most}"))),
        }
    }

    pub(crate) fn document(&self, name: &str) -> Result<Option<Spec<'d>>> {
        self.any(name)
            .map(|value| Spec::of(self.path_of(name), value))
            .transpose()
    }

    /// The members as they are, which counts as having read them.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'d str, &'d Value)> + use<'d> {
        let names = self.document.iter().map(|(name, _)| name.to_owned());
        self.taken.borrow_mut().extend(names);
        self.document.iter()
    }

    /// The names of members that were not read.
    pub(crate) fn rest(&self) -> Vec<&'d str> {
        let taken = self.taken.borrow();
        let names = self.document.iter().map(|(name, _)| name);
        names
            .filter(|name| !taken.iter().any(|known| known == name))
            .collect()
    }

    /// Refuses members that nobody has read.
    pub(crate) fn end(&self) -> Result<()> {
        match self.rest().first() {
            None => Ok(()),
            Some(name) => Err(refused(format!("\"{}\" unrecognized field", self.path_of(name)))),
        }
    }
}

/// One value, or those of an array.
pub(crate) fn one_or_many(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        one => std::slice::from_ref(one),
    }
}
