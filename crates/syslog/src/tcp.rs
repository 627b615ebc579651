//! Connections: lines, counted messages, or RELP, as the first bytes show.

use crate::frames::{self, Frame};
use crate::intake::{Came, Intake};
use crate::relp;
use crate::writer::Writer;
use bytes::BytesMut;
use net::Stream;
use std::net::SocketAddr;
use tokio::sync::watch;

/// What RELP's clients are told at the beginning.
const OFFER: &str = "200 OK\nrelp_version=0\nrelp_software=larder\ncommands=syslog";

pub(crate) async fn run(stream: Stream, peer: SocketAddr, writer: Writer, mut stop: watch::Receiver<bool>) {
    let mut intake = Intake::new(&stream, writer.memory());
    let mut is_relp = None;
    loop {
        let came = tokio::select! {
            came = intake.more() => came,
            () = net::stopped(&mut stop) => Came::End,
        };
        let buffer = &mut intake.buffer;
        is_relp = is_relp.or_else(|| relp::begins(buffer));
        let before = buffer.len();
        let goes_on = match is_relp {
            Some(true) => acknowledged(&stream, buffer, &writer).await,
            Some(false) => plain(buffer, &writer).await,
            None => Ok(()),
        };
        let is_taken = buffer.len() < before;
        if let Err(reason) = goes_on {
            tracing::debug!(%peer, reason, "a connection of syslog is closed");
            return;
        }
        if is_taken {
            intake.taken();
        }
        match came {
            Came::Bytes => continue,
            Came::End => {}
            Came::Late => tracing::debug!(%peer, "a connection of syslog is closed: a message did not go on"),
        }
        // The last line needs no end.
        let rest = intake.into_rest();
        if is_relp != Some(true)
            && let Some(document) = writer.document(frames::rest(&rest))
        {
            writer.send(vec![document]).await;
        }
        return;
    }
}

async fn plain(buffer: &mut BytesMut, writer: &Writer) -> Result<(), &'static str> {
    let mut documents = Vec::new();
    let end = loop {
        match frames::next(buffer) {
            Frame::Message(message) => documents.extend(writer.document(&message)),
            end => break end,
        }
    };
    if !documents.is_empty() {
        writer.send(documents).await;
    }
    match end {
        Frame::TooLong => {
            writer.refused();
            Err("a message is too long")
        }
        _ => Ok(()),
    }
}

async fn acknowledged(stream: &Stream, buffer: &mut BytesMut, writer: &Writer) -> Result<(), &'static str> {
    let (mut documents, mut asked) = (Vec::new(), Vec::new());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut end = Ok(());
    loop {
        let frame = match relp::next(buffer) {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            // What came before the wrong frame is kept and acknowledged all the same: otherwise the client would send it again,
            // with the same frame after it.
            Err(reason) => {
                end = Err(reason);
                break;
            }
        };
        match frame.command.as_str() {
            "open" => relp::answer(frame.number, OFFER, &mut before),
            "syslog" => {
                let document = writer.document(&frame.data);
                // An empty message has nothing to keep.
                asked.push((frame.number, document.is_some().then_some(documents.len())));
                documents.extend(document);
            }
            "close" => {
                relp::answer(frame.number, "", &mut after);
                after.extend_from_slice(b"0 serverclose 0\n");
                end = Err("the client has ended it");
                break;
            }
            _ => relp::answer(frame.number, "500 unknown command", &mut after),
        }
    }
    let kept = match documents.is_empty() {
        true => Vec::new(),
        false => writer.keep(documents).await,
    };
    for (number, place) in asked {
        let said = match place.is_none_or(|place| kept.get(place) == Some(&true)) {
            true => "200 OK",
            false => "500 the message could not be written",
        };
        relp::answer(number, said, &mut before);
    }
    before.append(&mut after);
    if !before.is_empty() && (stream.send(&before).await.is_err() || stream.flush().await.is_err()) {
        return Err("the client does not listen");
    }
    end
}
