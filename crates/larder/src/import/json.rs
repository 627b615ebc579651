//! NDJSON and JSON arrays.

use super::input::{Input, NOT_UTF8};
use super::lines::{TEXT_BYTES_MAX, each_line};
use super::sink::Sink;
use anyhow::{Context, Result, bail};
use std::io::BufRead;

/// One document a line; empty lines are skipped.
pub fn read_lines(input: Input, sink: &mut Sink<'_>) -> Result<()> {
    each_line(input, |line, place| {
        let text = match std::str::from_utf8(line) {
            Ok(text) if text.trim().is_empty() => return Ok(()),
            Ok(text) => text,
            Err(_) => return sink.bad(place.to_string(), NOT_UTF8.to_owned(), line),
        };
        match value::json::parse_document(text) {
            Ok(document) => sink.document(place.to_string(), document),
            Err(error) => sink.bad(place.to_string(), error.to_string(), line),
        }
    })
}

/// One array of documents, read element by element.
pub fn read_array(input: Input, sink: &mut Sink<'_>) -> Result<()> {
    let name = input.name;
    let mut elements = Elements {
        text: input.text,
        line: 1,
        begun: 1,
    };
    elements
        .open()
        .with_context(|| format!("{name} is not a JSON array"))?;
    let mut element = Vec::new();
    while elements
        .next(&mut element)
        .with_context(|| format!("{name}:{}", elements.line))?
    {
        let place = format!("{name}:{}", elements.begun);
        let text = std::str::from_utf8(&element).map_err(|_| NOT_UTF8.to_owned());
        match text.and_then(|text| value::json::parse_document(text).map_err(|error| error.to_string())) {
            Ok(document) => sink.document(place, document)?,
            Err(reason) => sink.bad(place, reason, &element)?,
        }
    }
    Ok(())
}

/// Cuts the elements of an array out of a stream: counts brackets outside of strings.
struct Elements {
    text: Box<dyn BufRead>,
    line: u64,
    /// Where the present element begins.
    begun: u64,
}

impl Elements {
    fn open(&mut self) -> Result<()> {
        match self.skip_space()? {
            Some(b'[') => {
                self.text.consume(1);
                Ok(())
            }
            Some(other) => bail!("it begins with '{}', not with '['", char::from(other)),
            None => bail!("it is empty"),
        }
    }

    /// Looks at the next byte that is not white space.
    fn skip_space(&mut self) -> Result<Option<u8>> {
        loop {
            let Some(&byte) = self.text.fill_buf()?.first() else {
                return Ok(None);
            };
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.line += u64::from(byte == b'\n');
            self.text.consume(1);
        }
    }

    /// Reads the next element. Returns false at the array's end.
    fn next(&mut self, element: &mut Vec<u8>) -> Result<bool> {
        element.clear();
        loop {
            match self.skip_space()? {
                Some(b',') => self.text.consume(1),
                Some(b']') => {
                    self.text.consume(1);
                    return self.end();
                }
                Some(_) => break,
                None => bail!("the array does not end: ']' is missing"),
            }
        }
        self.begun = self.line;
        self.copy_element(element)?;
        Ok(true)
    }

    /// Makes sure that nothing comes after the array, which would be lost.
    fn end(&mut self) -> Result<bool> {
        match self.skip_space()? {
            None => Ok(false),
            Some(more) => bail!(
                "the array ends, but then comes '{}': several arrays are no JSON array",
                char::from(more)
            ),
        }
    }

    fn copy_element(&mut self, element: &mut Vec<u8>) -> Result<()> {
        let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
        loop {
            let buffer = self.text.fill_buf()?;
            if buffer.is_empty() {
                bail!("the array does not end: ']' is missing");
            }
            let mut used = 0;
            let mut ended = false;
            for &byte in buffer {
                if !quoted && depth == 0 && matches!(byte, b',' | b']') {
                    ended = true;
                    break;
                }
                used += 1;
                self.line += u64::from(byte == b'\n');
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if quoted => escaped = true,
                    b'"' => quoted = !quoted,
                    b'{' | b'[' if !quoted => depth += 1,
                    b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            element.extend_from_slice(buffer.get(..used).unwrap_or_default());
            self.text.consume(used);
            if element.len() as u64 > TEXT_BYTES_MAX {
                bail!("an element is longer than {TEXT_BYTES_MAX} bytes");
            }
            if ended {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_where_it_begins() {
        let mut elements = Elements {
            text: Box::new("[\n{\"a\":\n1},\n\n2\n]\n".as_bytes()),
            line: 1,
            begun: 1,
        };
        elements.open().unwrap();
        let (mut element, mut lines) = (Vec::new(), Vec::new());
        while elements.next(&mut element).unwrap() {
            lines.push(elements.begun);
        }
        assert_eq!(lines, [2, 5]);
    }
}
