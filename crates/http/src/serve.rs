//! Answering the requests of connections until asked to stop.

use crate::cookie;
use crate::intake::{Held, Intake};
use crate::linger::LingeringStream;
use crate::pace::Unsent;
use crate::target::EncodedTargets;
use crate::{Body, BodyError, Hosts, Request, RequestBody, Response};
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_TYPE, EXPECT, HOST, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use memory::Budget;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// What is sent ahead on the machine itself, where no distance is to be bridged: the kernel's megabytes a connection would put
/// each other out of the processor's caches, and large bodies to many clients take twice as long.
const LOOPBACK_SEND_BYTES: usize = 128 * 1024;

/// Connections at once, where nobody says how many.
const CONNECTIONS_MAX: usize = 20_000;

/// What a client is told while all places are taken.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n\
    Content-Type: application/json\r\nContent-Length: 82\r\n\r\n\
    {\"error\":\"unavailable\",\"reason\":\"too many connections are open; try again later\"}\n";

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Connections at once, of all listeners that share these places; further ones are answered with 503.
    pub places: net::Places,
    /// The bytes of a request's line and headers, and of the buffer through which bodies come; at least 8 kB.
    pub head_bytes_max: usize,
    /// The headers of one request.
    pub headers_max: usize,
    /// How long a connection may take to send the head of its next request, idle time included.
    pub head_time_max: Duration,
    /// How long nothing of a body may come while it is read.
    pub body_idle_time_max: Duration,
    /// From what bodies take memory that are read whole.
    pub memory: Budget,
    /// The names under which a server without users may be asked, besides the machine's own.
    pub hosts: Hosts,
    /// How long connections may take to end their requests when the server stops.
    pub stop_time_max: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            places: net::Places::new(CONNECTIONS_MAX),
            head_bytes_max: 128 * 1024,
            headers_max: 100,
            head_time_max: Duration::from_secs(60),
            body_idle_time_max: Duration::from_secs(60),
            memory: Budget::default(),
            hosts: Hosts::default(),
            stop_time_max: Duration::from_secs(10),
        }
    }
}

/// Answers requests.
pub trait Handler: Send + Sync + 'static {
    /// The answer to one request. It ends early where the client goes away meanwhile.
    fn handle(&self, request: Request) -> impl Future<Output = Response> + Send;
}

/// Serves until `stop` becomes true; then lets the requests under way end and closes all connections. Bodies that would
/// never end by themselves have to be ended by whoever sends them.
pub async fn serve(
    listener: impl Into<net::Listener>,
    handler: Arc<impl Handler>,
    options: Options,
    stop: watch::Receiver<bool>,
) {
    let limits = net::Limits {
        places: options.places.clone(),
        refusal: FULL,
        stop_time_max: options.stop_time_max,
    };
    let builder = builder(&options);
    let stopping = stop.clone();
    let reading = Reading {
        idle_time_max: options.body_idle_time_max,
        memory: options.memory.clone(),
    };
    let connect = move |stream, peer| {
        let (builder, handler, stopping) = (builder.clone(), handler.clone(), stopping.clone());
        connection(builder, stream, peer, handler, reading.clone(), stopping)
    };
    net::serve(listener, limits, stop, connect).await;
}

/// How bodies are read.
#[derive(Clone, Debug)]
struct Reading {
    idle_time_max: Duration,
    memory: Budget,
}

fn builder(options: &Options) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_time_max)
        .max_headers(options.headers_max)
        .max_buf_size(options.head_bytes_max)
        // Bodies are sent from where they lie; to collect pipelined answers would mean to copy each of them.
        .writev(true)
        .half_close(false);
    builder
}

async fn connection(
    builder: http1::Builder,
    stream: net::Stream,
    peer: SocketAddr,
    handler: Arc<impl Handler>,
    reading: Reading,
    mut stop: watch::Receiver<bool>,
) {
    if let Err(error) = prepare(&stream, peer) {
        tracing::debug!(%peer, %error, "the connection ended before it began");
        return;
    }
    let is_secure = stream.is_secure();
    let is_stopping = Arc::new(AtomicBool::new(false));
    let unsent = Unsent::default();
    let stream = LingeringStream::new(stream, is_stopping.clone(), unsent.clone());
    let (stream, announced) = EncodedTargets::new(stream);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        // At once, before anything more is read from the connection.
        announced.body(request.body().size_hint().exact());
        let answered = answer(&*handler, request, peer, &reading);
        let unsent = unsent.clone();
        async move {
            answered.await.map(|mut response| {
                if is_secure {
                    cookie::keep_secure(response.headers_mut());
                }
                response.map(|body| unsent.pace(body))
            })
        }
    });
    let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = &mut served => ended,
        () = net::stopped(&mut stop) => {
            is_stopping.store(true, Ordering::Relaxed);
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "closed");
    }
}

fn prepare(stream: &net::Stream, peer: SocketAddr) -> std::io::Result<()> {
    if peer.ip().to_canonical().is_loopback() {
        socket2::SockRef::from(stream.tcp()).set_send_buffer_size(LOOPBACK_SEND_BYTES)?;
    }
    Ok(())
}

async fn answer(
    handler: &impl Handler,
    request: hyper::Request<Incoming>,
    peer: SocketAddr,
    reading: &Reading,
) -> Result<Response, Infallible> {
    // One that says nowhere, or in two ways, whom it means (RFC 9112, section 3.2).
    if request.version() == Version::HTTP_11 && request.headers().get_all(HOST).iter().count() != 1 {
        return Ok(refused(
            StatusCode::BAD_REQUEST,
            "{\"error\":\"bad_request\",\"reason\":\"a request has exactly one Host header\"}\n",
        ));
    }
    // What is expected and not known cannot be met (RFC 9110, section 10.1.1).
    let is_known = |wanted: &HeaderValue| wanted.as_bytes().eq_ignore_ascii_case(b"100-continue");
    if !request.headers().get_all(EXPECT).iter().all(is_known) {
        return Ok(refused(
            StatusCode::EXPECTATION_FAILED,
            "{\"error\":\"expectation_failed\",\"reason\":\"only 100-continue can be expected\"}\n",
        ));
    }
    let (head, body) = request.into_parts();
    let held = Held::default();
    let request = Request {
        method: head.method,
        uri: head.uri,
        headers: head.headers,
        body: RequestBody::of_request(body, Intake::new(&reading.memory, reading.idle_time_max, &held)),
        peer,
    };
    let answer = handler.handle(request).await;
    // What was made of the body is gone.
    drop(held);
    Ok(answer)
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
