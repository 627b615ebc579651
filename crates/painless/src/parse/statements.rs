//! Statements.

use super::{Parser, is_type, shown};
use crate::ast::{Expression, Function, Statement};
use crate::error::{Result, compile};
use crate::token::Token;

impl Parser {
    pub(super) fn statement(&mut self) -> Result<Statement> {
        self.deeper(Parser::any_statement)
    }

    fn any_statement(&mut self) -> Result<Statement> {
        if self.peek() == &Token::Mark("{") {
            return Ok(Statement::Block(self.block()?));
        }
        if self.takes(";") {
            return Ok(Statement::Block(Vec::new()));
        }
        let word = match self.peek() {
            Token::Name(name) => name.clone(),
            _ => String::new(),
        };
        match word.as_str() {
            "if" => {
                self.next();
                let condition = self.in_parentheses()?;
                let then = self.block()?;
                let otherwise = match self.takes_word("else") {
                    true => self.block()?,
                    false => Vec::new(),
                };
                Ok(Statement::If(condition, then, otherwise))
            }
            "while" => {
                self.next();
                let condition = self.in_parentheses()?;
                Ok(Statement::While(condition, self.block()?))
            }
            "do" => {
                self.next();
                let body = self.block()?;
                if !self.takes_word("while") {
                    return compile("[do] without [while]");
                }
                let condition = self.in_parentheses()?;
                self.ended()?;
                Ok(Statement::DoWhile(body, condition))
            }
            "for" => self.loop_statement(),
            "try" => self.attempt(),
            "switch" | "function" => compile(format!("[{word}] is not supported")),
            _ => {
                let statement = self.simple_statement()?;
                self.ended()?;
                Ok(statement)
            }
        }
    }

    /// A function, where one is declared: `int f(def a) { … }`.
    pub(super) fn function(&mut self) -> Result<Option<Function>> {
        let begun = self.at;
        let is_typed = self.skips_type() || self.takes_word("void");
        let name = match (self.peek(), self.ahead(1)) {
            (Token::Name(name), Token::Mark("(")) if is_typed => name.clone(),
            _ => {
                self.at = begun;
                return Ok(None);
            }
        };
        self.at += 2;
        let mut parameters = Vec::new();
        while !self.takes(")") {
            if !self.skips_type() {
                return compile(format!("the parameters of [{name}] must have types and names"));
            }
            parameters.push(self.name()?.into());
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        let body = self.braces()?;
        Ok(Some(Function {
            name,
            parameters,
            body,
        }))
    }

    /// `try { … } catch (Exception e) { … }`.
    fn attempt(&mut self) -> Result<Statement> {
        self.next();
        let body = self.braces()?;
        if !self.takes_word("catch") {
            return compile("[try] without [catch]");
        }
        self.expect("(")?;
        let kind = self.name()?;
        // Nothing else is known of what goes wrong but why.
        if kind != "Exception" {
            return compile(format!(
                "[catch] of a [{kind}] is not supported, but of an [Exception]"
            ));
        }
        let name = self.name()?;
        self.expect(")")?;
        let caught = self.braces()?;
        Ok(Statement::Try(body, name.into(), caught))
    }

    fn braces(&mut self) -> Result<Vec<Statement>> {
        match self.peek() {
            Token::Mark("{") => self.block(),
            other => compile(format!("unexpected token [{}] was expecting [{{]", shown(other))),
        }
    }

    /// The end of a statement; the last one of a block needs no semicolon.
    fn ended(&mut self) -> Result<()> {
        let is_last = matches!(self.peek(), Token::End | Token::Mark("}"));
        match is_last || self.takes(";") {
            true => Ok(()),
            false => compile(format!(
                "unexpected token [{}] was expecting one of [{{<EOF>, ';'}}]",
                shown(self.peek())
            )),
        }
    }

    fn simple_statement(&mut self) -> Result<Statement> {
        if self.takes_word("return") {
            let is_bare = matches!(self.peek(), Token::End | Token::Mark(";" | "}"));
            let value = if is_bare { None } else { Some(self.expression()?) };
            return Ok(Statement::Return(value));
        }
        if self.takes_word("break") {
            return Ok(Statement::Break);
        }
        if self.takes_word("continue") {
            return Ok(Statement::Continue);
        }
        if self.takes_word("throw") {
            return Ok(Statement::Throw(self.expression()?));
        }
        if !self.skips_type() {
            return Ok(Statement::Evaluate(self.expression()?));
        }
        let mut declared = Vec::new();
        loop {
            let name = self.name()?;
            let value = if self.takes("=") {
                Some(self.expression()?)
            } else {
                None
            };
            declared.push((name.into(), value));
            if !self.takes(",") {
                return Ok(Statement::Declare(declared));
            }
        }
    }

    /// Skips a type where one stands before a name: `def x`, `List<String> x`, `int[] x`.
    fn skips_type(&mut self) -> bool {
        let begun = self.at;
        if matches!(self.peek(), Token::Name(name) if is_type(name)) {
            self.next();
            if self.takes("<") {
                while !matches!(self.peek(), Token::End | Token::Mark(">" | ">>")) {
                    self.next();
                }
                self.next();
            }
            while self.peek() == &Token::Mark("[") && self.ahead(1) == &Token::Mark("]") {
                self.at += 2;
            }
            if matches!(self.peek(), Token::Name(name) if name != "instanceof") {
                return true;
            }
        }
        self.at = begun;
        false
    }

    pub(super) fn block(&mut self) -> Result<Vec<Statement>> {
        if !self.takes("{") {
            return Ok(vec![self.statement()?]);
        }
        let mut statements = Vec::new();
        while !self.takes("}") {
            if self.peek() == &Token::End {
                return compile("a block has no end");
            }
            statements.push(self.statement()?);
        }
        Ok(statements)
    }

    fn in_parentheses(&mut self) -> Result<Expression> {
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    fn loop_statement(&mut self) -> Result<Statement> {
        self.next();
        self.expect("(")?;
        let begun = self.at;
        let is_typed = self.skips_type();
        let is_each = match self.ahead(1) {
            Token::Mark(mark) => *mark == ":",
            Token::Name(word) => word == "in",
            _ => false,
        };
        if is_each && let Token::Name(name) = self.peek().clone() {
            self.at += 2;
            let list = self.expression()?;
            self.expect(")")?;
            return Ok(Statement::ForEach(name.into(), list, self.block()?));
        }
        if is_typed {
            self.at = begun;
        }
        let begin = match self.peek() {
            Token::Mark(";") => None,
            _ => Some(Box::new(self.simple_statement()?)),
        };
        self.expect(";")?;
        let condition = match self.peek() {
            Token::Mark(";") => None,
            _ => Some(self.expression()?),
        };
        self.expect(";")?;
        let next = match self.peek() {
            Token::Mark(")") => None,
            _ => Some(self.expression()?),
        };
        self.expect(")")?;
        let body = self.block()?;
        Ok(Statement::For {
            begin,
            condition,
            next,
            body,
        })
    }
}
