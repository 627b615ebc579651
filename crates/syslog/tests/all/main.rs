//! Messages over every way, and what is in the collection then.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use engine::{Engine, Namespace};
use kv::{Kv, Simulation};
use net::Places;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

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
        let runtime = Runtime::new().unwrap();
        let (stop, stopped) = watch::channel(false);
        let (engine, tcp, udp, served) = runtime.block_on(async {
            let engine = Engine::on(Kv::simulated(&Simulation::new(1))).await.unwrap();
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

    /// Stops it; all that was handed in is written then.
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
fn hostile_connections_are_closed() {
    let server = Server::start();
    for bytes in [&b"999999999 <13>"[..], b"1 open 0\n2 syslog 999999999 "] {
        let mut stream = TcpStream::connect(server.tcp).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(bytes).unwrap();
        let mut rest = Vec::new();
        // It may be reset, since not all was read.
        drop(stream.read_to_end(&mut rest));
    }
    assert_eq!(server.count(), 0);
    server.end();
}
