//! A listener from its first connection to its stop.

use net::{Limits, Places, Stream, serve, stopped};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    served: JoinHandle<()>,
}

impl Server {
    /// Echoes bytes. `!` makes the handler panic; after `+` a connection stays open although the server stops.
    async fn start(limits: Limits) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (stop, stopping) = watch::channel(false);
        let connect = {
            let stopping = stopping.clone();
            move |stream, _peer| echo(stream, stopping.clone())
        };
        let served = tokio::spawn(serve(listener, limits, stopping, connect));
        Server {
            address,
            stop,
            served,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("listening")
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        self.served.await.expect("serving ends in order");
    }
}

async fn echo(mut stream: Stream, mut stop: watch::Receiver<bool>) {
    let mut stays = false;
    loop {
        let byte = tokio::select! {
            byte = stream.read_u8() => byte,
            () = stopped(&mut stop), if !stays => return,
        };
        match byte {
            Ok(b'!') => panic!("asked to"),
            Ok(byte) => {
                stays |= byte == b'+';
                stream.write_u8(byte).await.expect("the client waits");
            }
            Err(_) => return,
        }
    }
}

/// Whether the connection answers; false where it was closed instead.
async fn answers(stream: &mut TcpStream, byte: u8) -> bool {
    let sent = stream.write_u8(byte).await;
    sent.is_ok() && stream.read_u8().await.is_ok_and(|answer| answer == byte)
}

fn limits() -> Limits {
    Limits {
        places: Places::new(2),
        refusal: b"",
        stop_time_max: Duration::from_secs(60),
    }
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_and_room_is_made_by_those_that_end() {
    let server = Server::start(limits()).await;
    let (mut first, mut second) = (server.connect().await, server.connect().await);
    assert!(answers(&mut first, 1).await && answers(&mut second, 2).await);
    assert!(!answers(&mut server.connect().await, 3).await);
    drop(first);
    while !answers(&mut server.connect().await, 4).await {}
    assert!(answers(&mut second, 5).await);
    server.stop().await;
}

#[tokio::test]
async fn listeners_that_share_places_are_full_together_and_say_so_in_their_own_words() {
    let places = Places::new(1);
    let of = |refusal| Limits {
        places: places.clone(),
        refusal,
        ..limits()
    };
    let (silent, polite) = (Server::start(of(b"")).await, Server::start(of(b"full")).await);
    let mut first = silent.connect().await;
    assert!(answers(&mut first, 1).await);
    assert_eq!((places.max(), places.free()), (1, 0));

    let mut refused = polite.connect().await;
    // What a client says before it listens does not take the answer away from it.
    refused.write_all(b"hello").await.expect("open");
    let mut told = Vec::new();
    refused.read_to_end(&mut told).await.expect("closed in order");
    assert_eq!(told, b"full");
    assert!(!answers(&mut silent.connect().await, 2).await);

    drop(first);
    while !answers(&mut polite.connect().await, 3).await {}
    silent.stop().await;
    polite.stop().await;
}

#[tokio::test]
async fn a_mistake_on_one_connection_leaves_the_others() {
    let server = Server::start(limits()).await;
    let mut other = server.connect().await;
    assert!(answers(&mut other, 1).await);
    assert!(!answers(&mut server.connect().await, b'!').await);
    assert!(answers(&mut other, 2).await);
    server.stop().await;
}

#[tokio::test]
async fn a_stop_waits_for_what_is_under_way() {
    let server = Server::start(limits()).await;
    let (mut idle, mut busy) = (server.connect().await, server.connect().await);
    assert!(answers(&mut idle, 1).await && answers(&mut busy, b'+').await);
    server.stop.send_replace(true);
    assert!(idle.read_u8().await.is_err());
    assert!(TcpStream::connect(server.address).await.is_err());
    assert!(answers(&mut busy, 2).await && !server.served.is_finished());
    drop(busy);
    server.stop().await;
}

#[tokio::test]
async fn a_stop_cuts_off_what_takes_too_long() {
    let server = Server::start(Limits {
        stop_time_max: Duration::from_millis(20),
        ..limits()
    })
    .await;
    let mut busy = server.connect().await;
    assert!(answers(&mut busy, b'+').await);
    server.stop().await;
    assert!(busy.read_u8().await.is_err());
}

#[tokio::test]
async fn clients_of_the_older_protocol_have_their_own_address_on_a_listener_of_both() {
    // Not every machine has the newer one.
    let Ok(listener) = TcpListener::bind("[::]:0").await else {
        return;
    };
    let port = listener.local_addr().expect("bound").port();
    let (_stop, stopping) = watch::channel(false);
    let connect = |mut stream: Stream, peer: SocketAddr| async move {
        let is_local = u8::from(peer.ip().is_loopback());
        stream.write_u8(is_local).await.expect("the client waits");
    };
    let served = tokio::spawn(serve(listener, limits(), stopping, connect));
    // One that takes clients of the newer protocol alone has none of these.
    if let Ok(mut client) = TcpStream::connect(("127.0.0.1", port)).await {
        assert_eq!(client.read_u8().await.expect("told"), 1);
    }
    served.abort();
}
