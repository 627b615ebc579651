//! Messages over every transport, and the documents that they become.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpora;

use engine::{Engine, Namespace};
use kv::{Kv, Simulation};
use memory::{Budget, Holder};
use net::Places;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use value::doc;

struct Server {
    runtime: Runtime,
    engine: Engine,
    tcp: SocketAddr,
    udp: SocketAddr,
    stop: watch::Sender<bool>,
    served: JoinHandle<()>,
}

fn namespace() -> Namespace {
    Namespace::new("logs", "syslog")
}

impl Server {
    fn start() -> Server {
        Server::within(Budget::default())
    }

    /// A server with this much memory.
    fn within(memory: Budget) -> Server {
        let runtime = Runtime::new().unwrap();
        let (stop, stopped) = watch::channel(false);
        let (engine, tcp, udp, served) = runtime.block_on(async {
            let kv = Kv::simulated(&Simulation::new(1));
            let engine = Engine::on_within(kv, memory).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
            let (tcp, udp) = (listener.local_addr().unwrap(), socket.local_addr().unwrap());
            let options = syslog::Options {
                namespace: namespace(),
                places: Places::new(10),
            };
            let served = tokio::spawn(syslog::serve(socket, listener, engine.clone(), options, stopped));
            (engine, tcp, udp, served)
        });
        Server {
            runtime,
            engine,
            tcp,
            udp,
            stop,
            served,
        }
    }

    fn count(&self) -> u64 {
        let report = self.runtime.block_on(async {
            let collection = self.engine.revisioned(&namespace()).ok().flatten()?;
            collection.report().await.ok()
        });
        report.map_or(0, |report| report.documents)
    }

    fn wait_for(&self, count: u64) {
        let begun = Instant::now();
        while self.count() < count {
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "{} of {count}",
                self.count()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(self.count(), count);
    }

    /// Stops the server, which writes everything that was handed in.
    fn end(self) {
        self.stop.send_replace(true);
        self.runtime.block_on(self.served).unwrap();
    }
}

#[test]
fn datagrams_lines_and_counted_messages_are_kept() {
    let server = Server::start();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket
        .send_to(b"<34>Oct 11 22:14:15 host su: 'su root' failed", server.udp)
        .unwrap();
    server.wait_for(1);
    let mut stream = TcpStream::connect(server.tcp).unwrap();
    stream
        .write_all(b"<13>1 2024-01-01T00:00:00Z host app 1 - - one\n9 <13>two\nx<13>three")
        .unwrap();
    drop(stream);
    server.wait_for(4);
    server.end();
}

#[test]
fn relp_acknowledges_what_is_kept() {
    let server = Server::start();
    let mut stream = TcpStream::connect(server.tcp).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut said = String::new();
    let mut ask = |frames: &str, until: &str| {
        stream.write_all(frames.as_bytes()).unwrap();
        let mut bytes = [0; 1024];
        while !said.contains(until) {
            let read = stream.read(&mut bytes).unwrap();
            assert!(read > 0, "{said}");
            said.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
        }
    };
    ask("1 open 34 relp_version=0\ncommands=syslog\nx=y\n", "1 rsp ");
    ask("2 syslog 7 <13>one\n3 syslog 7 <13>two\n", "3 rsp 6 200 OK\n");
    // They are there as soon as they are acknowledged.
    assert_eq!(server.count(), 2);
    ask("4 dance 0\n", "4 rsp 19 500 unknown command\n");
    ask("5 close 0\n", "0 serverclose 0\n");
    server.end();
}

#[test]
fn messages_before_a_malformed_frame_are_acknowledged() {
    let server = Server::start();
    let mut stream = TcpStream::connect(server.tcp).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
        .write_all(b"1 open 0\n2 syslog 7 <13>one\n3 syslog 999999999 ")
        .unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.contains("2 rsp 6 200 OK\n"), "{said}");
    assert_eq!(server.count(), 1);
    server.end();
}

#[test]
fn a_message_that_is_refused_keeps_no_other_out() {
    let server = Server::start();
    let request = engine::CreateRequest {
        options: doc! {"validator": {"message": {"$ne": "no"}}},
        ..engine::CreateRequest::default()
    };
    let namespace = namespace();
    let created = server.engine.create_collection(&namespace, request);
    server.runtime.block_on(created).unwrap();
    let mut stream = TcpStream::connect(server.tcp).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
        .write_all(
            b"1 open 0\n2 syslog 7 <13>one\n3 syslog 6 <13>no\n4 syslog 0\n5 syslog 7 <13>two\n6 close 0\n",
        )
        .unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    for (number, code) in [(2, "200"), (3, "500"), (4, "200"), (5, "200")] {
        let answers: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with(&format!("{number} rsp ")))
            .collect();
        assert_eq!(answers.len(), 1, "{said}");
        assert_eq!(answers[0].split(' ').nth(3), Some(code), "{said}");
    }
    assert_eq!(server.count(), 2);
    server.end();
}

#[test]
fn hostile_connections_are_closed() {
    let server = Server::start();
    for bytes in [&b"999999999 <13>"[..], b"1 open 0\n2 syslog 999999999 "] {
        let mut stream = TcpStream::connect(server.tcp).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(bytes).unwrap();
        let mut rest = Vec::new();
        // The connection may be reset, because not everything was read.
        drop(stream.read_to_end(&mut rest));
    }
    assert_eq!(server.count(), 0);
    server.end();
}

#[test]
fn half_messages_make_room_for_whole_ones() {
    let budget = Budget::new(1 << 20);
    let limit = budget.limit(Holder::Syslog);
    let server = Server::within(budget.clone());
    let half = [b"<13>".as_slice(), &vec![b'x'; limit / 4]].concat();
    let mut halves = Vec::new();
    for _ in 0..6 {
        let mut stream = TcpStream::connect(server.tcp).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(&half).unwrap();
        halves.push(stream);
    }
    let mut stream = TcpStream::connect(server.tcp).unwrap();
    stream.write_all(b"<13>whole\n").unwrap();
    // What was begun and did not go on is kept as far as it came, and its connection closed.
    let begun = Instant::now();
    while server.count() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(10));
    }
    let held = budget
        .usage()
        .into_iter()
        .find(|usage| usage.holder == Holder::Syslog);
    let held = held.unwrap();
    // Documents take a little more than what they came as.
    assert!(held.held_bytes_max <= 2 * limit, "{held:?}");
    drop(halves);
    server.end();
}
