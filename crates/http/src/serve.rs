//! Answering the requests of connections until asked to stop.

use crate::connection::{self, Answering, Reading};
use crate::{Aside, Hosts, Request, Response};
use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use memory::Budget;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Connections at once by default.
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
    /// The budget for bodies that are read whole.
    pub memory: Budget,
    /// Where long answers go that their clients are slow to take, while others wait for memory; `None` if they stay in memory.
    pub aside: Option<Aside>,
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
            aside: None,
            hosts: Hosts::default(),
            stop_time_max: Duration::from_secs(10),
        }
    }
}

/// Answers requests.
pub trait Handler: Send + Sync + 'static {
    /// The answer to one request. The future is dropped if the client goes away meanwhile.
    fn handle(&self, request: Request) -> impl Future<Output = Response> + Send;
}

/// Serves until `stop` becomes true; then lets the requests under way end and closes all connections. Bodies that would
/// never end by themselves have to be ended by their senders.
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
    let answering = Arc::new(Answering {
        builder: builder(&options),
        handler,
        reading: Reading {
            idle_time_max: options.body_idle_time_max,
            memory: options.memory,
            aside: options.aside,
        },
    });
    let stopping = stop.clone();
    let connect = move |stream, peer| connection::serve(answering.clone(), stream, peer, stopping.clone());
    net::serve(listener, limits, stop, connect).await;
}

fn builder(options: &Options) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_time_max)
        .max_headers(options.headers_max)
        .max_buf_size(options.head_bytes_max)
        .title_case_headers(true)
        // Bodies are sent from where they lie; to collect pipelined answers would mean to copy each of them.
        .writev(true)
        .half_close(false);
    builder
}
