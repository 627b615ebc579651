//! Taking a multipart body apart as its bytes come.

use super::MultipartError;
use bytes::{Bytes, BytesMut};
use memchr::memmem::{self, Finder};

/// The most bytes of a part's headers.
pub const PART_HEAD_BYTES_MAX: usize = 16 * 1024;

/// What ends the head of a part.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// What was found next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A part begins.
    Part(PartHead),
    /// Bytes of the part.
    Data(Bytes),
    /// The part has ended.
    PartEnd,
    /// The last delimiter: what may follow belongs to no part.
    End,
}

/// The headers of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartHead {
    /// Names in lower case, and values.
    headers: Vec<(String, String)>,
}

impl PartHead {
    /// The value of a header, whose name is given in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }

    fn parse(head: &[u8]) -> Result<PartHead, MultipartError> {
        // A line that begins with a blank goes on with the one before it (RFC 5322, section 2.2.3).
        let text = String::from_utf8_lossy(head)
            .replace("\r\n ", " ")
            .replace("\r\n\t", " ");
        let lines = text.split("\r\n").filter(|line| !line.trim().is_empty());
        let header = |line: &str| {
            let (name, value) = line.split_once(':').ok_or(MultipartError::BadHeader)?;
            Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.map(header).collect::<Result<_, MultipartError>>()?;
        Ok(PartHead { headers })
    }
}

/// Takes a multipart body apart.
#[derive(Debug)]
pub struct MultipartParser {
    /// `\r\n--` and the boundary.
    delimiter: Finder<'static>,
    state: State,
    /// Bytes received but not yet returned in events.
    buffer: BytesMut,
    /// The bytes of the buffer in which a head does not end, so that one that comes byte by byte is not searched
    /// again and again.
    searched: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first delimiter.
    Preamble,
    /// After a delimiter: two hyphens say that it was the last one.
    Delimiter,
    Head,
    Data,
    /// After the last delimiter.
    Epilogue,
}

impl MultipartParser {
    /// A parser of bodies with this boundary.
    pub fn new(boundary: &str) -> MultipartParser {
        let delimiter = format!("\r\n--{boundary}");
        MultipartParser {
            delimiter: Finder::new(delimiter.as_bytes()).into_owned(),
            state: State::Preamble,
            buffer: BytesMut::new(),
            searched: 0,
        }
    }

    /// Adds received bytes; [`MultipartParser::next_event`] returns what they are.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.state != State::Epilogue {
            self.buffer.extend_from_slice(bytes);
        }
    }

    /// The next event; `None` if it needs more bytes.
    pub fn next_event(&mut self) -> Result<Option<Event>, MultipartError> {
        if self.state == State::Preamble {
            self.skip_preamble();
        }
        if self.state == State::Delimiter && self.buffer.len() >= 2 {
            if self.buffer.starts_with(b"--") {
                self.buffer.clear();
                self.state = State::Epilogue;
                return Ok(Some(Event::End));
            }
            self.state = State::Head;
        }
        match self.state {
            State::Head => self.head(),
            State::Data => Ok(self.data()),
            State::Preamble | State::Delimiter | State::Epilogue => Ok(None),
        }
    }

    /// Whether the last delimiter was seen.
    pub fn is_ended(&self) -> bool {
        self.state == State::Epilogue
    }

    /// Drops everything before the first delimiter, and the delimiter once it is complete.
    fn skip_preamble(&mut self) {
        // The first delimiter may be at the very beginning, without a line break before it.
        let delimiter = &self.delimiter.needle()[2..];
        let dropped = match memmem::find(&self.buffer, delimiter) {
            Some(at) => {
                self.state = State::Delimiter;
                at + delimiter.len()
            }
            None => self.buffer.len().saturating_sub(delimiter.len() - 1),
        };
        drop(self.buffer.split_to(dropped));
    }

    fn head(&mut self) -> Result<Option<Event>, MultipartError> {
        let start = self.searched;
        let found = self
            .buffer
            .get(start..)
            .and_then(|rest| memmem::find(rest, HEAD_END));
        let Some(end) = found.map(|end| start + end) else {
            self.searched = self.buffer.len().saturating_sub(HEAD_END.len() - 1);
            return match self.buffer.len() > PART_HEAD_BYTES_MAX {
                true => Err(MultipartError::HeadTooLong),
                false => Ok(None),
            };
        };
        if end > PART_HEAD_BYTES_MAX {
            return Err(MultipartError::HeadTooLong);
        }
        let head = self.buffer.split_to(end + HEAD_END.len());
        self.searched = 0;
        self.state = State::Data;
        PartHead::parse(&head[..end]).map(|head| Some(Event::Part(head)))
    }

    fn data(&mut self) -> Option<Event> {
        let delimiter_bytes = self.delimiter.needle().len();
        let certain = match self.delimiter.find(&self.buffer) {
            Some(0) => {
                drop(self.buffer.split_to(delimiter_bytes));
                self.state = State::Delimiter;
                return Some(Event::PartEnd);
            }
            Some(at) => at,
            // The last bytes may be the beginning of a delimiter.
            None => self.buffer.len().saturating_sub(delimiter_bytes - 1),
        };
        (certain > 0).then(|| Event::Data(self.buffer.split_to(certain).freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All parts' bytes, fed in pieces of this size.
    fn parts(body: &[u8], size: usize) -> Result<Vec<Vec<u8>>, MultipartError> {
        let mut parser = MultipartParser::new("b");
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for piece in body.chunks(size) {
            parser.feed(piece);
            while let Some(event) = parser.next_event()? {
                match event {
                    Event::Part(_) => parts.push(Vec::new()),
                    Event::Data(data) => parts.last_mut().expect("a part").extend_from_slice(&data),
                    Event::PartEnd | Event::End => {}
                }
            }
        }
        match parser.is_ended() {
            true => Ok(parts),
            false => Err(MultipartError::Ended),
        }
    }

    #[test]
    fn parts_are_the_same_however_their_bytes_come() {
        let body = b"preamble\r\n--b\r\nA: 1\r\n\r\none\r\n\r\n--\r\n--b\r\n\r\n\r\n--b\r\nB: 2\r\n\r\nthree\r\n--b--\r\nepilogue";
        let wanted: Vec<Vec<u8>> = vec![b"one\r\n\r\n--".to_vec(), Vec::new(), b"three".to_vec()];
        for size in 1..body.len() {
            assert_eq!(parts(body, size).expect("valid"), wanted, "{size}");
        }
    }

    #[test]
    fn headers_are_found_by_their_names_in_lower_case() {
        let mut parser = MultipartParser::new("b");
        parser.feed(b"--b\r\nContent-Type:  text/plain; x=y \r\nX: \r\n\r\n");
        let Ok(Some(Event::Part(head))) = parser.next_event() else {
            panic!("a part");
        };
        assert_eq!(head.get("content-type"), Some("text/plain; x=y"));
        assert_eq!(head.get("x"), Some(""));
        assert_eq!(head.get("y"), None);
    }

    #[test]
    fn a_header_may_go_on_in_the_next_line() {
        let mut parser = MultipartParser::new("b");
        parser.feed(
            b"--b \r\nContent-Disposition: form-data;\r\n\tname=\"a\";\r\n filename=\"b\"\r\nX: 1\r\n\r\n",
        );
        let Ok(Some(Event::Part(head))) = parser.next_event() else {
            panic!("a part");
        };
        let disposition = "form-data; name=\"a\"; filename=\"b\"";
        assert_eq!(head.get("content-disposition"), Some(disposition));
        assert_eq!(head.get("x"), Some("1"));
    }

    #[test]
    fn malformed_multipart_bodies_are_refused() {
        assert!(matches!(
            parts(b"--b\r\nno header\r\n\r\nx\r\n--b--", 7),
            Err(MultipartError::BadHeader)
        ));
        for cut in [
            "",
            "--b",
            "--b\r\n",
            "--b\r\n\r\nx",
            "--b\r\n\r\nx\r\n--b",
            "--c--",
        ] {
            assert!(
                matches!(parts(cut.as_bytes(), 3), Err(MultipartError::Ended)),
                "{cut}"
            );
        }
    }

    #[test]
    fn headers_without_end_are_refused_before_they_fill_memory() {
        let mut parser = MultipartParser::new("b");
        parser.feed(b"--b\r\n");
        let refused = (0..1000).any(|_| {
            parser.feed(&b"X: y\r\n".repeat(100));
            matches!(parser.next_event(), Err(MultipartError::HeadTooLong))
        });
        assert!(refused);
        assert!(parser.buffer.len() < 2 * PART_HEAD_BYTES_MAX);
    }
}
