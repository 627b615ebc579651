//! One connection: requests are read and answered by hyper, and feeds are sent without it.

use crate::cookie;
use crate::feed::{Connection, Feed, FeedError};
use crate::intake::{Held, Intake};
use crate::linger::LingeringStream;
use crate::pace::Unsent;
use crate::serve::Handler;
use crate::target::{Announced, EncodedTargets};
use crate::unread::ClientBody;
use crate::{Aside, Asker, Body, BodyError, Request, RequestBody, Response};
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, EXPECT, HOST, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, StatusCode, Version};
use hyper_util::rt::TokioIo;
use memory::{Budget, Share};
use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::watch;

/// What is sent ahead on the machine itself, where no distance is to be bridged: the kernel's megabytes a connection would put
/// each other out of the processor's caches, and large bodies to many clients take twice as long.
const LOOPBACK_SEND_BYTES: usize = 128 * 1024;

/// The same for feeds. There may be ten thousand that nobody reads, and the kernel's memory for all sockets together is bounded:
/// when it runs out, sockets take less than they say, and what they do not take stays here.
const LOOPBACK_FEED_SEND_BYTES: usize = 32 * 1024;

/// The most bytes of the state of a running request. It is moved as a whole before it runs, and half a megabyte takes longer to
/// move than most requests take to answer: a future that is passed by value takes room in each one that it goes through, twice.
const STATE_BYTES_MAX: usize = 24 * 1024;

/// How requests are answered.
#[derive(Debug)]
pub(crate) struct Answering<H> {
    pub(crate) builder: http1::Builder,
    pub(crate) handler: H,
    pub(crate) reading: Reading,
}

/// How bodies are read, and answers kept.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) idle_time_max: Duration,
    pub(crate) memory: Budget,
    /// Where long answers go that are not taken.
    pub(crate) aside: Option<Aside>,
}

/// What is known of a connection besides its bytes.
#[derive(Clone)]
struct Known {
    stream: Arc<net::Stream>,
    peer: SocketAddr,
    certified: Option<Arc<str>>,
    is_secure: bool,
    announced: Announced,
    unsent: Unsent,
    is_stopping: Arc<AtomicBool>,
    stop: watch::Receiver<bool>,
}

/// Answers the requests of a connection until it ends.
pub(crate) async fn serve<H: Handler>(
    answering: Arc<Answering<Arc<H>>>,
    stream: net::Stream,
    peer: SocketAddr,
    stop: watch::Receiver<bool>,
) {
    if let Err(error) = send_ahead(&stream, peer, LOOPBACK_SEND_BYTES) {
        tracing::debug!(%peer, %error, "the connection ended before it began");
        return;
    }
    let is_secure = stream.is_secure();
    let certified = stream
        .certified()
        .map(|client| Arc::from(client.subject.as_str()));
    let (is_stopping, unsent) = (Arc::new(AtomicBool::new(false)), Unsent::default());
    let stream = Arc::new(stream);
    let lingering = LingeringStream::new(stream.clone(), is_stopping.clone(), unsent.clone());
    let (mut connection, announced) = EncodedTargets::new(lingering, &answering.reading.memory);
    let known = Known {
        stream,
        peer,
        certified,
        is_secure,
        announced,
        unsent,
        is_stopping,
        stop,
    };
    // Boxed, so that what hyper needs is given back while a feed is sent.
    while let Some((given_back, feed)) = Box::pin(exchange(&answering, &known, connection)).await {
        connection = given_back;
        // If that fails, writing will fail as well.
        let _ = send_ahead(connection.inner().stream(), peer, LOOPBACK_FEED_SEND_BYTES);
        match feed.send(&mut connection).await {
            Ok(true) => {
                let _ = send_ahead(connection.inner().stream(), peer, LOOPBACK_SEND_BYTES);
            }
            Err(FeedError::Connection(_)) => return,
            Ok(false) | Err(FeedError::Body(_)) => {
                // There is nobody left to tell.
                let _ = connection.shutdown().await;
                return;
            }
        }
    }
}

/// Answers requests until the connection ends, or until an answer is a feed that is to be sent on it.
async fn exchange<H: Handler>(
    answering: &Answering<Arc<H>>,
    known: &Known,
    connection: Connection,
) -> Option<(Connection, Feed)> {
    let begun: Mutex<Option<Feed>> = Mutex::new(None);
    let feed = || begun.lock().unwrap_or_else(PoisonError::into_inner);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        // At once, before anything more is read from the connection.
        known.announced.body(request.body().size_hint().exact());
        let can_stream = request.version() == Version::HTTP_11 && request.method() != Method::HEAD;
        let is_last = is_close(request.headers());
        let answered = answer(&*answering.handler, request, known, &answering.reading);
        async move {
            let Ok(mut response) = answered.await;
            if known.is_secure {
                cookie::keep_secure(response.headers_mut());
            }
            let (parts, mut body) = response.into_parts();
            if can_stream {
                match body.into_feed() {
                    Ok(pieces) => {
                        known.unsent.begin();
                        let is_last = is_last || is_close(&parts.headers);
                        *feed() = Some(Feed::new(parts, pieces, is_last));
                        // hyper is not to answer it.
                        return pending().await;
                    }
                    Err(other) => body = other,
                }
            }
            Ok::<_, Infallible>(hyper::Response::from_parts(parts, known.unsent.pace(body)))
        }
    });
    let mut served = answering
        .builder
        .serve_connection(TokioIo::new(connection), service);
    let mut stop = known.stop.clone();
    let mut stopped = pin!(net::stopped(&mut stop));
    let ended = poll_fn(|context| {
        let is_stopping = known.is_stopping.load(Ordering::Relaxed);
        if !is_stopping && stopped.as_mut().poll(context).is_ready() {
            known.is_stopping.store(true, Ordering::Relaxed);
            Pin::new(&mut served).graceful_shutdown();
        }
        match Pin::new(&mut served).poll(context) {
            // The answers before it have to be sent first.
            Poll::Pending if feed().is_some() && known.unsent.is_flushed() => Poll::Ready(Ok(())),
            polled => polled,
        }
    })
    .await;
    if let Err(error) = ended {
        tracing::debug!(peer = %known.peer, %error, "closed");
    }
    let feed = feed().take()?;
    let parts = served.into_parts();
    let mut connection = parts.io.into_inner();
    connection.unread(&parts.read_buf);
    Some((connection, feed))
}

/// Whether no other request is to follow.
fn is_close(headers: &HeaderMap) -> bool {
    let mut words = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    words.any(|word| word.trim().eq_ignore_ascii_case("close"))
}

/// Bounds what is sent ahead of a client on the machine itself.
fn send_ahead(stream: &net::Stream, peer: SocketAddr, bytes: usize) -> std::io::Result<()> {
    if peer.ip().to_canonical().is_loopback() {
        socket2::SockRef::from(stream.tcp()).set_send_buffer_size(bytes)?;
    }
    Ok(())
}

async fn answer(
    handler: &impl Handler,
    request: hyper::Request<Incoming>,
    known: &Known,
    reading: &Reading,
) -> Result<Response, Infallible> {
    // A request that names no host, or more than one (RFC 9112, section 3.2).
    if request.version() == Version::HTTP_11 && request.headers().get_all(HOST).iter().count() != 1 {
        return Ok(refused(
            StatusCode::BAD_REQUEST,
            "{\"error\":\"bad_request\",\"reason\":\"a request has exactly one Host header\"}\n",
        ));
    }
    // An expectation that is not known cannot be met (RFC 9110, section 10.1.1).
    let is_known = |wanted: &HeaderValue| wanted.as_bytes().eq_ignore_ascii_case(b"100-continue");
    if !request.headers().get_all(EXPECT).iter().all(is_known) {
        return Ok(refused(
            StatusCode::EXPECTATION_FAILED,
            "{\"error\":\"expectation_failed\",\"reason\":\"only 100-continue can be expected\"}\n",
        ));
    }
    let (head, body) = request.into_parts();
    let held = Held::default();
    let is_asked_for = head.headers.contains_key(EXPECT);
    let (body, unread) = ClientBody::new(body);
    let request = Request {
        method: head.method,
        uri: head.uri,
        headers: head.headers,
        body: RequestBody::of_request(body, Intake::new(&reading.memory, reading.idle_time_max, &held)),
        peer: known.peer,
        asker: Asker::of(&known.stream),
        certified: known.certified.clone(),
    };
    let answer = boxed(handler.handle(request)).await;
    let memory = &reading.memory;
    // A feed, which may go on for days, counts by itself what it keeps.
    let brought_bytes = held
        .try_lock()
        .map_or(0, |share| share.as_ref().map_or(0, Share::bytes));
    let aside = reading.aside.as_ref();
    let mut answer = answer.map(|body| body.counted(memory, aside).holding(brought_bytes, memory));
    if !unread.ends(is_asked_for).await {
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(CONNECTION, close);
    }
    // What was made of the body is gone, or counted with the answer.
    drop(held);
    Ok(answer)
}

/// Boxes what a connection does now and then, so that an idle one is small.
fn boxed<F: Future>(work: F) -> Pin<Box<F>> {
    const {
        assert!(
            size_of::<F>() <= STATE_BYTES_MAX,
            "the state of a request is too large: pin what it awaits where it is made, or box it"
        );
    }
    Box::pin(work)
}

fn refused(status: StatusCode, body: &'static str) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// What hyper asks of bodies.
const _: fn() = || {
    fn check<B: hyper::body::Body<Error = BodyError> + Send>() {}
    check::<Body>();
};
