//! From words to a tree: a parser that descends by the grammar.

mod expressions;
mod statements;

use crate::ast::{Function, Statement};
use crate::error::{Result, compile};
use crate::limits::{DEPTH_MAX, PATTERNS_MAX, SOURCE_BYTES_MAX};
use crate::token::{Token, tokens};

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
    "Pattern",
    "Matcher",
];
pub(crate) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// The statements of a script, and the functions that it declares.
pub(crate) fn parse(source: &str) -> Result<(Vec<Statement>, Vec<Function>)> {
    if source.len() > SOURCE_BYTES_MAX {
        return compile(format!("the script is longer than {SOURCE_BYTES_MAX} bytes"));
    }
    let tokens = tokens(source)?;
    let patterns = tokens.iter().filter(|token| matches!(token, Token::Pattern(..)));
    if patterns.count() > PATTERNS_MAX {
        return compile(format!(
            "the script has more than {PATTERNS_MAX} regular expressions"
        ));
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
    };
    let (mut statements, mut functions) = (Vec::new(), Vec::new());
    while parser.peek() != &Token::End {
        match parser.function()? {
            Some(function) => functions.push(function),
            None => statements.push(parser.statement()?),
        }
    }
    Ok((statements, functions))
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
        Token::Pattern(source, flags) => format!("/{source}/{flags}"),
        Token::Mark(mark) => (*mark).to_owned(),
        Token::End => "<EOF>".to_owned(),
    }
}
