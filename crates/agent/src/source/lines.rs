//! Bytes that come in pieces, as lines.

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its text; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether it was longer, and is cut.
    pub is_cut: bool,
    /// Bytes from the beginning of all pieces to its end.
    pub end: u64,
}

/// Puts lines together.
#[derive(Debug)]
pub struct Lines {
    bytes_max: usize,
    begun: Vec<u8>,
    is_cut: bool,
    offset: u64,
    /// Whether the next line is the first one of all.
    is_first: bool,
}

/// The byte order mark that some programs begin UTF-8 with; it is no part of the first line.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

impl Lines {
    /// Lines of at most `bytes_max`; the first one begins at `offset`.
    pub fn new(bytes_max: usize, offset: u64) -> Lines {
        Lines {
            bytes_max,
            begun: Vec::new(),
            is_cut: false,
            offset,
            is_first: offset == 0,
        }
    }

    /// Bytes that were taken.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes a piece. Returns the lines that end in it.
    pub fn take(&mut self, piece: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.offset += part.len() as u64;
            let (text, ends) = match part {
                [text @ .., b'\n'] => (text, true),
                text => (text, false),
            };
            let room = self.bytes_max.saturating_sub(self.begun.len());
            self.is_cut |= text.len() > room;
            self.begun.extend_from_slice(&text[..text.len().min(room)]);
            if ends {
                lines.push(self.line());
            }
        }
        lines
    }

    /// The line that has no end yet.
    pub fn rest(&mut self) -> Option<Line> {
        (!self.begun.is_empty()).then(|| self.line())
    }

    fn line(&mut self) -> Line {
        let mut bytes = std::mem::take(&mut self.begun);
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        if std::mem::take(&mut self.is_first) && bytes.starts_with(UTF8_MARK) {
            bytes.drain(..UTF8_MARK.len());
        }
        Line {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            is_cut: std::mem::take(&mut self.is_cut),
            end: self.offset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_in_whatever_pieces_they_come() {
        let text = "one\r\n\ntwo is long\nth\u{e9}\nrest".as_bytes();
        for size in 1..text.len() {
            let mut lines = Lines::new(5, 100);
            let found: Vec<Line> = text.chunks(size).flat_map(|piece| lines.take(piece)).collect();
            let texts: Vec<_> = found
                .iter()
                .map(|line| (line.text.as_str(), line.is_cut, line.end))
                .collect();
            assert_eq!(
                texts,
                [
                    ("one", false, 105),
                    ("", false, 106),
                    ("two i", true, 118),
                    ("thé", false, 123)
                ]
            );
            assert_eq!(lines.rest().map(|line| line.text), Some("rest".to_owned()));
            assert_eq!(lines.rest(), None);
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        let text = "\u{feff}one\n\u{feff}two\n".as_bytes();
        let texts = |mut lines: Lines| {
            let taken = lines.take(text).into_iter();
            taken.map(|line| line.text).collect::<Vec<_>>()
        };
        assert_eq!(texts(Lines::new(80, 0)), ["one", "\u{feff}two"]);
        assert_eq!(texts(Lines::new(80, 7)), ["\u{feff}one", "\u{feff}two"]);
    }
}
