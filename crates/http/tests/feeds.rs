//! Answers without an end, as clients see them.

use http::{Body, BodySender, Handler, Options, Request, Response, serve};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// How long a busy machine may take for what an idle one does at once.
const SOON: Duration = Duration::from_secs(60);

/// Answers `/feed` with a feed, which the test is handed, and all else with the path.
struct Feeds(mpsc::UnboundedSender<BodySender>);

impl Handler for Feeds {
    async fn handle(&self, request: Request) -> Response {
        if request.path() != "/feed" {
            return Response::new(Body::from(request.path().to_owned()));
        }
        let (sender, body) = Body::feed();
        self.0.send(sender).expect("the test goes on");
        Response::new(body)
    }
}

struct Server {
    address: SocketAddr,
    feeds: mpsc::UnboundedReceiver<BodySender>,
    _stop: watch::Sender<bool>,
}

async fn start() -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let (_stop, stopped) = watch::channel(false);
    let (sender, feeds) = mpsc::unbounded_channel();
    tokio::spawn(serve(
        listener,
        Arc::new(Feeds(sender)),
        Options::default(),
        stopped,
    ));
    Server {
        address,
        feeds,
        _stop,
    }
}

impl Server {
    /// A client that has sent these bytes.
    async fn asked(&self, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.expect("listening");
        stream.write_all(bytes.as_bytes()).await.expect("sent");
        stream
    }

    async fn feed(&mut self) -> BodySender {
        let feed = timeout(SOON, self.feeds.recv()).await;
        feed.expect("in time").expect("a feed was asked for")
    }
}

fn request(path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\n{more}\r\n")
}

async fn rest(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let read = timeout(SOON, stream.read_to_end(&mut answer)).await;
    read.expect("in time").expect("no reset");
    String::from_utf8(answer).expect("text")
}

#[tokio::test]
async fn requests_before_and_after_a_feed_are_answered_on_its_connection() {
    let mut server = start().await;
    let asked = [
        request("/before", ""),
        request("/feed", ""),
        request("/\"after\"", ""),
        request("/last", "Connection: close\r\n"),
    ];
    let stream = server.asked(&asked.concat()).await;
    let feed = server.feed().await;
    assert!(feed.send("one").await && feed.send("two").await);
    drop(feed);
    let answer = rest(stream).await;
    let places: Vec<_> = [
        "/before",
        "Transfer-Encoding: chunked",
        "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n",
    ]
    .into_iter()
    .chain(["after", "/last"])
    .map(|part| {
        answer
            .find(part)
            .unwrap_or_else(|| panic!("no {part} in {answer}"))
    })
    .collect();
    assert!(places.is_sorted(), "{answer}");
    assert_eq!(answer.matches("HTTP/1.1 200 OK\r\n").count(), 4, "{answer}");
    assert_eq!(answer.matches("\r\nDate: ").count(), 4, "{answer}");
}

#[tokio::test]
async fn a_request_that_comes_during_a_feed_is_answered_after_it() {
    let mut server = start().await;
    let mut stream = server.asked(&request("/feed", "")).await;
    let feed = server.feed().await;
    assert!(feed.send("one").await);
    let next = request("/\"next\"", "Connection: close\r\n");
    let (first, second) = next.split_at(6);
    stream.write_all(first.as_bytes()).await.expect("sent");
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(feed);
    stream.write_all(second.as_bytes()).await.expect("sent");
    let answer = rest(stream).await;
    assert!(answer.contains("0\r\n\r\nHTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with("/%22next%22"), "{answer}");
}

#[tokio::test]
async fn the_connection_closes_after_a_feed_where_the_client_wants_no_more() {
    let mut server = start().await;
    let stream = server.asked(&request("/feed", "Connection: close\r\n")).await;
    let feed = server.feed().await;
    assert!(feed.send("one").await);
    drop(feed);
    let answer = rest(stream).await;
    assert!(answer.contains("Connection: close"), "{answer}");
    assert!(answer.ends_with("3\r\none\r\n0\r\n\r\n"), "{answer}");
}

#[tokio::test]
async fn a_feed_that_is_given_up_has_no_end() {
    let mut server = start().await;
    let stream = server.asked(&request("/feed", "")).await;
    let feed = server.feed().await;
    assert!(feed.send("one").await);
    feed.give_up().await;
    assert!(rest(stream).await.ends_with("3\r\none\r\n"));
}

#[tokio::test]
async fn older_clients_and_those_who_ask_for_the_head_alone_get_theirs() {
    let mut server = start().await;
    let stream = server.asked("GET /feed HTTP/1.0\r\n\r\n").await;
    let feed = server.feed().await;
    assert!(feed.send("one").await);
    drop(feed);
    assert!(rest(stream).await.ends_with("\r\n\r\none"));
    let head = "HEAD /feed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let answer = rest(server.asked(head).await).await;
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
}

#[tokio::test]
async fn a_feed_asks_for_nothing_while_its_client_does_not_read() {
    const PIECE: &[u8] = &[b'x'; 8192];
    let mut server = start().await;
    let mut stream = server.asked(&request("/feed", "")).await;
    let feed = server.feed().await;
    let mut given = 0;
    loop {
        match timeout(Duration::from_millis(500), feed.room()).await {
            Ok(is_there) => {
                assert!(is_there && feed.send(PIECE).await);
                given += PIECE.len();
            }
            Err(_) if given > 0 && !feed.has_room() => break,
            // The machine had something else to do.
            Err(_) => {}
        }
    }
    // Everything given is in the system's buffers: the server holds nothing, and continues once the client reads.
    let mut read = 0;
    let mut buffer = vec![0; 64 * 1024];
    while read < given {
        read += timeout(SOON, stream.read(&mut buffer))
            .await
            .expect("in time")
            .expect("more");
    }
    assert!(timeout(SOON, feed.room()).await.expect("in time"));
    assert!(feed.send("more").await);
}

#[tokio::test]
async fn a_feed_notices_that_its_client_has_gone() {
    let mut server = start().await;
    for is_stalled in [false, true] {
        let stream = server.asked(&request("/feed", "")).await;
        let feed = server.feed().await;
        while is_stalled && timeout(Duration::from_millis(500), feed.room()).await.is_ok() {
            assert!(feed.send(vec![b'x'; 8192]).await);
        }
        assert!(!feed.is_closed());
        drop(stream);
        timeout(SOON, feed.closed()).await.expect("in time");
        assert!(!feed.send("more").await);
    }
}
