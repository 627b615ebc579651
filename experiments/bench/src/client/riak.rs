//! A client of Riak's protocol buffers that puts objects.

use anyhow::{Result, ensure};
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use value::varint;

/// The codes of the messages.
const PUT: u8 = 11;
const PUT_RESPONSE: u8 = 12;

/// The wire type of a field with bytes.
const BYTES: u64 = 2;

/// A connection.
#[derive(Debug)]
pub struct Riak {
    stream: BufReader<TcpStream>,
    out: Vec<u8>,
    waiting: usize,
}

impl Riak {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Result<Riak> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Riak {
            stream: BufReader::new(stream),
            out: Vec::new(),
            waiting: 0,
        })
    }

    /// Adds the put of a value of JSON with terms of indexes to what [`Riak::send`] sends.
    pub fn put(&mut self, bucket: &str, key: &str, json: &str, terms: &[(&str, String)]) {
        let mut content = Vec::with_capacity(json.len() + 128);
        field(1, json.as_bytes(), &mut content);
        field(2, b"application/json", &mut content);
        for (index, term) in terms {
            let mut pair = Vec::with_capacity(64);
            field(1, index.as_bytes(), &mut pair);
            field(2, term.as_bytes(), &mut pair);
            field(10, &pair, &mut content);
        }
        let start = self.out.len();
        self.out.extend_from_slice(&[0, 0, 0, 0, PUT]);
        field(1, bucket.as_bytes(), &mut self.out);
        field(2, key.as_bytes(), &mut self.out);
        field(4, &content, &mut self.out);
        let length = (self.out.len() - start - 4) as u32;
        self.out[start..start + 4].copy_from_slice(&length.to_be_bytes());
        self.waiting += 1;
    }

    /// Sends all puts that were added, and waits for the answers, which must be of success.
    pub fn send(&mut self) -> Result<()> {
        self.stream.get_mut().write_all(&self.out)?;
        self.out.clear();
        for _ in 0..std::mem::take(&mut self.waiting) {
            let mut head = [0; 5];
            self.stream.read_exact(&mut head)?;
            let [a, b, c, d, code] = head;
            let mut rest = vec![0; (u32::from_be_bytes([a, b, c, d]) as usize).saturating_sub(1)];
            self.stream.read_exact(&mut rest)?;
            let text = String::from_utf8_lossy(&rest);
            ensure!(code == PUT_RESPONSE, "a put was answered with {code}: {text}");
        }
        Ok(())
    }
}

fn field(number: u64, bytes: &[u8], out: &mut Vec<u8>) {
    varint::put(number << 3 | BYTES, out);
    varint::put(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}
