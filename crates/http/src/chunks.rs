//! The framing of bodies that come in chunks (RFC 9112, section 7.1), to know where they end. It is hyper that decodes them, and that
//! refuses what is framed wrongly.

/// Where in a body the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Chunks {
    /// At the first digit of a chunk's size.
    #[default]
    Start,
    /// In the digits of the size.
    Size { bytes: u64 },
    /// In the blanks behind it.
    Blank { bytes: u64 },
    /// In the extensions of a chunk.
    Extension { bytes: u64 },
    /// At the end of the line with the size.
    SizeLf { bytes: u64 },
    /// In a chunk of which this many bytes are to come.
    Data { left: u64 },
    /// At the end of a chunk.
    DataCr,
    /// At the last byte of a chunk's end.
    DataLf,
    /// Behind the last chunk, at the beginning of a line.
    Line,
    /// In a trailer.
    Trailer,
    /// At the end of a trailer.
    TrailerLf,
    /// At the last byte of the body.
    EndLf,
    /// Behind the body.
    Ended,
    /// Behind a byte that no body of chunks has there: the connection will be closed.
    Wrong,
}

impl Chunks {
    /// Goes on by these bytes, but not beyond the end of the body; how many belong to it.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match *self {
                Chunks::Ended => break,
                Chunks::Wrong => return bytes.len(),
                Chunks::Data { left } => {
                    let come = left.min((bytes.len() - at) as u64);
                    at += come as usize;
                    *self = match left - come {
                        0 => Chunks::DataCr,
                        left => Chunks::Data { left },
                    };
                }
                place => {
                    *self = place.after(byte);
                    at += 1;
                }
            }
        }
        at
    }

    /// The place after one byte that is not of a chunk's data.
    fn after(self, byte: u8) -> Chunks {
        match (self, byte) {
            (Chunks::Start, digit) => Chunks::with_digit(0, digit),
            (Chunks::Size { bytes } | Chunks::Blank { bytes }, b'\t' | b' ') => Chunks::Blank { bytes },
            (Chunks::Size { bytes } | Chunks::Blank { bytes }, b';') => Chunks::Extension { bytes },
            (Chunks::Size { bytes } | Chunks::Blank { bytes } | Chunks::Extension { bytes }, b'\r') => {
                Chunks::SizeLf { bytes }
            }
            (Chunks::Size { bytes }, digit) => Chunks::with_digit(bytes, digit),
            (Chunks::Extension { .. }, b'\n') => Chunks::Wrong,
            (Chunks::Extension { bytes }, _) => Chunks::Extension { bytes },
            (Chunks::SizeLf { bytes: 0 }, b'\n') => Chunks::Line,
            (Chunks::SizeLf { bytes: left }, b'\n') => Chunks::Data { left },
            (Chunks::DataCr, b'\r') => Chunks::DataLf,
            (Chunks::DataLf, b'\n') => Chunks::Start,
            (Chunks::Line, b'\r') => Chunks::EndLf,
            (Chunks::Trailer, b'\r') => Chunks::TrailerLf,
            (Chunks::Line | Chunks::Trailer, _) => Chunks::Trailer,
            (Chunks::TrailerLf, b'\n') => Chunks::Line,
            (Chunks::EndLf, b'\n') => Chunks::Ended,
            _ => Chunks::Wrong,
        }
    }

    fn with_digit(bytes: u64, digit: u8) -> Chunks {
        let digit = char::from(digit).to_digit(16);
        let bytes = digit.and_then(|digit| bytes.checked_mul(16)?.checked_add(digit.into()));
        bytes.map_or(Chunks::Wrong, |bytes| Chunks::Size { bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_ends_where_its_last_chunk_says_however_it_comes() {
        for body in [
            "0\r\n\r\n",
            "3\r\nabc\r\n0\r\n\r\n",
            "00A ;x=\"y\"\r\n0\r\n\r\n12345\r\n1\t\r\n\n\r\n0;z\r\nA: b\r\nC: d\r\n\r\n",
        ] {
            let sent = format!("{body}GET / HTTP/1.1\r\n\r\n");
            for length in 1..=sent.len() {
                let (mut chunks, mut own) = (Chunks::default(), 0);
                for piece in sent.as_bytes().chunks(length) {
                    own += chunks.pass(piece);
                }
                assert_eq!((chunks, own), (Chunks::Ended, body.len()), "{body:?} by {length}");
            }
        }
    }

    #[test]
    fn a_body_that_is_framed_wrongly_has_no_end() {
        for body in [
            "\r\n",
            "x\r\n",
            "1\r\nab",
            "1;\n",
            "1 1\r\n",
            "1\rx",
            "1\r\na\r\r",
            "0\r\n\rx",
            "10000000000000000\r\n",
        ] {
            let mut chunks = Chunks::default();
            assert_eq!(chunks.pass(body.as_bytes()), body.len());
            assert_eq!(chunks, Chunks::Wrong, "{body:?}");
            assert_eq!(chunks.pass(b"0\r\n\r\n"), 5);
        }
    }
}
