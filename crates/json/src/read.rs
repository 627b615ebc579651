//! From JSON text to BSON bytes.

use super::JsonError;
use super::members::keep_last_of_each_name;
use super::unsigned;
use std::borrow::Cow;
use value::json::{Lexer, Mode, Number};
use value::raw::NESTING_DEPTH_MAX;
use value::{Decimal128, DocumentBuf, DocumentRef, RawDocument, Type, Value};

/// How deep an object may be nested that stands for a value.
const TYPED_LEVELS_MAX: usize = 8;

/// Reads one text from front to back.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// Whether whole numbers of 64 bits without a sign keep all their digits, as decimals.
    is_exact: bool,
    /// Where the members begin of the objects that are being read, those of an inner object after those of the outer
    /// one.
    members: Vec<usize>,
}

impl<'a> Reader<'a> {
    /// Reads these bytes, which must be UTF-8.
    pub fn new(bytes: &'a [u8]) -> Result<Reader<'a>, JsonError> {
        let text = std::str::from_utf8(bytes).map_err(|_| JsonError::Invalid)?;
        let lexer = Lexer::new(text);
        Ok(Reader {
            text,
            lexer,
            is_exact: false,
            members: Vec::new(),
        })
    }

    /// The whole text as one value.
    pub fn whole(bytes: &'a [u8]) -> Result<Value, JsonError> {
        Reader::new(bytes)?.into_value()
    }

    /// The same, with decimals in place of whole numbers from 2^63 to 2^64, which else become doubles: [`unsigned`].
    pub fn exact_whole(bytes: &'a [u8]) -> Result<Value, JsonError> {
        Reader::exact(bytes)?.into_value()
    }

    fn exact(bytes: &'a [u8]) -> Result<Reader<'a>, JsonError> {
        Ok(Reader {
            is_exact: true,
            ..Reader::new(bytes)?
        })
    }

    fn into_value(mut self) -> Result<Value, JsonError> {
        let value = self.value()?;
        self.end()?;
        Ok(value)
    }

    /// The whole text as one document, of which no tree is made; `None` where it is another value.
    pub fn document_buf(bytes: &'a [u8]) -> Result<Option<DocumentBuf>, JsonError> {
        Reader::new(bytes)?.into_document_buf()
    }

    /// The same, with numbers as [`Reader::exact_whole`] reads them.
    pub fn exact_document_buf(bytes: &'a [u8]) -> Result<Option<DocumentBuf>, JsonError> {
        Reader::exact(bytes)?.into_document_buf()
    }

    fn into_document_buf(mut self) -> Result<Option<DocumentBuf>, JsonError> {
        if self.peek() != Some(b'{') {
            return Reader::whole(self.text.as_bytes()).map(|_| None);
        }
        let length = self.text.len();
        let mut out = Vec::with_capacity(length + length / 4);
        let kind = self.document(&mut out, 2)?;
        self.end()?;
        Ok((kind == Type::Document).then(|| DocumentBuf::from_validated(out.into())))
    }

    /// Refuses anything after the value.
    pub fn end(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(JsonError::Invalid),
        }
    }

    /// The next byte after white space, not taken.
    pub fn peek(&mut self) -> Option<u8> {
        self.lexer.next_token()
    }

    fn take(&mut self, byte: u8) -> bool {
        self.peek() == Some(byte) && self.lexer.take(byte)
    }

    /// Calls `member` for each name of an object, to take its value.
    pub fn object<E: From<JsonError>>(
        &mut self,
        mut member: impl FnMut(&mut Reader<'a>, Cow<'a, str>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.take(b'{') {
            return Err(JsonError::Unexpected("Request body must be a JSON object").into());
        }
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let name = self.string()?;
            if !self.take(b':') {
                return Err(JsonError::Invalid.into());
            }
            member(self, name)?;
            if self.take(b'}') {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(JsonError::Invalid.into());
            }
        }
    }

    /// Calls `element` for each element of an array, to take it.
    pub fn array<E: From<JsonError>>(
        &mut self,
        mut element: impl FnMut(&mut Reader<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.take(b'[') {
            return Err(JsonError::Unexpected("an array is expected").into());
        }
        if self.take(b']') {
            return Ok(());
        }
        loop {
            element(self)?;
            if self.take(b']') {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(JsonError::Invalid.into());
            }
        }
    }

    /// The same for a part of an array: one element at least, and no brackets.
    pub fn part_of_array<E: From<JsonError>>(
        &mut self,
        mut element: impl FnMut(&mut Reader<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            element(self)?;
            if !self.take(b',') {
                return Ok(self.end()?);
            }
        }
    }

    /// How many bytes were read.
    pub fn offset(&self) -> usize {
        self.lexer.offset()
    }

    /// Takes a string.
    pub fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(JsonError::Invalid);
        }
        Ok(self.lexer.string()?)
    }

    /// Takes any value as a tree.
    pub fn value(&mut self) -> Result<Value, JsonError> {
        let mut bytes = vec![0; 4];
        self.element("", &mut bytes, 1)?;
        finish(&mut bytes, 0);
        let document = RawDocument::from_validated(&bytes);
        document
            .iter()
            .next()
            .map(|(_, value)| value.to_value())
            .ok_or(JsonError::Invalid)
    }

    /// Takes any value and appends it to a BSON document in the making: type, name, value. `depth` is that of the
    /// document, the outermost having 1.
    pub fn element(&mut self, name: &str, out: &mut Vec<u8>, depth: usize) -> Result<(), JsonError> {
        if name.contains('\0') {
            return Err(JsonError::Unexpected(
                "Names of fields must not contain a zero byte",
            ));
        }
        let kind_at = out.len();
        out.push(0);
        out.extend_from_slice(name.as_bytes());
        out.push(0);
        let kind = match self.peek().ok_or(JsonError::Invalid)? {
            b'"' => {
                let string = self.string()?;
                put_string(&string, out);
                Type::String
            }
            b'{' => self.document(out, depth + 1)?,
            b'[' => self.elements(out, depth + 1)?,
            b't' => self.word("true", &[1], Type::Bool, out)?,
            b'f' => self.word("false", &[0], Type::Bool, out)?,
            b'n' => self.word("null", &[], Type::Null, out)?,
            _ => self.number(out)?,
        };
        out[kind_at] = kind as u8;
        Ok(())
    }

    fn word(&mut self, word: &str, bytes: &[u8], kind: Type, out: &mut Vec<u8>) -> Result<Type, JsonError> {
        self.lexer.word(word)?;
        out.extend_from_slice(bytes);
        Ok(kind)
    }

    fn number(&mut self, out: &mut Vec<u8>) -> Result<Type, JsonError> {
        let start = self.lexer.offset();
        Ok(match self.lexer.number()? {
            Number::Int32(int) => {
                out.extend_from_slice(&int.to_le_bytes());
                Type::Int32
            }
            Number::Int64(int) => {
                out.extend_from_slice(&int.to_le_bytes());
                Type::Int64
            }
            Number::Double(double) => {
                if let Some(decimal) = self.decimal(start) {
                    out.extend_from_slice(decimal.bytes());
                    return Ok(Type::Decimal128);
                }
                out.extend_from_slice(&double.to_le_bytes());
                Type::Double
            }
        })
    }

    /// The number from here to what was read last, where a decimal has digits of it that a double has not.
    fn decimal(&self, start: usize) -> Option<Decimal128> {
        let text = self
            .text
            .get(start..self.lexer.offset())
            .filter(|_| self.is_exact)?;
        text.parse::<u64>().ok()?;
        text.parse().ok()
    }

    fn document(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<Type, JsonError> {
        check_depth(depth)?;
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        let mut may_be_typed = None;
        let first = self.members.len();
        self.object(|reader, name| {
            may_be_typed.get_or_insert(name.starts_with('$'));
            reader.members.push(out.len());
            reader.element(&name, out, depth)
        })?;
        keep_last_of_each_name(out, &self.members[first..]);
        self.members.truncate(first);
        finish(out, start);
        match may_be_typed {
            Some(true) => Ok(typed(out, start, self.is_exact)),
            _ => Ok(Type::Document),
        }
    }

    fn elements(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<Type, JsonError> {
        check_depth(depth)?;
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        let mut position = 0usize;
        self.array(|reader| {
            let mut name = itoa::Buffer::new();
            let taken = reader.element(name.format(position), out, depth);
            position += 1;
            taken
        })?;
        finish(out, start);
        Ok(Type::Array)
    }
}

fn check_depth(depth: usize) -> Result<(), JsonError> {
    match depth > NESTING_DEPTH_MAX {
        true => Err(JsonError::TooDeep),
        false => Ok(()),
    }
}

/// Ends a document that begins at `start`.
pub fn finish(out: &mut Vec<u8>, start: usize) {
    out.push(0);
    let length = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Appends a string's length, bytes and end.
pub fn put_string(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32 + 1).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// Puts in place of the object at `start` the value that it stands for in relaxed Extended JSON, if it would be written
/// just so; else it stays what it is, so that no object comes back as another.
fn typed(out: &mut Vec<u8>, start: usize, is_exact: bool) -> Type {
    let object = RawDocument::from_validated(&out[start..]);
    // Only code with its scope holds others. It is looked at as a whole on each of its levels.
    if object.is_deeper_than(TYPED_LEVELS_MAX) {
        return Type::Document;
    }
    let text = value::json::to_string(DocumentRef::Raw(object), Mode::Relaxed);
    let Ok(value) = value::json::parse(&text) else {
        return Type::Document;
    };
    // It would be shown as a number.
    if is_exact && unsigned(value.as_ref()).is_some() {
        return Type::Document;
    }
    let mut again = String::new();
    value::json::write(value.as_ref(), Mode::Relaxed, &mut again);
    if again != text || matches!(value, Value::Document(_)) {
        return Type::Document;
    }
    out.truncate(start);
    value::raw::encode_value_into(out, value.as_ref());
    value.type_of()
}
