//! Objects and arrays, and what objects stand for.

use super::lexer::{Lexer, Number};
use super::{JsonError, wrapper};
use crate::raw::MESSAGE_DEPTH_MAX;
use crate::{Document, Value};
use std::borrow::Cow;

/// One value with nothing after it.
pub(super) fn whole(text: &str) -> Result<Value, JsonError> {
    Parser::new(text).whole()
}

/// The same, each object being just that.
pub(super) fn plain(text: &str) -> Result<Value, JsonError> {
    let parser = Parser {
        resolves: false,
        ..Parser::new(text)
    };
    parser.whole()
}

/// How many fields there is room for at first.
const FIELDS_USUAL: usize = 8;

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// Whether objects may stand for values.
    resolves: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        Parser {
            lexer: Lexer::new(text),
            resolves: true,
        }
    }

    fn whole(mut self) -> Result<Value, JsonError> {
        let value = self.value(0)?;
        match self.lexer.next_token() {
            None => Ok(value),
            Some(_) => self.lexer.error("nothing more is expected behind the value"),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, JsonError> {
        match self.lexer.next_token() {
            Some(b'"') => self.lexer.string().map(|text| Value::String(text.into_owned())),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'-' | b'0'..=b'9') => Ok(match self.lexer.number()? {
                Number::Int32(number) => Value::Int32(number),
                Number::Int64(number) => Value::Int64(number),
                Number::Double(number) => Value::Double(number),
            }),
            Some(b't') => self.lexer.word("true").map(|()| Value::Bool(true)),
            Some(b'f') => self.lexer.word("false").map(|()| Value::Bool(false)),
            Some(b'n') => self.lexer.word("null").map(|()| Value::Null),
            Some(_) => self.lexer.error("a value is expected here"),
            None => self.lexer.error("the text ends where a value is expected"),
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), JsonError> {
        if depth > MESSAGE_DEPTH_MAX {
            return self
                .lexer
                .error(format!("values are nested more than {MESSAGE_DEPTH_MAX} deep"));
        }
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.check_depth(depth)?;
        self.lexer.take(b'[');
        let mut elements = Vec::new();
        if self.lexer.next_token() == Some(b']') {
            self.lexer.take(b']');
            return Ok(Value::Array(elements));
        }
        loop {
            elements.push(self.value(depth)?);
            self.lexer.next_token();
            if !self.lexer.take(b',') {
                self.lexer.expect(b']', "',' or ']'")?;
                return Ok(Value::Array(elements));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.check_depth(depth)?;
        let start = self.lexer.offset();
        self.lexer.take(b'{');
        if self.lexer.next_token() == Some(b'}') {
            self.lexer.take(b'}');
            return Ok(Value::Document(Document::new()));
        }
        let mut document = Document::with_capacity(FIELDS_USUAL);
        loop {
            let name = self.name()?;
            if self.resolves
                && document.is_empty()
                && name == "$date"
                && matches!(self.lexer.next_token(), Some(b'-' | b'0'..=b'9'))
            {
                return self.lexer.error(wrapper::DATE_FORMS);
            }
            document.push(name.into_owned(), self.value(depth)?);
            self.lexer.next_token();
            if !self.lexer.take(b',') {
                self.lexer.expect(b'}', "',' or '}'")?;
                break;
            }
        }
        if !self.resolves {
            return Ok(Value::Document(document));
        }
        wrapper::resolve(document).map_err(|what| JsonError { offset: start, what })
    }

    /// A field's name and its colon.
    fn name(&mut self) -> Result<Cow<'a, str>, JsonError> {
        if self.lexer.next_token() != Some(b'"') {
            return self.lexer.error("a field name in quotes is expected here");
        }
        let start = self.lexer.offset();
        let name = self.lexer.string()?;
        if memchr::memchr(0, name.as_bytes()).is_some() {
            return Err(JsonError {
                offset: start,
                what: "a field name cannot hold the character U+0000".to_owned(),
            });
        }
        self.lexer.expect(b':', "':'")?;
        Ok(name)
    }
}
