//! Messages as datagrams.

use crate::writer::Writer;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::watch;

/// Datagrams that are received, and handed in, together at most.
const TOGETHER_MAX: usize = 256;
/// After an error the next may be the same, such as of a network that is down.
const FAILED_PAUSE: Duration = Duration::from_millis(10);
/// The largest that there is.
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
            // An answer to nothing that was sent: such errors are of one peer.
            Err(error) => {
                tracing::debug!(%error, "a datagram could not be received");
                tokio::time::sleep(FAILED_PAUSE).await;
                continue;
            }
        }
        // Of empty ones nothing is kept, and there may be no end of them.
        for _ in 1..TOGETHER_MAX {
            match socket.try_recv_from(&mut buffer) {
                Ok((bytes, _)) => documents.extend(writer.document(&buffer[..bytes])),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => break,
            }
        }
        if !documents.is_empty() {
            writer.offer(documents);
        }
    }
}
