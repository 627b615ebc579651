//! Access logs: the "common" and "combined" formats of Apache and nginx.
//!
//! `192.0.2.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326 "http://referer/" "agent"`

use crate::infer::integer;
use crate::parser::Mismatch;
use value::{Document, Value};

/// The fields of a request.
pub fn parse(line: &str) -> Result<Document, Mismatch> {
    let lacks = |what: &str| Mismatch(format!("not an access log's line: {what} is missing"));
    let (client, rest) = line.split_once(' ').ok_or_else(|| lacks("the client"))?;
    let (identity, rest) = rest.split_once(' ').ok_or_else(|| lacks("the identity"))?;
    let (user, rest) = rest.split_once(" [").ok_or_else(|| lacks("the user"))?;
    let (time, rest) = rest.split_once("] ").ok_or_else(|| lacks("the time"))?;
    let (request, rest) = quoted(rest).ok_or_else(|| lacks("the request"))?;
    let mut words = rest.trim_start().splitn(3, ' ');
    let status = words
        .next()
        .and_then(integer)
        .ok_or_else(|| lacks("the status"))?;
    let bytes = words.next().ok_or_else(|| lacks("the size"))?;
    let rest = words.next().unwrap_or_default();

    let time = jiff::fmt::strtime::parse("%d/%b/%Y:%H:%M:%S %z", time)
        .and_then(|parts| parts.to_timestamp())
        .map_err(|error| Mismatch(format!("'{time}' is not an access log's time: {error}")))?;
    let mut document = Document::new();
    document.push("time", Value::DateTime(time.as_millisecond()));
    document.push("client", client);
    if identity != "-" {
        document.push("identity", identity);
    }
    if user != "-" {
        document.push("user", user);
    }
    let mut parts = request.split(' ');
    if let (Some(method), Some(path), Some(protocol), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    {
        document.push("method", method);
        document.push("path", path);
        document.push("protocol", protocol);
    }
    document.push("status", status);
    if bytes != "-" {
        document.push("bytes", integer(bytes).ok_or_else(|| lacks("the size"))?);
    }
    let mut rest = rest.trim_start();
    for name in ["referer", "agent"] {
        let Some((text, after)) = quoted(rest) else { break };
        if text != "-" {
            document.push(name, text);
        }
        rest = after.trim_start();
    }
    if !rest.is_empty() {
        document.push("rest", rest);
    }
    document.push("message", request);
    Ok(document)
}

/// The text between quotation marks that a text begins with, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let mut found = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((found, &text[at + 1..])),
            // Both servers write a quotation mark as \" (nginx as \x22); other escapes stay as they are.
            '\\' => match letters.next()? {
                (_, escaped @ ('"' | '\\')) => found.push(escaped),
                (_, other) => found.extend(['\\', other]),
            },
            other => found.push(other),
        }
    }
    None
}
