//! RELP, which acknowledges each message: `TXNR COMMAND LENGTH DATA`, answered by `TXNR rsp LENGTH DATA`.

use crate::MESSAGE_BYTES_MAX;
use bytes::{Buf, Bytes, BytesMut};

/// The most bytes of a frame's head: a number, a command, a length.
const HEAD_BYTES_MAX: usize = 9 + 1 + 32 + 1 + 9 + 1;

/// One frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) number: u32,
    pub(crate) command: String,
    pub(crate) data: Bytes,
}

/// Whether a connection begins as a client of RELP begins it; `None` if there are too few bytes to say.
pub(crate) fn begins(bytes: &[u8]) -> Option<bool> {
    let opening = b"1 open ";
    match bytes.len() < opening.len() {
        true if opening.starts_with(bytes) => None,
        _ => Some(bytes.starts_with(opening)),
    }
}

/// Takes the next frame; `Ok(None)` if more bytes are needed.
pub(crate) fn next(buffer: &mut BytesMut) -> Result<Option<Frame>, &'static str> {
    while buffer.first() == Some(&b'\n') {
        buffer.advance(1);
    }
    let mut parts = [0; 3];
    let mut begun = 0;
    for (at, part) in parts.iter_mut().enumerate() {
        let rest = &buffer[begun..];
        let end = rest
            .iter()
            .position(|byte| *byte == b' ' || (at == 2 && *byte == b'\n'));
        match end {
            Some(end) => *part = begun + end,
            None if buffer.len() > HEAD_BYTES_MAX => return Err("a frame's head is too long"),
            None => return Ok(None),
        }
        begun = *part + 1;
    }
    let text = |from: usize, to: usize| {
        std::str::from_utf8(&buffer[from..to]).map_err(|_| "a frame's head is no text")
    };
    let number = text(0, parts[0])?.parse().map_err(|_| "a frame has no number")?;
    let command = text(parts[0] + 1, parts[1])?.to_owned();
    let length: usize = text(parts[1] + 1, parts[2])?
        .parse()
        .map_err(|_| "a frame has no length")?;
    if length > MESSAGE_BYTES_MAX {
        return Err("a message is too long");
    }
    // A frame without data has its end where its data would begin.
    let begin = if buffer[parts[2]] == b'\n' {
        parts[2]
    } else {
        parts[2] + 1
    };
    if buffer.len() < begin + length + 1 {
        return Ok(None);
    }
    if buffer[begin + length] != b'\n' {
        return Err("a frame does not end where it should");
    }
    buffer.advance(begin);
    let data = buffer.split_to(length).freeze();
    buffer.advance(1);
    Ok(Some(Frame {
        number,
        command,
        data,
    }))
}

/// Appends an answer.
pub(crate) fn answer(number: u32, data: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{number} rsp {} {data}\n", data.len()).as_bytes());
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn frames_are_taken_one_after_another() {
        let mut buffer = BytesMut::from(&b"1 open 5 a=b\nc\n2 syslog 4 <1>a\n3 close 0\n4 sys"[..]);
        let mut found = Vec::new();
        while let Some(frame) = next(&mut buffer).unwrap() {
            found.push((
                frame.number,
                frame.command,
                String::from_utf8_lossy(&frame.data).into_owned(),
            ));
        }
        let texts = |(number, command, data): &(u32, String, String)| format!("{number} {command} {data}");
        assert_eq!(
            found.iter().map(texts).collect::<Vec<_>>(),
            ["1 open a=b\nc", "2 syslog <1>a", "3 close "]
        );
        assert_eq!(&buffer[..], b"4 sys");
    }

    #[test]
    fn malformed_frames_are_refused() {
        for wrong in [
            "x open 0\n",
            "1 open x \n",
            "1 syslog 999999999 ",
            "1 syslog 1 ab\n",
        ] {
            assert!(next(&mut BytesMut::from(wrong)).is_err(), "{wrong}");
        }
        assert!(next(&mut BytesMut::from(&[b'1'; 100][..])).is_err());
    }
}
