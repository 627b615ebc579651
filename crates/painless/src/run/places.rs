//! Members and elements: reading them, and what is assigned to them.

use super::Run;
use crate::ast::Expression;
use crate::error::{Result, ScriptError, failed};
use crate::object::Object;
use crate::{methods, statics};
use std::sync::Arc;

impl Run<'_> {
    /// `base.name`.
    pub(super) fn member(&mut self, base: &Object, name: &Arc<str>) -> Result<Object> {
        match base {
            Object::Map(_) | Object::Fields => self.element(base, &Object::Text(name.clone())),
            Object::List(_) if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.element(base, &Object::Int(name.parse().unwrap_or(i64::MAX)))
            }
            Object::Class(class) => statics::constant(class, name),
            Object::List(_) | Object::Text(_) if &**name == "length" => {
                methods::call(self, base, "length", &[])
            }
            Object::Null => failed(format!(
                "Cannot invoke member [{name}] of null: java.lang.NullPointerException"
            )),
            // `doc['a'].value` is `getValue()`, and so on.
            other => methods::call(self, other, name, &[]),
        }
    }

    pub(super) fn element(&mut self, base: &Object, index: &Object) -> Result<Object> {
        match base {
            Object::Map(members) => {
                let name = index.shown(self)?;
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
                match self.field(&name)? {
                    Some(values) => Ok(Object::Field(name, values)),
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

    pub(super) fn assign(&mut self, target: &Expression, value: Object) -> Result<()> {
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
                    _ => Object::Text(name.clone()),
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
                let name = index.shown(self)?;
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
}

/// A position in a list; negative ones count from its end.
fn position(index: i64, length: usize) -> Result<usize> {
    let at = if index < 0 { index + length as i64 } else { index };
    match usize::try_from(at).ok().filter(|at| *at < length) {
        Some(at) => Ok(at),
        None => failed(format!("Index {index} out of bounds for length {length}")),
    }
}
