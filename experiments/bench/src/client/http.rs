//! HTTP/1.1 with keep-alive.

use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A connection.
#[derive(Debug)]
pub struct Http {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
    body: Vec<u8>,
}

impl Http {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Result<Http> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Http {
            stream: BufReader::with_capacity(64 << 10, stream),
            request: Vec::new(),
            body: Vec::new(),
        })
    }

    /// Sends a request with a body of JSON, and gives the body of the answer, whose status must be of success.
    pub fn send(&mut self, method: &str, path: &str, body: &str) -> Result<&str> {
        self.send_with(method, path, "", body)
    }

    /// The same with headers, each a line.
    pub fn send_with(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Result<&str> {
        self.request.clear();
        write!(
            self.request,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        self.stream.get_mut().write_all(&self.request)?;
        let status = self.line()?;
        let success = status.split(' ').nth(1).is_some_and(|code| code.starts_with('2'));
        self.read_body()?;
        let text = std::str::from_utf8(&self.body)?;
        ensure!(success, "{method} {path}: {status}: {text}");
        Ok(text)
    }

    /// Writes documents into a database of the CouchDB protocol at once: of each the id, and its other members as an object.
    pub fn bulk_docs(
        &mut self,
        database: &str,
        documents: impl Iterator<Item = (String, String)>,
    ) -> Result<()> {
        let documents = documents.map(|(id, members)| format!("{{\"_id\":\"{id}\",{}", &members[1..]));
        let documents: Vec<String> = documents.collect();
        let body = format!("{{\"docs\":[{}]}}", documents.join(","));
        self.send("POST", &format!("{database}/_bulk_docs"), &body)?;
        Ok(())
    }

    /// Puts bytes; they need not be text.
    pub fn put(&mut self, path: &str, body: &[u8]) -> Result<()> {
        let stream = self.stream.get_mut();
        write!(
            stream,
            "PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )?;
        stream.write_all(body)?;
        let status = self.line()?;
        self.read_body()?;
        ensure!(
            status.split(' ').nth(1).is_some_and(|code| code.starts_with('2')),
            "PUT {path}: {status}"
        );
        Ok(())
    }

    fn read_body(&mut self) -> Result<()> {
        self.body.clear();
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            match line.split_once(':') {
                Some(("content-length", value)) => length = value.trim().parse()?,
                Some(("transfer-encoding", value)) => chunked = value.trim() == "chunked",
                _ => {}
            }
        }
        if !chunked {
            return self.take(length);
        }
        loop {
            let line = self.line()?;
            let length = usize::from_str_radix(&line, 16).context("the size of a chunk")?;
            self.take(length)?;
            ensure!(self.line()?.is_empty(), "a chunk longer than it says");
            if length == 0 {
                return Ok(());
            }
        }
    }

    fn take(&mut self, length: usize) -> Result<()> {
        let start = self.body.len();
        self.body.resize(start + length, 0);
        Ok(self.stream.read_exact(&mut self.body[start..])?)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            bail!("the server closed the connection");
        }
        Ok(line.trim_end().to_owned())
    }
}
