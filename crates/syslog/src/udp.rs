//! Messages as datagrams.

use crate::writer::Writer;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::watch;

/// The most datagrams that are received and passed on together.
const TOGETHER_MAX: usize = 256;
/// The pause after an error: while a network is down, the next receive fails likewise.
const FAILED_PAUSE: Duration = Duration::from_millis(10);
/// The largest datagram that there is.
const DATAGRAM_BYTES_MAX: usize = 65_535;

pub(crate) async fn run(socket: UdpSocket, writer: Writer, mut stop: watch::Receiver<bool>) {
    let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
    loop {
        let received = tokio::select! {
            received = socket.recv_from(&mut buffer) => received,
            () = net::stopped(&mut stop) => return,
        };
        let mut documents = Vec::new();
        match received {
            Ok((bytes, _)) => documents.extend(writer.document(&buffer[..bytes])),
            // The socket stays usable: such errors are of one peer, or of a network that is down.
            Err(error) => {
                tracing::debug!(%error, "a datagram could not be received");
                tokio::time::sleep(FAILED_PAUSE).await;
                continue;
            }
        }
        // Nothing is kept of empty datagrams, and there may be no end of them.
        for _ in 1..TOGETHER_MAX {
            match socket.try_recv_from(&mut buffer) {
                Ok((bytes, _)) => documents.extend(writer.document(&buffer[..bytes])),
                // Nothing more has come, or there was an error, which ends this round alone.
                Err(_) => break,
            }
        }
        if !documents.is_empty() {
            writer.offer(documents);
        }
    }
}
