//! Siblings as they come in one answer: the parts of a `multipart/mixed` body.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};

/// The boundary that a content type names.
pub(super) fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/mixed") {
        return None;
    }
    let mut parameters = parameters.split(';').map(str::trim);
    let boundary = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.eq_ignore_ascii_case("boundary")
            .then(|| value.trim_matches('"'))
    });
    boundary.filter(|boundary| !boundary.is_empty())
}

/// The parts of a body; `None` if it does not have this boundary, or is cut off.
pub(super) fn parts(body: &Bytes, boundary: &str) -> Option<Vec<(HeaderMap, Bytes)>> {
    let delimiter = [b"--", boundary.as_bytes()].concat();
    let mut parts = Vec::new();
    let mut at = find(body, &delimiter, 0)? + delimiter.len();
    loop {
        if body[at..].starts_with(b"--") {
            return Some(parts);
        }
        let start = find(body, b"\r\n", at)? + 2;
        let end = find(
            body,
            &[b"\r\n", delimiter.as_slice()].concat(),
            start.checked_sub(2)?,
        )?;
        // A part without headers begins with the empty line.
        let part = body.slice(start..end.max(start));
        let (head, value) = match part.starts_with(b"\r\n") {
            true => (Bytes::new(), part.slice(2..)),
            false => {
                let split = find(&part, b"\r\n\r\n", 0)?;
                (part.slice(..split), part.slice(split + 4..))
            }
        };
        parts.push((headers(&head), value));
        at = end + 2 + delimiter.len();
    }
}

fn find(body: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(body.get(from..)?, wanted).map(|at| from + at)
}

fn headers(head: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in head.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        let Some(colon) = memchr::memchr(b':', line) else {
            continue;
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_headers_and_bytes_of_any_kind() {
        // As Riak 2.2 writes it.
        let body = Bytes::from_static(
            b"\r\n--Xy\r\nContent-Type: text/plain\r\nX-Riak-Meta-A: 1\r\n\r\none\r\n\r\n--Xy\r\nContent-Type: image/png\r\n\r\n\x00\xFF\r\n--Xy--\r\n",
        );
        let parts = parts(&body, "Xy").unwrap_or_default();
        let values: Vec<&[u8]> = parts.iter().map(|(_, value)| value.as_ref()).collect();
        assert_eq!(values, [&b"one\r\n"[..], b"\x00\xFF"]);
        assert_eq!(parts[0].0["x-riak-meta-a"], "1");
        assert_eq!(boundary("multipart/mixed; boundary=Xy"), Some("Xy"));
        assert_eq!(boundary("text/plain; boundary=Xy"), None);
    }

    #[test]
    fn a_body_that_is_cut_off_is_none() {
        for body in [&b"--Xy\r\nA: b\r\n\r\nvalue"[..], b"--Xy\r\n", b"none"] {
            assert_eq!(parts(&Bytes::copy_from_slice(body), "Xy"), None);
        }
    }
}
