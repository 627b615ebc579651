//! Running a script.

mod expressions;
mod places;
mod statements;

use crate::ast::{Function, Statement};
use crate::error::{Ended, ScriptError};
use crate::limits::RESULT_BYTES_MAX;
use crate::object::Object;
use crate::parse;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use value::Value;

/// A script that was compiled.
#[derive(Clone, Debug)]
pub struct Script {
    body: Vec<Statement>,
    functions: Vec<Function>,
}

/// What a script sees: names with values.
#[derive(Clone, Debug, Default)]
pub struct Globals {
    named: Vec<(String, Value)>,
}

impl Globals {
    /// Nothing yet.
    pub fn new() -> Globals {
        Globals::default()
    }

    /// With a name more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Globals {
        self.named.push((name.to_owned(), value.into()));
        self
    }

    fn objects(&self) -> Vec<(Arc<str>, Object)> {
        let named = self.named.iter();
        named
            .map(|(name, value)| (name.as_str().into(), Object::from_value(value)))
            .collect()
    }

    /// What a name stands for after the run.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.named.iter().position(|(known, _)| known == name)?;
        Some(self.named.remove(at).1)
    }
}

/// Who knows the fields of the document that a script looks at, and whether anybody still waits for it.
pub trait Host {
    /// The values of a field; `None` where the mapping has no such field.
    fn field(&self, name: &str) -> Option<Vec<Value>>;

    /// Asked every thousand steps or so: why the script is to end, where it is.
    fn look(&self) -> Result<(), Ended> {
        Ok(())
    }
}

/// There is no document.
impl Host for () {
    fn field(&self, _: &str) -> Option<Vec<Value>> {
        None
    }
}

impl Script {
    /// Compiles a script.
    pub fn compile(source: &str) -> Result<Script, ScriptError> {
        let (body, functions) = parse::parse(source)?;
        Ok(Script { body, functions })
    }

    /// Runs it where nobody asks what it has changed of the globals; one without `return` gives its last expression.
    pub fn value(&self, globals: &Globals, host: &dyn Host) -> Result<Value, ScriptError> {
        let mut run = Run::new(globals.objects(), host);
        let mut room = RESULT_BYTES_MAX;
        self.result(&mut run)?.to_value(&mut room)
    }

    /// The same as a text, as `String.valueOf` shows what it gives.
    pub fn text(&self, globals: &Globals, host: &dyn Host) -> Result<String, ScriptError> {
        let mut run = Run::new(globals.objects(), host);
        let result = self.result(&mut run)?;
        Ok(result.shown(&mut run)?.to_string())
    }

    fn result<'s>(&'s self, run: &mut Run<'s>) -> Result<Object, ScriptError> {
        run.functions = &self.functions;
        Ok(match run.statements(&self.body)? {
            Flow::Return(object) => object,
            _ => Object::Null,
        })
    }

    /// Runs it. What it changes of the globals is in them afterwards.
    pub fn run(&self, globals: &mut Globals, host: &dyn Host) -> Result<Value, ScriptError> {
        let mut run = Run::new(globals.objects(), host);
        let count = run.names.len();
        let result = self.result(&mut run)?;
        let mut room = RESULT_BYTES_MAX;
        for ((_, value), (_, object)) in globals.named.iter_mut().zip(run.names.iter().take(count)) {
            if matches!(object, Object::Map(_) | Object::List(_)) {
                *value = object.to_value(&mut room)?;
            }
        }
        result.to_value(&mut room)
    }
}

/// How a statement ended.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Object),
}

pub(crate) struct Run<'h> {
    /// The names that are known, the innermost last.
    names: Vec<(Arc<str>, Object)>,
    /// What the script declares.
    functions: &'h [Function],
    pub(crate) host: &'h dyn Host,
    pub(crate) steps: u64,
    pub(crate) bytes: usize,
    depth: usize,
    /// Lists and maps that hold others: they may hold themselves, or each other a hundred thousand deep, and so are freed by being
    /// emptied one after another.
    pub(crate) holders: Vec<Object>,
    /// The fields that the script has looked at, each of which is read and counted once.
    fields: HashMap<Arc<str>, Rc<Vec<Object>>>,
}

impl<'h> Run<'h> {
    fn new(names: Vec<(Arc<str>, Object)>, host: &'h dyn Host) -> Run<'h> {
        Run {
            names,
            functions: &[],
            host,
            steps: 0,
            bytes: 0,
            depth: 0,
            holders: Vec::new(),
            fields: HashMap::new(),
        }
    }
}
