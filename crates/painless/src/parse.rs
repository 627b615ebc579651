//! From words to a tree.

use crate::ast::{Expression, Statement};
use crate::error::{Result, compile};
use crate::limits::{DEPTH_MAX, SOURCE_BYTES_MAX};
use crate::token::{Token, tokens};
use std::sync::Arc;

/// Names of types that begin a declaration or a cast.
const TYPES: &[&str] = &[
    "def",
    "int",
    "long",
    "double",
    "float",
    "boolean",
    "byte",
    "short",
    "char",
    "String",
    "List",
    "ArrayList",
    "Map",
    "HashMap",
    "Object",
    "Integer",
    "Long",
    "Double",
    "Float",
    "Boolean",
    "Set",
    "HashSet",
    "Number",
    "var",
    "Iterator",
    "Collection",
];

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
    &["+", "-"],
    &["*", "/", "%"],
];

pub(crate) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// The statements of a script.
pub(crate) fn parse(source: &str) -> Result<Vec<Statement>> {
    if source.len() > SOURCE_BYTES_MAX {
        return compile(format!("the script is longer than {SOURCE_BYTES_MAX} bytes"));
    }
    let mut parser = Parser {
        tokens: tokens(source)?,
        at: 0,
        depth: 0,
    };
    let mut statements = Vec::new();
    while parser.peek() != &Token::End {
        statements.push(parser.statement()?);
    }
    Ok(statements)
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn ahead(&self, by: usize) -> &Token {
        self.tokens.get(self.at + by).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn takes(&mut self, mark: &'static str) -> bool {
        let found = self.peek() == &Token::Mark(mark);
        if found {
            self.next();
        }
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(name) if name == word);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, mark: &'static str) -> Result<()> {
        match self.takes(mark) {
            true => Ok(()),
            false => compile(format!(
                "unexpected token [{}] was expecting [{mark}]",
                shown(self.peek())
            )),
        }
    }

    fn name(&mut self) -> Result<String> {
        match self.next() {
            Token::Name(name) => Ok(name),
            other => compile(format!(
                "unexpected token [{}] was expecting a name",
                shown(&other)
            )),
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return compile(format!("the script is nested deeper than {DEPTH_MAX}"));
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn statement(&mut self) -> Result<Statement> {
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
            "try" | "switch" | "function" => compile(format!("[{word}] is not supported")),
            _ => {
                let statement = self.simple_statement()?;
                self.ended()?;
                Ok(statement)
            }
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
            declared.push((name, value));
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

    fn block(&mut self) -> Result<Vec<Statement>> {
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
        if let (Token::Name(name), Token::Mark(":")) = (self.peek().clone(), self.ahead(1).clone()) {
            self.at += 2;
            let list = self.expression()?;
            self.expect(")")?;
            return Ok(Statement::ForEach(name, list, self.block()?));
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
                let names = vec![name.clone()];
                self.at += 2;
                names
            }
            (Token::Mark("("), Token::Name(_)) => {
                let mut by = 1;
                let mut names = Vec::new();
                while let Token::Name(name) = self.ahead(by) {
                    names.push(name.clone());
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
        let body = Arc::new(self.expression()?);
        Ok(Some(Expression::Lambda(names.into(), body)))
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
            if operators.contains(&"<") && self.takes_word("instanceof") {
                left = Expression::InstanceOf(Box::new(left), self.name()?);
                continue;
            }
            let found = match self.peek() {
                Token::Mark("=~" | "==~") => return compile("regular expressions are not supported"),
                Token::Mark(mark) => operators.iter().find(|operator| *operator == mark).copied(),
                _ => None,
            };
            let Some(operator) = found else {
                return Ok(left);
            };
            length += 1;
            // The tree leans to the left, and is walked down there.
            if length > DEPTH_MAX {
                return compile(format!("more than {DEPTH_MAX} operators in a row"));
            }
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
                    false => Expression::Member(Box::new(base), name, is_safe),
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
            Token::Text(text) => Ok(Expression::Text(text)),
            Token::Mark("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Mark("[") => self.collection(),
            Token::Mark("/") => compile("regular expressions are not supported"),
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

fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
}

fn shown(token: &Token) -> String {
    match token {
        Token::Name(name) => name.clone(),
        Token::Int(number) => number.to_string(),
        Token::Double(number) => number.to_string(),
        Token::Text(text) => format!("'{text}'"),
        Token::Mark(mark) => (*mark).to_owned(),
        Token::End => "<EOF>".to_owned(),
    }
}
