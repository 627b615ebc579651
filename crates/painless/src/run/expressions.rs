//! The values of expressions.

use super::{Flow, Run};
use crate::ast::{Expression, Function};
use crate::error::{Result, ScriptError, failed};
use crate::limits::DEPTH_MAX;
use crate::object::Object;
use crate::{methods, statics};
use std::rc::Rc;
use std::sync::Arc;
use value::size::size_bytes;

/// What a field takes that a script has looked at, besides its name and its values.
const FIELD_BYTES: usize = 64;

impl<'h> Run<'h> {
    /// The function of this name and so many parameters, where the script declares one.
    fn declared(&self, name: &str, parameters: usize) -> Option<&'h Function> {
        let mut functions = self.functions.iter();
        functions.find(|function| function.name == name && function.parameters.len() == parameters)
    }
}

/// An operator in front of an object.
fn unary(operator: &str, inner: Object) -> Result<Object> {
    Ok(match (operator, &inner) {
        ("!", inner) => Object::Bool(!inner.as_bool()?),
        ("-", Object::Int(int)) => Object::Int(int.wrapping_neg()),
        ("-", other) => Object::Double(-other.as_f64()?),
        ("~", other) => Object::Int(!other.as_int()?),
        (_, other) => {
            other.as_f64()?;
            inner
        }
    })
}

impl Run<'_> {
    pub(crate) fn evaluate(&mut self, expression: &Expression) -> Result<Object> {
        self.step(1)?;
        self.deeper(|run| run.value_of(expression))
    }

    /// Counts how deep statements and expressions lie in each other while they are carried out.
    pub(super) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= 4 * DEPTH_MAX {
            return failed("the script calls itself too deeply");
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    fn value_of(&mut self, expression: &Expression) -> Result<Object> {
        Ok(match expression {
            Expression::Null => Object::Null,
            Expression::Bool(bool) => Object::Bool(*bool),
            Expression::Int(int) => Object::Int(*int),
            Expression::Double(double) => Object::Double(*double),
            Expression::Text(text) => Object::Text(text.clone()),
            Expression::Pattern(pattern) => Object::Pattern(pattern.clone()),
            Expression::Name(name) => self.named(name)?,
            Expression::List(list) => {
                let items = self.all(list)?;
                self.list(items)?
            }
            Expression::Map(members) => self.map_of(members)?,
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
                self.called(base, name, arguments, *is_safe)?
            }
            Expression::Function(name, arguments) => {
                let arguments = self.all(arguments)?;
                match self.declared(name, arguments.len()) {
                    Some(function) => self.call(function, arguments)?,
                    None => statics::function(self, name, &arguments)?,
                }
            }
            Expression::New(kind, arguments) => {
                let arguments = self.all(arguments)?;
                statics::made(self, kind, &arguments)?
            }
            Expression::Unary(operator, inner) => unary(operator, self.evaluate(inner)?)?,
            Expression::Binary(operator, left, right) => self.binary(operator, left, right)?,
            Expression::Ternary(condition, then, otherwise) => match self.evaluate(condition)?.as_bool()? {
                true => self.evaluate(then)?,
                false => self.evaluate(otherwise)?,
            },
            Expression::InstanceOf(inner, kind) => Object::Bool(statics::is_a(&self.evaluate(inner)?, kind)?),
            Expression::Cast(kind, inner) => statics::cast(kind, self.evaluate(inner)?)?,
            Expression::Assign(target, operator, value) => self.assigned(target, *operator, value)?,
            Expression::Step(target, by, is_after) => {
                let (before, after) = self.stepped(target, *by)?;
                if *is_after { before } else { after }
            }
            Expression::Block(statements) => match self.block(statements)? {
                Flow::Return(object) => object,
                _ => Object::Null,
            },
            Expression::Lambda(names, body) => Object::Lambda(names.clone(), body.clone()),
        })
    }

    /// `[name: value, ...]`
    fn map_of(&mut self, members: &[(Expression, Expression)]) -> Result<Object> {
        let mut map = Vec::with_capacity(members.len());
        for (name, value) in members {
            // A bare name is a text, as in Groovy's and Painless's maps.
            let name = self.evaluate(name)?.shown(self)?;
            map.push((name, self.evaluate(value)?));
        }
        self.map(map)
    }

    /// `base.name(arguments)`; nothing comes of nothing where that is safe.
    fn called(
        &mut self,
        base: &Expression,
        name: &str,
        arguments: &[Expression],
        is_safe: bool,
    ) -> Result<Object> {
        let base = self.evaluate(base)?;
        if base.is_null() && is_safe {
            return Ok(Object::Null);
        }
        let arguments = self.all(arguments)?;
        self.method(&base, name, &arguments)
    }

    /// Assigns a value, or what an operator makes of it and of what was there; gives what is there now.
    fn assigned(
        &mut self,
        target: &Expression,
        operator: Option<&'static str>,
        value: &Expression,
    ) -> Result<Object> {
        let value = match operator {
            None => self.evaluate(value)?,
            Some(operator) => self.binary(operator, target, value)?,
        };
        self.assign(target, value.clone())?;
        Ok(value)
    }

    /// `target++` and `--target`: what was there, and what is there now.
    fn stepped(&mut self, target: &Expression, by: i64) -> Result<(Object, Object)> {
        let before = self.evaluate(target)?;
        let after = match &before {
            Object::Int(int) => Object::Int(int.wrapping_add(by)),
            other => Object::Double(other.as_f64()? + by as f64),
        };
        self.assign(target, after.clone())?;
        Ok((before, after))
    }

    /// Calls a function that the script declares, which sees its parameters alone.
    fn call(&mut self, function: &Function, arguments: Vec<Object>) -> Result<Object> {
        let parameters = function.parameters.iter().cloned();
        let outer = std::mem::replace(&mut self.names, parameters.zip(arguments).collect());
        let flow = self.block(&function.body);
        self.names = outer;
        match flow? {
            Flow::Return(object) => Ok(object),
            _ => Ok(Object::Null),
        }
    }

    pub(super) fn all(&mut self, list: &[Expression]) -> Result<Vec<Object>> {
        self.takes_bytes(32 * list.len())?;
        list.iter().map(|one| self.evaluate(one)).collect()
    }

    pub(super) fn named(&self, name: &str) -> Result<Object> {
        if let Some((_, object)) = self.names.iter().rev().find(|(known, _)| &**known == name) {
            return Ok(object.clone());
        }
        match name {
            "doc" => Ok(Object::Fields),
            name => match statics::CLASSES.iter().find(|class| **class == name) {
                Some(class) => Ok(Object::Class(class)),
                None => Err(ScriptError::Compile(format!("cannot resolve symbol [{name}]"))),
            },
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
        methods::operate(self, operator, &first, &second)
    }

    pub(super) fn method(&mut self, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
        match base {
            Object::Class(class) => statics::call(self, class, name, arguments),
            Object::Fields if name == "containsKey" => {
                let name = arguments.first().map_or(Ok("".into()), Object::as_text)?;
                let is_known = self.fields.contains_key(&name) || self.host.field(&name).is_some();
                Ok(Object::Bool(is_known))
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

    /// The values of a field by its name; `None` where the mapping has no such field.
    pub(crate) fn field(&mut self, name: &Arc<str>) -> Result<Option<Rc<Vec<Object>>>> {
        if let Some(values) = self.fields.get(name) {
            return Ok(Some(values.clone()));
        }
        let Some(values) = self.host.field(name) else {
            return Ok(None);
        };
        let bytes: usize = values.iter().map(|value| size_bytes(value.as_ref())).sum();
        self.takes_bytes(FIELD_BYTES + name.len() + bytes)?;
        let values: Rc<Vec<Object>> = Rc::new(values.iter().map(Object::from_value).collect());
        self.fields.insert(name.clone(), values.clone());
        Ok(Some(values))
    }

    /// Calls a lambda.
    pub(crate) fn apply(&mut self, lambda: &Object, arguments: &[Object]) -> Result<Object> {
        let Object::Lambda(names, body) = lambda else {
            return failed(format!("[{}] is not a lambda", lambda.kind()));
        };
        let known = self.names.len();
        let named = names.iter().zip(arguments);
        self.names
            .extend(named.map(|(name, object)| (name.clone(), object.clone())));
        let result = self.evaluate(body);
        self.names.truncate(known);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flow, Script};
    use super::*;

    #[test]
    fn a_literal_is_one_text_however_often_it_is_evaluated() {
        let script = Script::compile("[1, 2].collect(x -> 'abc')").expect("a script");
        let mut run = Run::new(Vec::new(), &());
        let Ok(Flow::Return(Object::List(list))) = run.statements(&script.body) else {
            panic!("a list");
        };
        let [Object::Text(one), Object::Text(other)] = &list.borrow()[..] else {
            panic!("two texts");
        };
        assert!(Arc::ptr_eq(one, other));
    }
}
