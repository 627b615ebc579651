//! Messages of syslog that others send: datagrams, connections, a socket in the file system.
//!
//! None of these is acknowledged, so what comes while the agent does not run, or while a full spool makes it wait, is lost:
//! datagrams at once, on connections what the sender does not keep.

mod framing;

pub use framing::Framed;

use super::Intake;
use super::collected::Collected;
use super::stream::{Splitter, Stream};
use crate::config::{Source, Syslog};
use anyhow::{Context, Result};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;
use tokio::net::{TcpListener, UdpSocket, UnixDatagram};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Listens until it is time to end.
pub async fn run(mut intake: Intake, source: &Source, syslog: &Syslog) -> Result<()> {
    if intake.is_once {
        tracing::info!(
            source = intake.name,
            "messages that others send have no end: they are left out"
        );
        return Ok(());
    }
    let bytes_max = source.line_max.0 as usize;
    let mut listeners = JoinSet::new();
    if let Some(address) = syslog.udp {
        let socket = UdpSocket::bind(address)
            .await
            .with_context(|| format!("udp {address}"))?;
        tracing::info!(source = intake.name, address = %socket.local_addr()?, "syslog by datagrams");
        listeners.spawn(datagrams(intake.clone(), Socket::Udp(socket), bytes_max));
    }
    if let Some(path) = &syslog.unix {
        let socket = bind(path).with_context(|| format!("unix {}", path.display()))?;
        listeners.spawn(datagrams(intake.clone(), Socket::Unix(socket), bytes_max));
    }
    if let Some(address) = syslog.tcp {
        let listener = TcpListener::bind(address)
            .await
            .with_context(|| format!("tcp {address}"))?;
        tracing::info!(source = intake.name, address = %listener.local_addr()?, "syslog by connections");
        let places = Arc::new(Semaphore::new(syslog.connections_max));
        listeners.spawn(accept(intake.clone(), source.clone(), listener, places));
    }
    intake.stopped().await;
    while listeners.join_next().await.is_some() {}
    Ok(())
}

/// A socket in the file system; one that an earlier agent left is replaced.
fn bind(path: &Path) -> io::Result<UnixDatagram> {
    if path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.file_type().is_socket())
    {
        std::fs::remove_file(path)?;
    }
    let socket = UnixDatagram::bind(path)?;
    // Every program may log.
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o666))?;
    Ok(socket)
}

enum Socket {
    Udp(UdpSocket),
    Unix(UnixDatagram),
}

impl Socket {
    async fn recv(&self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Udp(socket) => socket.recv(into).await,
            Socket::Unix(socket) => socket.recv(into).await,
        }
    }
}

async fn datagrams(mut intake: Intake, socket: Socket, bytes_max: usize) {
    let mut collected = Collected::default();
    // One byte more shows that a datagram is longer than a line may be.
    let mut bytes = vec![0; bytes_max + 1];
    loop {
        tokio::select! {
            received = socket.recv(&mut bytes) => match received {
                Ok(count) => {
                    let text = String::from_utf8_lossy(&bytes[..count.min(bytes_max)]);
                    let text = text.trim_end_matches(['\n', '\r', '\0']);
                    collected_text(&mut collected, &intake, text, count > bytes_max);
                }
                Err(error) => tracing::debug!(%error, "a datagram was not received"),
            },
            () = collected.due() => if !collected.give(&mut intake).await {
                return;
            },
            () = intake.stopped() => return collected.give_last(&mut intake).await,
        }
        if collected.is_full() && !collected.give(&mut intake).await {
            return;
        }
    }
}

fn collected_text(collected: &mut Collected, intake: &Intake, text: &str, is_cut: bool) {
    if !text.is_empty()
        && let Some(record) = intake.processor.text(text, is_cut)
    {
        collected.push(record);
    }
}

async fn accept(mut intake: Intake, source: Source, listener: TcpListener, places: Arc<Semaphore>) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            // Further connections wait until one of these ends.
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        tokio::select! {
            (place, accepted) = accepted => match accepted {
                Ok((mut connection, peer)) => {
                    let (mut intake, source) = (intake.clone(), source.clone());
                    connections.spawn(async move {
                        let splitter = Splitter::Framed(Framed::new(source.line_max.0 as usize));
                        let ended = match Stream::of_lines(&source) {
                            Ok(stream) => stream.split_by(splitter).run(&mut connection, &mut intake).await,
                            Err(error) => Err(io::Error::other(error.to_string())),
                        };
                        if let Err(error) = ended {
                            tracing::debug!(%peer, %error, "a connection broke");
                        }
                        drop(place);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    drop(place);
                    if !intake.pause(std::time::Duration::from_millis(100)).await {
                        break;
                    }
                }
            },
            () = intake.stopped() => break,
        }
        while connections.try_join_next().is_some() {}
    }
    while connections.join_next().await.is_some() {}
}
