//! Messages within a stream: as many bytes as are announced (RFC 6587's octet counting), or up to the end of a line.

use crate::MESSAGE_BYTES_MAX;
use bytes::{Buf, Bytes, BytesMut};

/// What a stream has next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Message(Bytes),
    /// More bytes are needed.
    Incomplete,
    /// It is longer than messages may be.
    TooLong,
}

/// Takes the next message of a stream.
pub(crate) fn next(buffer: &mut BytesMut) -> Frame {
    while buffer
        .first()
        .is_some_and(|byte| matches!(byte, b'\n' | b'\r' | 0))
    {
        buffer.advance(1);
    }
    if buffer.first().is_some_and(u8::is_ascii_digit)
        && let Some(frame) = counted(buffer)
    {
        return frame;
    }
    match buffer.iter().position(|byte| matches!(byte, b'\n' | 0)) {
        Some(end) if end <= MESSAGE_BYTES_MAX => {
            let line = buffer.split_to(end).freeze();
            buffer.advance(1);
            Frame::Message(line)
        }
        None if buffer.len() <= MESSAGE_BYTES_MAX => Frame::Incomplete,
        _ => Frame::TooLong,
    }
}

/// Takes a message that is counted, as `7 <1>text`; `None` if the stream does not begin with one.
fn counted(buffer: &mut BytesMut) -> Option<Frame> {
    let digits = buffer.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 9 {
        return None;
    }
    match buffer.get(digits) {
        None => return Some(Frame::Incomplete),
        Some(b' ') => {}
        Some(_) => return None,
    }
    // A line may begin with a number, too; a message begins with its priority.
    match buffer.get(digits + 1) {
        None => return Some(Frame::Incomplete),
        Some(b'<') => {}
        Some(_) => return None,
    }
    let length: usize = std::str::from_utf8(&buffer[..digits]).ok()?.parse().ok()?;
    if length > MESSAGE_BYTES_MAX {
        return Some(Frame::TooLong);
    }
    if buffer.len() < digits + 1 + length {
        return Some(Frame::Incomplete);
    }
    buffer.advance(digits + 1);
    Some(Frame::Message(buffer.split_to(length).freeze()))
}

/// The unfinished message at the end of a stream, without the length that was announced for it.
pub(crate) fn rest(buffer: &[u8]) -> &[u8] {
    let digits = buffer.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match buffer.get(digits..digits + 2) {
        Some(b" <") if digits > 0 => &buffer[digits + 1..],
        _ => buffer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (Vec<String>, Frame) {
        let mut buffer = BytesMut::from(bytes);
        let mut found = Vec::new();
        loop {
            match next(&mut buffer) {
                Frame::Message(message) => found.push(String::from_utf8_lossy(&message).into_owned()),
                end => return (found, end),
            }
        }
    }

    #[test]
    fn messages_are_counted_or_end_with_their_lines() {
        let (found, end) = all(b"<1>a\r\n9 <2>b\nc dd<3>e\n\n12 no count\n5 <4>");
        assert_eq!(found, ["<1>a\r", "<2>b\nc dd", "<3>e", "12 no count"]);
        assert_eq!(end, Frame::Incomplete);
    }

    #[test]
    fn the_rest_of_a_counted_message_has_no_length() {
        for (left, message) in [
            (&b"90 <13>cut"[..], &b"<13>cut"[..]),
            (b"<13>9 <lives", b"<13>9 <lives"),
            (b"12 months", b"12 months"),
            (b"12", b"12"),
            (b" <13>", b" <13>"),
        ] {
            assert_eq!(rest(left), message);
        }
    }

    #[test]
    fn messages_that_are_too_long_are_not_kept() {
        assert_eq!(all(&vec![b'x'; MESSAGE_BYTES_MAX + 1]).1, Frame::TooLong);
        assert_eq!(all(b"999999999 <1>").1, Frame::TooLong);
    }
}
