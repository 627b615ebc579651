//! Running a script.

use crate::ast::{Expression, Statement};
use crate::error::{Result, ScriptError, failed};
use crate::limits::{DEPTH_MAX, NAMES_MAX, RESULT_BYTES_MAX};
use crate::object::Object;
use crate::{methods, parse, statics};
use std::rc::Rc;
use value::Value;

/// A script that was compiled.
#[derive(Clone, Debug)]
pub struct Script {
    body: Vec<Statement>,
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
    fn look(&self) -> std::result::Result<(), String> {
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
    pub fn compile(source: &str) -> std::result::Result<Script, ScriptError> {
        Ok(Script {
            body: parse::parse(source)?,
        })
    }

    /// Runs it. What it changes of the globals is in them afterwards; a script without `return` gives its last expression.
    pub fn run(&self, globals: &mut Globals, host: &dyn Host) -> std::result::Result<Value, ScriptError> {
        let names = globals
            .named
            .iter()
            .map(|(name, value)| (name.as_str().into(), Object::from_value(value)));
        let mut run = Run {
            names: names.collect(),
            host,
            steps: 0,
            bytes: 0,
            depth: 0,
            holders: Vec::new(),
        };
        let count = run.names.len();
        let result = match run.statements(&self.body)? {
            Flow::Return(object) => object,
            _ => Object::Null,
        };
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
    names: Vec<(Rc<str>, Object)>,
    pub(crate) host: &'h dyn Host,
    pub(crate) steps: u64,
    pub(crate) bytes: usize,
    depth: usize,
    /// Lists and maps that hold others: they may hold themselves, or each other a hundred thousand deep, and so are freed by being
    /// emptied one after another.
    pub(crate) holders: Vec<Object>,
}

impl Run<'_> {
    /// The last expression of a script without `return` is its result.
    fn statements(&mut self, statements: &[Statement]) -> Result<Flow> {
        let Some((last, before)) = statements.split_last() else {
            return Ok(Flow::Next);
        };
        for statement in before {
            match self.statement(statement)? {
                Flow::Next => {}
                ended => return Ok(ended),
            }
        }
        match last {
            Statement::Evaluate(expression) => Ok(Flow::Return(self.evaluate(expression)?)),
            other => self.statement(other),
        }
    }

    fn block(&mut self, statements: &[Statement]) -> Result<Flow> {
        let known = self.names.len();
        let mut flow = Flow::Next;
        for statement in statements {
            flow = self.statement(statement)?;
            if !matches!(flow, Flow::Next) {
                break;
            }
        }
        self.names.truncate(known);
        Ok(flow)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow> {
        self.step(1)?;
        match statement {
            Statement::Declare(declared) => {
                for (name, value) in declared {
                    let value = match value {
                        Some(value) => self.evaluate(value)?,
                        None => Object::Null,
                    };
                    if self.names.len() >= NAMES_MAX {
                        return failed(format!(
                            "the script has more than {NAMES_MAX} names at a time, which is the limit"
                        ));
                    }
                    self.names.push((name.as_str().into(), value));
                }
            }
            Statement::Evaluate(expression) => drop(self.evaluate(expression)?),
            Statement::If(condition, then, otherwise) => {
                let body = if self.evaluate(condition)?.as_bool()? {
                    then
                } else {
                    otherwise
                };
                return self.block(body);
            }
            Statement::Block(body) => return self.block(body),
            Statement::Return(value) => {
                return Ok(Flow::Return(match value {
                    Some(value) => self.evaluate(value)?,
                    None => Object::Null,
                }));
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Throw(value) => {
                let thrown = self.evaluate(value)?.shown();
                return failed(thrown.to_string());
            }
            looping => return self.repeat(looping),
        }
        Ok(Flow::Next)
    }

    fn repeat(&mut self, statement: &Statement) -> Result<Flow> {
        let known = self.names.len();
        let flow = self.rounds(statement);
        self.names.truncate(known);
        flow
    }

    fn rounds(&mut self, statement: &Statement) -> Result<Flow> {
        match statement {
            Statement::ForEach(name, list, body) => {
                let list = methods::items(&self.evaluate(list)?)?;
                self.step(list.len() / 8)?;
                for item in list {
                    self.step(1)?;
                    let known = self.names.len();
                    self.names.push((name.as_str().into(), item));
                    let flow = self.block(body)?;
                    self.names.truncate(known);
                    match flow {
                        Flow::Break => break,
                        Flow::Return(object) => return Ok(Flow::Return(object)),
                        _ => {}
                    }
                }
                Ok(Flow::Next)
            }
            Statement::While(condition, body) => self.while_loop(Some(condition), None, body, false),
            Statement::DoWhile(body, condition) => self.while_loop(Some(condition), None, body, true),
            Statement::For {
                begin,
                condition,
                next,
                body,
            } => {
                if let Some(begin) = begin {
                    self.statement(begin)?;
                }
                self.while_loop(condition.as_ref(), next.as_ref(), body, false)
            }
            _ => Ok(Flow::Next),
        }
    }

    fn while_loop(
        &mut self,
        condition: Option<&Expression>,
        next: Option<&Expression>,
        body: &[Statement],
        mut is_first: bool,
    ) -> Result<Flow> {
        loop {
            self.step(1)?;
            if !std::mem::take(&mut is_first)
                && let Some(condition) = condition
                && !self.evaluate(condition)?.as_bool()?
            {
                return Ok(Flow::Next);
            }
            match self.block(body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(object) => return Ok(Flow::Return(object)),
                _ => {}
            }
            if let Some(next) = next {
                self.evaluate(next)?;
            }
        }
    }

    pub(crate) fn evaluate(&mut self, expression: &Expression) -> Result<Object> {
        self.step(1)?;
        self.depth += 1;
        if self.depth > 4 * DEPTH_MAX {
            return failed("the script calls itself too deeply");
        }
        let value = self.value_of(expression);
        self.depth -= 1;
        value
    }

    fn value_of(&mut self, expression: &Expression) -> Result<Object> {
        Ok(match expression {
            Expression::Null => Object::Null,
            Expression::Bool(bool) => Object::Bool(*bool),
            Expression::Int(int) => Object::Int(*int),
            Expression::Double(double) => Object::Double(*double),
            Expression::Text(text) => Object::text(text),
            Expression::Name(name) => self.named(name)?,
            Expression::List(list) => {
                let items = self.all(list)?;
                self.list(items)?
            }
            Expression::Map(members) => {
                let mut map = Vec::with_capacity(members.len());
                for (name, value) in members {
                    // A bare name is a text, as in Groovy's and Painless's maps.
                    let name = self.evaluate(name)?.shown();
                    map.push((name, self.evaluate(value)?));
                }
                self.map(map)?
            }
            Expression::Member(base, name, is_safe) => {
                let base = self.evaluate(base)?;
                match base.is_null() && *is_safe {
                    true => Object::Null,
                    false => self.member(&base, name)?,
                }
            }
            Expression::Index(base, index) => {
                let (base, index) = (self.evaluate(base)?, self.evaluate(index)?);
                self.element(&base, &index)?
            }
            Expression::Call(base, name, arguments, is_safe) => {
                let base = self.evaluate(base)?;
                if base.is_null() && *is_safe {
                    return Ok(Object::Null);
                }
                let arguments = self.all(arguments)?;
                self.method(&base, name, &arguments)?
            }
            Expression::Function(name, arguments) => {
                let arguments = self.all(arguments)?;
                statics::function(self, name, &arguments)?
            }
            Expression::New(kind, arguments) => {
                let arguments = self.all(arguments)?;
                statics::made(self, kind, &arguments)?
            }
            Expression::Unary(operator, inner) => {
                let inner = self.evaluate(inner)?;
                match (*operator, &inner) {
                    ("!", inner) => Object::Bool(!inner.as_bool()?),
                    ("-", Object::Int(int)) => Object::Int(int.wrapping_neg()),
                    ("-", other) => Object::Double(-other.as_f64()?),
                    ("~", other) => Object::Int(!other.as_int()?),
                    (_, other) => {
                        other.as_f64()?;
                        inner
                    }
                }
            }
            Expression::Binary(operator, left, right) => self.binary(operator, left, right)?,
            Expression::Ternary(condition, then, otherwise) => match self.evaluate(condition)?.as_bool()? {
                true => self.evaluate(then)?,
                false => self.evaluate(otherwise)?,
            },
            Expression::InstanceOf(inner, kind) => Object::Bool(statics::is_a(&self.evaluate(inner)?, kind)?),
            Expression::Cast(kind, inner) => statics::cast(kind, self.evaluate(inner)?)?,
            Expression::Assign(target, operator, value) => {
                let value = match operator {
                    None => self.evaluate(value)?,
                    Some(operator) => self.binary(operator, target, value)?,
                };
                self.assign(target, value.clone())?;
                value
            }
            Expression::Step(target, by, is_after) => {
                let before = self.evaluate(target)?;
                let after = match &before {
                    Object::Int(int) => Object::Int(int.wrapping_add(*by)),
                    other => Object::Double(other.as_f64()? + *by as f64),
                };
                self.assign(target, after.clone())?;
                if *is_after { before } else { after }
            }
            Expression::Lambda(names, body) => Object::Lambda(names.clone(), body.clone()),
        })
    }

    fn all(&mut self, list: &[Expression]) -> Result<Vec<Object>> {
        self.takes_bytes(32 * list.len())?;
        list.iter().map(|one| self.evaluate(one)).collect()
    }

    fn named(&self, name: &str) -> Result<Object> {
        if let Some((_, object)) = self.names.iter().rev().find(|(known, _)| &**known == name) {
            return Ok(object.clone());
        }
        match name {
            "doc" => Ok(Object::Fields),
            class if statics::CLASSES.contains(&class) => Ok(Object::Class(class.into())),
            other => Err(ScriptError::Compile(format!("cannot resolve symbol [{other}]"))),
        }
    }

    fn binary(&mut self, operator: &str, left: &Expression, right: &Expression) -> Result<Object> {
        let first = self.evaluate(left)?;
        match operator {
            "&&" => return Ok(Object::Bool(first.as_bool()? && self.evaluate(right)?.as_bool()?)),
            "||" => return Ok(Object::Bool(first.as_bool()? || self.evaluate(right)?.as_bool()?)),
            "?:" if !first.is_null() => return Ok(first),
            "?:" => return self.evaluate(right),
            _ => {}
        }
        let second = self.evaluate(right)?;
        match operator {
            "==" | "===" => return Ok(Object::Bool(self.equals(&first, &second)?)),
            "!=" | "!==" => return Ok(Object::Bool(!self.equals(&first, &second)?)),
            _ => {}
        }
        let made = methods::operate(operator, &first, &second)?;
        if let Object::Text(text) = &made {
            self.takes_bytes(text.len())?;
        }
        Ok(made)
    }

    /// `base.name`.
    fn member(&mut self, base: &Object, name: &str) -> Result<Object> {
        match base {
            Object::Map(_) | Object::Fields => self.element(base, &Object::text(name)),
            Object::List(_) if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.element(base, &Object::Int(name.parse().unwrap_or(i64::MAX)))
            }
            Object::Class(class) => statics::constant(class, name),
            Object::List(_) | Object::Text(_) if name == "length" => methods::call(self, base, "length", &[]),
            Object::Null => failed(format!(
                "Cannot invoke member [{name}] of null: java.lang.NullPointerException"
            )),
            // `doc['a'].value` is `getValue()`, and so on.
            other => methods::call(self, other, name, &[]),
        }
    }

    fn element(&mut self, base: &Object, index: &Object) -> Result<Object> {
        match base {
            Object::Map(members) => {
                let name = index.shown();
                let members = members.borrow();
                self.step(members.len() / 32)?;
                let found = members.iter().find(|(known, _)| *known == name);
                Ok(found.map_or(Object::Null, |(_, object)| object.clone()))
            }
            Object::List(list) => {
                let list = list.borrow();
                let at = position(index.as_int()?, list.len())?;
                Ok(list[at].clone())
            }
            Object::Fields => {
                let name = index.as_text()?;
                match self.host.field(&name) {
                    Some(values) => {
                        let values = values.iter().map(Object::from_value).collect();
                        Ok(Object::Field(name, Rc::new(values)))
                    }
                    None => failed(format!("No field found for [{name}] in mapping")),
                }
            }
            Object::Field(_, values) => {
                let at = position(index.as_int()?, values.len())?;
                Ok(values[at].clone())
            }
            Object::Null => failed("cannot access an element of null: java.lang.NullPointerException"),
            other => failed(format!("[{}] has no elements", other.kind())),
        }
    }

    fn assign(&mut self, target: &Expression, value: Object) -> Result<()> {
        match target {
            Expression::Name(name) => {
                let known = self.names.iter_mut().rev().find(|(known, _)| **known == **name);
                match known {
                    Some((_, object)) => {
                        *object = value;
                        Ok(())
                    }
                    None => Err(ScriptError::Compile(format!("cannot resolve symbol [{name}]"))),
                }
            }
            Expression::Member(base, name, _) => {
                let base = self.evaluate(base)?;
                let index = match &base {
                    Object::List(_) => Object::Int(name.parse().unwrap_or(i64::MAX)),
                    _ => Object::text(name),
                };
                self.put(&base, &index, value)
            }
            Expression::Index(base, index) => {
                let (base, index) = (self.evaluate(base)?, self.evaluate(index)?);
                self.put(&base, &index, value)
            }
            _ => failed("only names, members and elements can be assigned to"),
        }
    }

    pub(crate) fn put(&mut self, base: &Object, index: &Object, value: Object) -> Result<()> {
        self.holds(base, &value)?;
        match base {
            Object::Map(members) => {
                let name = index.shown();
                let mut members = members.borrow_mut();
                self.takes_bytes(64 + name.len())?;
                self.step(members.len() / 32)?;
                match members.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, present)) => *present = value,
                    None => members.push((name, value)),
                }
                Ok(())
            }
            Object::List(list) => {
                let mut list = list.borrow_mut();
                let at = position(index.as_int()?, list.len())?;
                list[at] = value;
                Ok(())
            }
            Object::Null => failed("cannot put into null: java.lang.NullPointerException"),
            other => failed(format!("[{}] cannot be changed", other.kind())),
        }
    }

    fn method(&mut self, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
        match base {
            Object::Class(class) => statics::call(self, class, name, arguments),
            Object::Fields if name == "containsKey" => {
                let name = arguments.first().map_or(Ok("".into()), Object::as_text)?;
                Ok(Object::Bool(self.host.field(&name).is_some()))
            }
            Object::Fields if name == "get" => {
                let index = arguments.first().cloned().unwrap_or(Object::Null);
                self.element(base, &index)
            }
            Object::Null => failed(format!(
                "Cannot invoke [{name}] of null: java.lang.NullPointerException"
            )),
            other => methods::call(self, other, name, arguments),
        }
    }

    /// The values of a field by its name.
    pub(crate) fn field(&self, name: &str) -> Option<Vec<Value>> {
        self.host.field(name)
    }

    /// Calls a lambda.
    pub(crate) fn apply(&mut self, lambda: &Object, arguments: &[Object]) -> Result<Object> {
        let Object::Lambda(names, body) = lambda else {
            return failed(format!("[{}] is not a lambda", lambda.kind()));
        };
        let known = self.names.len();
        let named = names.iter().zip(arguments);
        self.names
            .extend(named.map(|(name, object)| (name.as_str().into(), object.clone())));
        let result = self.evaluate(body);
        self.names.truncate(known);
        result
    }
}

/// A position in a list; negative ones count from its end.
fn position(index: i64, length: usize) -> Result<usize> {
    let at = if index < 0 { index + length as i64 } else { index };
    match usize::try_from(at).ok().filter(|at| *at < length) {
        Some(at) => Ok(at),
        None => failed(format!("Index {index} out of bounds for length {length}")),
    }
}
