//! Statements, and where they lead.

use super::{Flow, Run};
use crate::ast::{Expression, Statement};
use crate::error::{Result, ScriptError, failed};
use crate::limits::NAMES_MAX;
use crate::methods;
use crate::object::Object;
use std::sync::Arc;

impl Run<'_> {
    /// The last expression of a script without `return` is its result.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<Flow> {
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

    pub(super) fn block(&mut self, statements: &[Statement]) -> Result<Flow> {
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

    pub(super) fn statement(&mut self, statement: &Statement) -> Result<Flow> {
        self.step(1)?;
        self.deeper(|run| run.carried_out(statement))
    }

    fn carried_out(&mut self, statement: &Statement) -> Result<Flow> {
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
                    self.names.push((name.clone(), value));
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
            Statement::Try(body, name, caught) => return self.attempt(body, name, caught),
            Statement::Return(value) => {
                return Ok(Flow::Return(match value {
                    Some(value) => self.evaluate(value)?,
                    None => Object::Null,
                }));
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Throw(value) => {
                let thrown = self.evaluate(value)?.shown(self)?;
                return failed(thrown.to_string());
            }
            looping => return self.repeat(looping),
        }
        Ok(Flow::Next)
    }

    fn attempt(&mut self, body: &[Statement], name: &Arc<str>, caught: &[Statement]) -> Result<Flow> {
        let known = self.names.len();
        let why = match self.block(body) {
            Err(ScriptError::Run(why)) => why,
            done => return done,
        };
        // A run that is beyond a limit stays there.
        self.step(1)?;
        self.takes_bytes(0)?;
        self.names.truncate(known);
        let why = self.text(why)?;
        self.names.push((name.clone(), why));
        let flow = self.block(caught);
        self.names.truncate(known);
        flow
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
                self.while_copied(list.len(), |run| run.each(name, list, body))
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

    fn each(&mut self, name: &Arc<str>, list: Vec<Object>, body: &[Statement]) -> Result<Flow> {
        for item in list {
            self.step(1)?;
            let known = self.names.len();
            self.names.push((name.clone(), item));
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
}
