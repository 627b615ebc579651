//! Listeners for syslog: messages that come over UDP, TCP, TLS or RELP become documents of a collection.
//!
//! [`serve`] reads messages (a datagram, a line, or as many bytes as are announced), takes them apart by `logline`, and passes
//! them to one writer, which inserts together what has gathered. A client of RELP is told when a message is durable; others are
//! told nothing, and their messages that could not be kept are counted.
//!
//! What must hold: no bytes of a client cause a panic or unbounded memory; a message is acknowledged only when it is on the
//! disk; nothing is dropped that is not counted; what is under way is counted in the memory of [`memory::Holder::Syslog`],
//! and a message that does not go on ends its connection.
//!
//! Left to others: what messages look like (`logline`), connections and TLS (`net`).

mod frames;
mod intake;
mod relp;
mod tcp;
mod udp;
mod writer;

use bytes::{Bytes, BytesMut};
use engine::{Engine, Namespace};
use frames::Frame;
use net::{Limits, Listener, Places};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::watch;
use writer::Writer;

/// The most bytes of a message.
pub const MESSAGE_BYTES_MAX: usize = 256 << 10;

/// How long connections may take to end.
const STOP_TIME_MAX: Duration = Duration::from_secs(5);

/// Where messages come from, and where they go.
#[derive(Debug)]
pub struct Options {
    /// The collection that they are inserted into.
    pub namespace: Namespace,
    /// The places that connections take.
    pub places: Places,
}

/// The messages in the bytes of a connection, RELP's too; `None` if the bytes are wrong, so that the connection would be closed.
pub fn messages(bytes: &[u8]) -> Option<Vec<Bytes>> {
    let (mut buffer, mut messages) = (BytesMut::from(bytes), Vec::new());
    if relp::begins(bytes) == Some(true) {
        while let Some(frame) = relp::next(&mut buffer).ok()? {
            messages.push(frame.data);
        }
        return Some(messages);
    }
    loop {
        match frames::next(&mut buffer) {
            Frame::Message(message) => messages.push(message),
            Frame::Incomplete => return Some(messages),
            Frame::TooLong => return None,
        }
    }
}

/// Serves both until `stop` becomes true.
pub async fn serve(
    datagrams: UdpSocket,
    listener: impl Into<Listener>,
    engine: Engine,
    options: Options,
    stop: watch::Receiver<bool>,
) {
    let writer = Writer::start(engine, options.namespace);
    let limits = Limits {
        places: options.places,
        refusal: b"",
        stop_time_max: STOP_TIME_MAX,
    };
    let connected = {
        let (writer, stop) = (writer.clone(), stop.clone());
        move |stream, peer| tcp::run(stream, peer, writer.clone(), stop.clone())
    };
    tokio::join!(
        udp::run(datagrams, writer.clone(), stop.clone()),
        net::serve(listener, limits, stop, connected),
    );
    writer.end().await;
}
