//! One request over a connection of its own.

use std::fmt;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// No request of a test takes so long: an answer that does not come fails it instead of holding it up.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);

/// An answer, read whole.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, their names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body, as text.
    pub body: String,
}

impl Answer {
    /// The first header of this name, which is in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(present, _)| present == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.status)?;
        for (name, value) in &self.headers {
            writeln!(f, "  {name}: {value}")?;
        }
        write!(f, "  {}", self.body)
    }
}

/// Sends `METHOD path`, the headers on the lines after it, and the body, and reads the answer.
///
/// # Panics
/// If there is none.
pub fn exchange(address: SocketAddr, request: &str, body: &str) -> Answer {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let limited = stream.set_read_timeout(Some(ANSWER_TIME_MAX));
    limited.expect("a time limit above zero");
    let mut lines = request.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let mut head = format!("{first} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    let headers: Vec<&str> = lines.collect();
    let has = |name: &str| headers.iter().any(|header| header.starts_with(name));
    if !has("Content-Type") && !body.is_empty() {
        head.push_str("Content-Type: application/json\r\n");
    }
    head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    headers
        .iter()
        .for_each(|header| head.push_str(&format!("{header}\r\n")));
    head.push_str("\r\n");
    head.push_str(body);
    stream.write_all(head.as_bytes()).expect("the server reads");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("the server answers");
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.expect("an answer has a head");
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(':'));
    let mut answer = Answer {
        status: status.expect("an answer has a status"),
        headers: headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect(),
        body: String::new(),
    };
    let body = &bytes[end + 4..];
    answer.body = match answer.header("transfer-encoding") {
        Some("chunked") => String::from_utf8_lossy(&joined(body)).into_owned(),
        _ => String::from_utf8_lossy(body).into_owned(),
    };
    answer
}

/// The body that chunks make up.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&chunks[..end]).unwrap_or_default();
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        let rest = &chunks[end + 2..];
        if size == 0 || rest.len() < size + 2 {
            break;
        }
        body.extend_from_slice(&rest[..size]);
        chunks = &rest[size + 2..];
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined() {
        assert_eq!(
            joined(b"3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n"),
            b"abc0123456789"
        );
        assert_eq!(joined(b"3\r\nab"), b"");
    }

    #[test]
    fn an_answer_has_status_headers_and_body() {
        let answer = parse(b"HTTP/1.1 201 Created\r\nLocation: /a:b\r\n\r\nyes");
        assert_eq!((answer.status, answer.body.as_str()), (201, "yes"));
        assert_eq!(answer.header("location"), Some("/a:b"));
    }
}
