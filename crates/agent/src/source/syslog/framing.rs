//! Messages on a connection (RFC 6587): `LENGTH MESSAGE`, or lines; each message says by its first bytes which. A line may begin with
//! a number, too, but a message that is counted begins with its priority.

use crate::source::Line;

/// The most digits of a length.
const DIGITS_MAX: usize = 7;

/// Tells messages from each other.
#[derive(Debug)]
pub struct Framed {
    bytes_max: usize,
    begun: Vec<u8>,
    state: State,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between messages.
    Between,
    /// Within the digits of a length, or what only looks like it.
    Length,
    /// After a length and a blank.
    Blank(usize),
    /// This many bytes of a message are still to come.
    Counted(usize),
    /// Within a line.
    Line,
}

impl Framed {
    /// Messages of at most `bytes_max`.
    pub fn new(bytes_max: usize) -> Framed {
        Framed {
            bytes_max,
            begun: Vec::new(),
            state: State::Between,
            is_cut: false,
        }
    }

    /// Takes a piece. Returns the messages that end in it.
    pub fn take(&mut self, piece: &[u8]) -> Vec<Line> {
        let mut messages = Vec::new();
        let mut rest = piece;
        while let Some(&byte) = rest.first() {
            match self.state {
                State::Between => match byte {
                    b'1'..=b'9' => self.state = State::Length,
                    b'\n' | b'\r' | b' ' | 0 => rest = &rest[1..],
                    _ => self.state = State::Line,
                },
                // A line of digits alone.
                State::Length if matches!(byte, b'\n' | 0) => self.state = State::Line,
                State::Length => {
                    rest = &rest[1..];
                    self.digit(byte);
                }
                State::Blank(count) if byte == b'<' => {
                    self.begun.clear();
                    self.state = State::Counted(count);
                }
                State::Blank(_) => self.state = State::Line,
                State::Counted(count) => {
                    let (part, after) = rest.split_at(count.min(rest.len()));
                    self.add(part);
                    rest = after;
                    self.state = State::Counted(count - part.len());
                    if count == part.len() {
                        messages.push(self.message());
                    }
                }
                State::Line => {
                    let end = rest.iter().position(|byte| matches!(byte, b'\n' | 0));
                    let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
                    self.add(part);
                    rest = after;
                    if end.is_some() {
                        rest = &rest[1..];
                        messages.push(self.message());
                    }
                }
            }
        }
        messages
    }

    /// The message that has no end yet.
    pub fn rest(&mut self) -> Option<Line> {
        (!self.begun.is_empty()).then(|| self.message())
    }

    fn digit(&mut self, byte: u8) {
        let length = std::str::from_utf8(&self.begun)
            .ok()
            .and_then(|text| text.parse::<usize>().ok());
        match (byte, length) {
            (b'0'..=b'9', _) if self.begun.len() < DIGITS_MAX => self.begun.push(byte),
            (b' ', Some(length)) => {
                self.begun.push(byte);
                self.state = State::Blank(length);
            }
            // It was a line that begins with a number.
            _ => {
                self.begun.push(byte);
                self.state = State::Line;
            }
        }
    }

    fn add(&mut self, part: &[u8]) {
        let room = self.bytes_max.saturating_sub(self.begun.len());
        self.is_cut |= part.len() > room;
        self.begun.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn message(&mut self) -> Line {
        self.state = State::Between;
        let bytes = std::mem::take(&mut self.begun);
        Line {
            text: String::from_utf8_lossy(&bytes)
                .trim_end_matches(['\r', '\n'])
                .to_owned(),
            is_cut: std::mem::take(&mut self.is_cut),
            end: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_digits_alone_is_a_line() {
        let text = b"123\n<13>one\n45\0<13>two\n";
        for size in 1..=text.len() {
            let mut framed = Framed::new(80);
            let found = text.chunks(size).flat_map(|piece| framed.take(piece));
            let texts: Vec<String> = found.map(|line| line.text).collect();
            assert_eq!(texts, ["123", "<13>one", "45", "<13>two"], "pieces of {size}");
        }
    }

    #[test]
    fn messages_are_the_same_in_whatever_pieces_they_come() {
        let text = b"11 <34>1 a\nb c<13>one\n<13>two\r\n\n0<7>x\n6 <1>yyy12 months\n3 <1>";
        for size in 1..=text.len() {
            let mut framed = Framed::new(8);
            let mut found: Vec<Line> = text.chunks(size).flat_map(|piece| framed.take(piece)).collect();
            found.extend(framed.rest());
            let texts: Vec<_> = found
                .iter()
                .map(|line| (line.text.as_str(), line.is_cut))
                .collect();
            let wanted = [
                ("<34>1 a", true),
                ("<13>one", false),
                ("<13>two", false),
                ("0<7>x", false),
                ("<1>yyy", false),
                ("12 month", true),
                ("<1>", false),
            ];
            assert_eq!(texts, wanted, "pieces of {size}");
        }
    }
}
