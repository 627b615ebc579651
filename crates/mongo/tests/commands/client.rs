//! A server in this process on a store in memory, and a client of it.

use crate::blanks::bytes;
use auth::ClientLogin;
use engine::Engine;
use kv::{Kv, Simulation};
use mongo::Options;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use testing::Host;
use value::raw::encode_document;
use value::{Document, DocumentBuf, Value, doc};

const OP_MSG: i32 = 2013;
/// Header, flags and the kind of the one section: what stands before a reply's document.
const REPLY_HEAD_BYTES: usize = 21;
/// No command of these tests takes this long: a missing reply fails the test instead of blocking it.
const REPLY_TIME_MAX: Duration = Duration::from_secs(60);

/// The server stops when this is dropped.
pub struct Server {
    address: SocketAddr,
    _host: Host,
}

impl Server {
    pub fn start() -> Server {
        let host = Host::new();
        let engine = host.run(Engine::on(Kv::simulated(&Simulation::new(1)))).unwrap();
        let indexes = atlas::Atlas::new(&engine, atlas::Options::default());
        engine.set_search_indexes(Arc::new(indexes));
        let options = Options {
            places: net::Places::new(100),
            test_commands: true,
            read_time_max: Duration::ZERO,
        };
        let address = host.serve(|listener, stopped| mongo::serve(listener, engine, options, stopped));
        Server { address, _host: host }
    }

    pub fn client(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(REPLY_TIME_MAX)).unwrap();
        Client(stream)
    }
}

/// One connection.
pub struct Client(TcpStream);

impl Client {
    /// Sends a command to a database and waits for the reply.
    pub fn run(&mut self, database: &str, command: &Document) -> Document {
        let body = encode_document(&command.clone().with("$db", database));
        let length = (REPLY_HEAD_BYTES + body.len()) as i32;
        let mut message = Vec::new();
        for number in [length, 1, 0, OP_MSG, 0] {
            message.extend_from_slice(&number.to_le_bytes());
        }
        message.push(0);
        message.extend_from_slice(&body);
        self.0.write_all(&message).unwrap();
        self.reply()
    }

    /// Logs a user of a database in, and gives the last answer.
    pub fn log_in(&mut self, database: &str, name: &str, password: &str) -> Document {
        let mut login = ClientLogin::new(name, password).unwrap();
        let first = doc! {
            "saslStart": 1,
            "mechanism": "SCRAM-SHA-256",
            "payload": bytes(&login.first()),
            "options": {"skipEmptyExchange": true},
        };
        let challenge = self.run(database, &first);
        let (Some(Value::Binary(payload)), Some(id)) =
            (challenge.get("payload"), challenge.get("conversationId"))
        else {
            return challenge;
        };
        let proof = login.answer(&payload.bytes).unwrap().unwrap_or_default();
        let proof = doc! {"saslContinue": 1, "conversationId": id.clone(), "payload": bytes(&proof)};
        self.run(database, &proof)
    }

    fn reply(&mut self) -> Document {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).unwrap();
        let mut rest = vec![0; u32::from_le_bytes(length) as usize - length.len()];
        self.0.read_exact(&mut rest).unwrap();
        let body = rest.split_off(REPLY_HEAD_BYTES - length.len());
        DocumentBuf::new(body.into()).unwrap().to_document()
    }
}
