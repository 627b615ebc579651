//! A server in this process, and clients of both its protocols.

use bytes::{Bytes, BytesMut};
use engine::Engine;
use kv::{Kv, Simulation};
use riak::pb::frame::{self, code};
use riak::pb::messages::ErrorResp;
use riak::pb::wire::Message;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use testing::Host;

/// Ends with the value.
pub struct Server {
    pub http: SocketAddr,
    pub buffers: SocketAddr,
    pub engine: Engine,
    pub host: Host,
}

impl Server {
    pub fn start() -> Server {
        Server::with(riak::Options::default())
    }

    pub fn with(options: riak::Options) -> Server {
        Server::on(&Simulation::new(1), options)
    }

    pub fn on(simulation: &Simulation, options: riak::Options) -> Server {
        let host = Host::new();
        let engine = host.run(Engine::on(Kv::simulated(simulation))).unwrap();
        let riak = riak::Riak::new(engine.clone(), options);
        Server {
            http: host.serve(|listener, stopped| riak.clone().serve_http(listener, stopped)),
            buffers: host.serve(|listener, stopped| riak.serve_protocol_buffers(listener, stopped)),
            engine,
            host,
        }
    }

    pub fn client(&self) -> Client {
        let stream = TcpStream::connect(self.buffers).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Client { stream }
    }

    /// One request over HTTP on a connection of its own.
    pub fn ask(&self, head: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.http).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut request = format!("{head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        Answer::parse(&all)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &[], b"")
    }

    pub fn put(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        self.ask(&format!("PUT {path}"), &[("Content-Type", kind)], body)
    }
}

/// An answer over HTTP.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    fn parse(all: &[u8]) -> Answer {
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut body = all[end + 4..].to_vec();
        if headers
            .get("transfer-encoding")
            .is_some_and(|coding| coding == "chunked")
        {
            body = unchunked(&body);
        }
        Answer {
            status,
            headers,
            body,
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return out;
        }
        out.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
}

/// A client of protocol buffers.
pub struct Client {
    stream: TcpStream,
}

impl Client {
    /// Sends a message and gives back the code and the bytes of the answer.
    pub fn raw(&mut self, which: u8, message: &impl Message) -> (u8, Bytes) {
        let mut out = Vec::new();
        frame::put(&mut out, which, message);
        self.stream.write_all(&out).unwrap();
        self.next()
    }

    /// Sends bytes, and waits for no answer.
    pub fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub fn next(&mut self) -> (u8, Bytes) {
        let mut buffer = BytesMut::zeroed(4);
        self.stream.read_exact(&mut buffer).unwrap();
        let bytes = frame::wanted(&buffer, usize::MAX).unwrap().unwrap();
        buffer.resize(bytes, 0);
        self.stream.read_exact(&mut buffer[4..]).unwrap();
        frame::take(&mut buffer, bytes)
    }

    /// Sends a message whose answer is no error.
    pub fn ask<A: Message>(&mut self, which: u8, message: &impl Message) -> A {
        let (answered, bytes) = self.raw(which, message);
        if answered == code::ERROR {
            let error = ErrorResp::decode(&bytes).unwrap();
            panic!("message {which}: {}", String::from_utf8_lossy(&error.errmsg));
        }
        A::decode(&bytes).unwrap()
    }

    /// Sends a message whose answer is an error; its text.
    pub fn refused(&mut self, which: u8, message: &impl Message) -> String {
        let (answered, bytes) = self.raw(which, message);
        assert_eq!(answered, code::ERROR);
        let error = ErrorResp::decode(&bytes).unwrap();
        String::from_utf8(error.errmsg).unwrap()
    }
}
