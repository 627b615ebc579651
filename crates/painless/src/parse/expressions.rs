//! Expressions, by the precedence of their operators.

use super::{Parser, is_type, shown};
use crate::ast::Expression;
use crate::error::{Result, compile};
use crate::limits::DEPTH_MAX;
use crate::patterns::Pattern;
use crate::token::Token;
use std::sync::Arc;

/// Binary operators, the loosest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!=", "===", "!=="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["=~", "==~"],
    &["+", "-"],
    &["*", "/", "%"],
];
impl Parser {
    pub(crate) fn expression(&mut self) -> Result<Expression> {
        self.deeper(Parser::assignment)
    }

    fn assignment(&mut self) -> Result<Expression> {
        if let Some(lambda) = self.lambda()? {
            return Ok(lambda);
        }
        let target = self.ternary()?;
        let operator = match self.peek() {
            Token::Mark("=") => None,
            Token::Mark("+=") => Some("+"),
            Token::Mark("-=") => Some("-"),
            Token::Mark("*=") => Some("*"),
            Token::Mark("/=") => Some("/"),
            Token::Mark("%=") => Some("%"),
            _ => return Ok(target),
        };
        if !matches!(
            target,
            Expression::Name(_) | Expression::Member(..) | Expression::Index(..)
        ) {
            return compile("only names, members and elements can be assigned to");
        }
        self.next();
        let value = self.expression()?;
        Ok(Expression::Assign(Box::new(target), operator, Box::new(value)))
    }

    fn lambda(&mut self) -> Result<Option<Expression>> {
        let names = match (self.peek(), self.ahead(1)) {
            (Token::Name(name), Token::Mark("->")) => {
                let names: Vec<Arc<str>> = vec![name.as_str().into()];
                self.at += 2;
                names
            }
            (Token::Mark("("), Token::Name(_)) => {
                let mut by = 1;
                let mut names = Vec::new();
                while let Token::Name(name) = self.ahead(by) {
                    if is_type(name) && matches!(self.ahead(by + 1), Token::Name(_)) {
                        by += 1;
                        continue;
                    }
                    names.push(name.as_str().into());
                    by += 1;
                    if self.ahead(by) == &Token::Mark(",") {
                        by += 1;
                    }
                }
                if self.ahead(by) != &Token::Mark(")") || self.ahead(by + 1) != &Token::Mark("->") {
                    return Ok(None);
                }
                self.at += by + 2;
                names
            }
            _ => return Ok(None),
        };
        let body = match self.peek() {
            Token::Mark("{") => Expression::Block(self.block()?),
            _ => self.expression()?,
        };
        Ok(Some(Expression::Lambda(names.into(), Arc::new(body))))
    }

    fn ternary(&mut self) -> Result<Expression> {
        let condition = self.binary(0)?;
        if self.takes("?:") {
            let other = self.deeper(Parser::ternary)?;
            let is_there = Expression::Binary("?:", Box::new(condition), Box::new(other));
            return Ok(is_there);
        }
        if !self.takes("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(":")?;
        let otherwise = self.expression()?;
        Ok(Expression::Ternary(
            Box::new(condition),
            Box::new(then),
            Box::new(otherwise),
        ))
    }

    fn binary(&mut self, level: usize) -> Result<Expression> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        let mut length = 0;
        loop {
            // The tree leans to the left, and is walked down there.
            if length > DEPTH_MAX {
                return compile(format!("more than {DEPTH_MAX} operators in a row"));
            }
            length += 1;
            if operators.contains(&"<") && self.takes_word("instanceof") {
                left = Expression::InstanceOf(Box::new(left), self.name()?);
                continue;
            }
            let found = match self.peek() {
                Token::Mark(mark) => operators.iter().find(|operator| *operator == mark).copied(),
                _ => None,
            };
            let Some(operator) = found else {
                return Ok(left);
            };
            self.next();
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Result<Expression> {
        self.deeper(|parser| {
            for operator in ["!", "-", "+", "~"] {
                if parser.takes(operator) {
                    return Ok(Expression::Unary(operator, Box::new(parser.unary()?)));
                }
            }
            for (mark, by) in [("++", 1), ("--", -1)] {
                if parser.takes(mark) {
                    return Ok(Expression::Step(Box::new(parser.unary()?), by, false));
                }
            }
            if let (Token::Mark("("), Token::Name(name), Token::Mark(")")) =
                (parser.peek(), parser.ahead(1), parser.ahead(2))
                && is_type(name)
            {
                let name = name.clone();
                parser.at += 3;
                return Ok(Expression::Cast(name, Box::new(parser.unary()?)));
            }
            parser.postfix()
        })
    }

    fn postfix(&mut self) -> Result<Expression> {
        let mut base = self.primary()?;
        let mut length = 0;
        loop {
            length += 1;
            if length > DEPTH_MAX {
                return compile(format!("more than {DEPTH_MAX} members in a row"));
            }
            let is_safe = self.peek() == &Token::Mark("?.");
            if is_safe || self.peek() == &Token::Mark(".") {
                self.next();
                let name = match self.next() {
                    Token::Name(name) => name,
                    Token::Int(number) => number.to_string(),
                    other => return compile(format!("unexpected token [{}] after a dot", shown(&other))),
                };
                base = match self.takes("(") {
                    true => Expression::Call(Box::new(base), name, self.list_until(")")?, is_safe),
                    false => Expression::Member(Box::new(base), name.into(), is_safe),
                };
            } else if self.takes("[") {
                let index = self.expression()?;
                self.expect("]")?;
                base = Expression::Index(Box::new(base), Box::new(index));
            } else if self.takes("++") {
                base = Expression::Step(Box::new(base), 1, true);
            } else if self.takes("--") {
                base = Expression::Step(Box::new(base), -1, true);
            } else {
                return Ok(base);
            }
        }
    }

    fn list_until(&mut self, end: &'static str) -> Result<Vec<Expression>> {
        let mut list = Vec::new();
        while !self.takes(end) {
            list.push(self.expression()?);
            if !self.takes(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(list)
    }

    fn primary(&mut self) -> Result<Expression> {
        match self.next() {
            Token::Int(number) => Ok(Expression::Int(number)),
            Token::Double(number) => Ok(Expression::Double(number)),
            Token::Text(text) => Ok(Expression::Text(text.into())),
            Token::Pattern(source, flags) => {
                let pattern = Pattern::parse(&source, &flags)?;
                Ok(Expression::Pattern(Arc::new(pattern)))
            }
            Token::Mark("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Mark("[") => self.collection(),
            Token::Name(name) => match name.as_str() {
                "null" => Ok(Expression::Null),
                "true" => Ok(Expression::Bool(true)),
                "false" => Ok(Expression::Bool(false)),
                "new" => {
                    let kind = self.name()?;
                    if self.takes("<") {
                        while !matches!(self.next(), Token::End | Token::Mark(">")) {}
                    }
                    self.expect("(")?;
                    Ok(Expression::New(kind, self.list_until(")")?))
                }
                _ if self.takes("(") => Ok(Expression::Function(name, self.list_until(")")?)),
                _ => Ok(Expression::Name(name)),
            },
            other => compile(format!("unexpected token [{}]", shown(&other))),
        }
    }

    /// `[a, b]`, `[a: b]`, `[:]`; the bracket is taken.
    fn collection(&mut self) -> Result<Expression> {
        if self.takes(":") {
            self.expect("]")?;
            return Ok(Expression::Map(Vec::new()));
        }
        if self.takes("]") {
            return Ok(Expression::List(Vec::new()));
        }
        let first = self.expression()?;
        if !self.takes(":") {
            let mut list = vec![first];
            if self.takes(",") {
                list.extend(self.list_until("]")?);
            } else {
                self.expect("]")?;
            }
            return Ok(Expression::List(list));
        }
        let mut members = vec![(first, self.expression()?)];
        while self.takes(",") {
            let name = self.expression()?;
            self.expect(":")?;
            members.push((name, self.expression()?));
        }
        self.expect("]")?;
        Ok(Expression::Map(members))
    }
}
