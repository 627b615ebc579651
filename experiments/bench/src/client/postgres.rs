//! PostgreSQL's protocol, version 3, over a socket: prepared statements with text parameters.

use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

const PROTOCOL_VERSION: i32 = 3 << 16;

/// One connection, let in without a password.
#[derive(Debug)]
pub struct Postgres {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
    message: Vec<u8>,
    /// The names of the statements prepared so far.
    prepared: HashMap<String, String>,
}

/// A row; `None` is null.
pub type Row = Vec<Option<String>>;

impl Postgres {
    /// Connects as the server's owner.
    pub fn connect(address: SocketAddr) -> Result<Postgres> {
        let stream =
            TcpStream::connect(address).with_context(|| format!("connecting to PostgreSQL at {address}"))?;
        stream.set_nodelay(true)?;
        let mut client = Postgres {
            stream: BufReader::new(stream),
            request: Vec::new(),
            message: Vec::new(),
            prepared: HashMap::new(),
        };
        let mut startup = PROTOCOL_VERSION.to_be_bytes().to_vec();
        startup.extend_from_slice(b"user\0postgres\0database\0postgres\0\0");
        client
            .request
            .extend_from_slice(&(startup.len() as i32 + 4).to_be_bytes());
        client.request.extend_from_slice(&startup);
        client.run()?;
        Ok(client)
    }

    /// Runs statements without parameters.
    pub fn execute(&mut self, sql: &str) -> Result<Vec<Row>> {
        self.put(b'Q', |out| put_text(out, sql));
        self.run()
    }

    /// Runs a statement with parameters, prepared at its first use.
    pub fn query(&mut self, sql: &str, parameters: &[&str]) -> Result<Vec<Row>> {
        let name = match self.prepared.get(sql) {
            Some(name) => name.clone(),
            None => self.prepare(sql)?,
        };
        self.put(b'B', |out| {
            put_text(out, "");
            put_text(out, &name);
            // All parameters as text.
            out.extend_from_slice(&0_i16.to_be_bytes());
            out.extend_from_slice(&(parameters.len() as u16).to_be_bytes());
            for parameter in parameters {
                out.extend_from_slice(&(parameter.len() as i32).to_be_bytes());
                out.extend_from_slice(parameter.as_bytes());
            }
            out.extend_from_slice(&0_i16.to_be_bytes());
        });
        self.put(b'E', |out| {
            put_text(out, "");
            out.extend_from_slice(&0_i32.to_be_bytes());
        });
        self.put(b'S', |_| ());
        self.run()
    }

    fn prepare(&mut self, sql: &str) -> Result<String> {
        let name = format!("s{}", self.prepared.len());
        self.put(b'P', |out| {
            put_text(out, &name);
            put_text(out, sql);
            out.extend_from_slice(&0_i16.to_be_bytes());
        });
        self.put(b'S', |_| ());
        self.run()?;
        self.prepared.insert(sql.to_owned(), name.clone());
        Ok(name)
    }

    /// Adds a message to the request.
    fn put(&mut self, kind: u8, body: impl FnOnce(&mut Vec<u8>)) {
        self.request.push(kind);
        let start = self.request.len();
        self.request.extend_from_slice(&[0; 4]);
        body(&mut self.request);
        let size = (self.request.len() - start) as i32;
        self.request[start..start + 4].copy_from_slice(&size.to_be_bytes());
    }

    /// Sends what was put and reads up to the next "ready".
    fn run(&mut self) -> Result<Vec<Row>> {
        self.stream.get_mut().write_all(&self.request)?;
        self.request.clear();
        let mut rows = Vec::new();
        let mut failure = None;
        loop {
            match self.receive()? {
                b'D' => rows.push(row(&self.message)?),
                b'E' => {
                    let text = String::from_utf8_lossy(&self.message).replace('\0', " ");
                    // After a fatal error the server says no more.
                    ensure!(!text.starts_with("SFATAL"), "PostgreSQL refused: {text}");
                    failure = Some(text);
                }
                b'R' => ensure!(
                    self.message.starts_with(&[0; 4]),
                    "the server asks for a password"
                ),
                b'Z' => break,
                _ => (),
            }
        }
        match failure {
            Some(failure) => bail!("PostgreSQL refused: {failure}"),
            None => Ok(rows),
        }
    }

    fn receive(&mut self) -> Result<u8> {
        let mut header = [0; 5];
        self.stream.read_exact(&mut header)?;
        let size = i32::from_be_bytes([header[1], header[2], header[3], header[4]]);
        self.message.resize(usize::try_from(size)?.saturating_sub(4), 0);
        self.stream.read_exact(&mut self.message)?;
        Ok(header[0])
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// The fields of a data row.
fn row(mut message: &[u8]) -> Result<Row> {
    let fields = u16::from_be_bytes(take(&mut message)?);
    (0..fields)
        .map(|_| {
            let Ok(size) = usize::try_from(i32::from_be_bytes(take(&mut message)?)) else {
                return Ok(None);
            };
            let (field, rest) = message.split_at_checked(size).context("a row is cut short")?;
            message = rest;
            Ok(Some(std::str::from_utf8(field)?.to_owned()))
        })
        .collect()
}

fn take<const N: usize>(message: &mut &[u8]) -> Result<[u8; N]> {
    let (taken, rest) = message.split_first_chunk().context("a row is cut short")?;
    *message = rest;
    Ok(*taken)
}
