//! A document on its way, with where it is to go.

use crate::error::{Failure, Result, cannot_cast, failed};
use crate::limits::{UNMEASURED_BYTES_MAX, document_bytes, fits, value_bytes};
use mapping::java::class_of;
use value::{Document, Value};

/// How deep a path may go.
const PATH_PARTS_MAX: usize = 100;

/// A document on its way, with where it is to go.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The index that it is to be written to.
    pub index: String,
    /// Its id, if it has one yet.
    pub id: Option<String>,
    /// Where it is routed to.
    pub routing: Option<String>,
    /// The document.
    pub source: Document,
    /// What pipelines know besides: `timestamp`, the name of the `pipeline` that runs, and what failed.
    pub ingest: Document,
    /// About the bytes that were put into it since it was measured.
    pub unmeasured_bytes: usize,
}

/// Where a path begins.
enum Root<'p> {
    Index,
    Id,
    Routing,
    Source(&'p str),
    Ingest(&'p str),
}

fn root(path: &str) -> Root<'_> {
    match path {
        "_index" => Root::Index,
        "_id" => Root::Id,
        "_routing" => Root::Routing,
        _ => match path.strip_prefix("_ingest.") {
            Some(rest) => Root::Ingest(rest),
            None => Root::Source(path.strip_prefix("_source.").unwrap_or(path)),
        },
    }
}

impl Context {
    /// The value at a path; `None` where there is none.
    pub fn get(&self, path: &str) -> Option<Value> {
        match root(path) {
            Root::Index => Some(Value::from(self.index.as_str())),
            Root::Id => self.id.as_deref().map(Value::from),
            Root::Routing => self.routing.as_deref().map(Value::from),
            Root::Source(rest) => find(&self.source, rest).cloned(),
            Root::Ingest(rest) => find(&self.ingest, rest).cloned(),
        }
    }

    /// The value at a path, which must be there.
    pub(crate) fn required(&self, path: &str) -> Result<Value> {
        self.get(path).ok_or_else(|| {
            let last = path.rsplit('.').next().unwrap_or(path);
            Failure::new(format!("field [{last}] not present as part of path [{path}]"))
        })
    }

    /// The text at a path; `None` where there is nothing, or null, and `ignores_missing` allows that.
    pub(crate) fn text(&self, path: &str, ignores_missing: bool) -> Result<Option<String>> {
        match self.get(path) {
            None | Some(Value::Null) if ignores_missing => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => cannot_cast(path, &other, "java.lang.String"),
            None => self.required(path).map(|_| None),
        }
    }

    /// Whether there is something at a path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Puts a value at a path; the objects on the way there are made.
    pub(crate) fn set(&mut self, path: &str, value: Value) -> Result<()> {
        let text = |value: Value| match value {
            Value::String(text) => Ok(text),
            other => failed(format!(
                "cannot set [{path}]: a text is needed, not [{}]",
                class_of(&other)
            )),
        };
        self.grows(path.len() + value_bytes(&value))?;
        match root(path) {
            Root::Index => self.index = text(value)?,
            Root::Id => self.id = Some(text(value)?),
            Root::Routing => self.routing = Some(text(value)?),
            Root::Source(rest) => put(&mut self.source, rest, path, value)?,
            Root::Ingest(rest) => put(&mut self.ingest, rest, path, value)?,
        }
        Ok(())
    }

    /// Counts what is put into it; fails where it has become too large.
    fn grows(&mut self, bytes: usize) -> Result<()> {
        fits(bytes)?;
        self.unmeasured_bytes += bytes;
        if self.unmeasured_bytes <= UNMEASURED_BYTES_MAX {
            return Ok(());
        }
        self.unmeasured_bytes = 0;
        fits(self.bytes() + bytes)
    }

    /// About the bytes that it takes.
    pub fn bytes(&self) -> usize {
        document_bytes(&self.source) + document_bytes(&self.ingest)
    }

    /// Takes away what is at a path, which must be there.
    pub(crate) fn remove(&mut self, path: &str) -> Result<Value> {
        let present = self.required(path)?;
        match root(path) {
            Root::Id => self.id = None,
            Root::Routing => self.routing = None,
            Root::Index => return failed("[_index] cannot be removed"),
            Root::Source(rest) => take(&mut self.source, rest),
            Root::Ingest(rest) => take(&mut self.ingest, rest),
        }
        Ok(present)
    }

    /// Adds values to the list at a path; what is no list becomes one.
    pub(crate) fn append(&mut self, path: &str, values: Vec<Value>, duplicates: bool) -> Result<()> {
        let mut list = match self.get(path) {
            None => Vec::new(),
            Some(Value::Array(list)) => list,
            Some(one) => vec![one],
        };
        for value in values {
            let is_there = || list.iter().any(|other| is_same(other, &value));
            if duplicates || !is_there() {
                list.push(value);
            }
        }
        self.set(path, Value::Array(list))
    }

    /// What scripts see as `ctx`.
    pub(crate) fn for_script(&self) -> Document {
        let mut document = self.source.clone();
        document.set("_index", self.index.as_str());
        if let Some(id) = &self.id {
            document.set("_id", id.as_str());
        }
        if let Some(routing) = &self.routing {
            document.set("_routing", routing.as_str());
        }
        document.set("_ingest", self.ingest.clone());
        document
    }

    /// Takes what a script made of that.
    pub(crate) fn take_from_script(&mut self, mut document: Document) -> Result<()> {
        let mut text = |name: &str| match document.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        if let Some(index) = text("_index") {
            self.index = index;
        }
        self.id = text("_id");
        self.routing = text("_routing");
        document.remove("_ingest");
        self.source = document;
        // A script has a limit of its own for what it makes; many of them have not.
        self.grows(UNMEASURED_BYTES_MAX)
    }
}

pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    a.type_of() == b.type_of() && value::compare(a.as_ref(), b.as_ref()).is_eq()
}

fn find<'d>(document: &'d Document, path: &str) -> Option<&'d Value> {
    if path.split('.').nth(PATH_PARTS_MAX).is_some() {
        return None;
    }
    let mut parts = path.split('.');
    let mut value = document.get(parts.next()?)?;
    for part in parts {
        value = match value {
            Value::Document(inner) => inner.get(part)?,
            Value::Array(list) => list.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

fn put(document: &mut Document, rest: &str, path: &str, value: Value) -> Result<()> {
    if rest.is_empty() || rest.contains('\0') || rest.split('.').any(str::is_empty) {
        return failed(format!("path [{path}] is not valid"));
    }
    if rest.split('.').count() > PATH_PARTS_MAX {
        return failed(format!("path [{path}] has more than {PATH_PARTS_MAX} parts"));
    }
    match rest.split_once('.') {
        None => document.set(rest, value),
        Some((first, rest)) => {
            if document
                .get(first)
                .is_none_or(|there| matches!(there, Value::Null))
            {
                document.set(first, Document::new());
            }
            if let Some(inner) = document.get_mut(first) {
                put_within(inner, rest, path, value)?;
            }
        }
    }
    Ok(())
}

fn put_within(inner: &mut Value, rest: &str, path: &str, value: Value) -> Result<()> {
    match inner {
        Value::Document(inner) => put(inner, rest, path, value),
        Value::Array(list) => {
            let (first, later) = rest
                .split_once('.')
                .map_or((rest, None), |(first, later)| (first, Some(later)));
            let Ok(at) = first.parse::<usize>() else {
                return failed(format!(
                    "[{first}] is not an integer, cannot be used as an index as part of path [{path}]"
                ));
            };
            let length = list.len();
            match (list.get_mut(at), later) {
                (Some(element), None) => *element = value,
                (Some(element), Some(later)) => put_within(element, later, path, value)?,
                (None, _) => {
                    return failed(format!(
                        "[{at}] is out of bounds for array with length [{length}] as part of path [{path}]"
                    ));
                }
            }
            Ok(())
        }
        other => {
            let first = rest.split('.').next().unwrap_or(rest);
            failed(format!(
                "cannot set [{first}] with parent object of type [{}] as part of path [{path}]",
                class_of(other)
            ))
        }
    }
}

fn take(document: &mut Document, path: &str) {
    match path.split_once('.') {
        None => drop(document.remove(path)),
        Some((first, rest)) => {
            if let Some(inner) = document.get_mut(first) {
                take_within(inner, rest);
            }
        }
    }
}

fn take_within(inner: &mut Value, rest: &str) {
    match inner {
        Value::Document(inner) => take(inner, rest),
        Value::Array(list) => {
            let (first, later) = rest
                .split_once('.')
                .map_or((rest, None), |(first, later)| (first, Some(later)));
            let Some(at) = first.parse::<usize>().ok().filter(|at| *at < list.len()) else {
                return;
            };
            match later {
                None => drop(list.remove(at)),
                Some(later) => take_within(&mut list[at], later),
            }
        }
        _ => {}
    }
}
