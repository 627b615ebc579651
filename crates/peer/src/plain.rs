//! Attachments for peers that are not known to take them compressed.
//!
//! CouchDB takes attachments as another CouchDB stores them, compressed by gzip. Servers that only look like it (express-pouchdb)
//! would keep the compressed bytes as if they were the attachment, so for them they are decompressed on their way.

use crate::Result;
use bytes::Bytes;
use http::GzipDecoder;
use replicate::{FollowingAttachment, PeerError, PeerErrorKind, StreamedDocument};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tokio::sync::mpsc;

/// The member of a document that holds its attachments.
const MEMBER: &str = "_attachments";
/// The decompressed pieces that wait until they are sent.
const PIECES_WAITING_MAX: usize = 4;

/// The same document with its attachments decompressed. One that a client compressed itself without saying how long it was
/// stays as it is: the length of what is sent has to be known before.
pub(super) fn decoded(document: StreamedDocument) -> Result<StreamedDocument> {
    let mut members: BTreeMap<String, Box<RawValue>> =
        serde_json::from_slice(&document.json).map_err(wrong)?;
    let stubs = members
        .get(MEMBER)
        .map(|stubs| serde_json::from_str::<Map<String, Value>>(stubs.get()));
    let mut stubs = stubs.transpose().map_err(wrong)?.unwrap_or_default();
    let lengths: Vec<Option<u64>> = document
        .attachments
        .iter()
        .map(|attachment| plain_length(attachment, stubs.get_mut(&attachment.name)))
        .collect();
    if lengths.iter().all(Option::is_none) {
        return Ok(document);
    }
    let stubs = serde_json::value::to_raw_value(&stubs).map_err(wrong)?;
    members.insert(MEMBER.to_owned(), stubs);
    let json = serde_json::to_vec(&members).map_err(wrong)?;
    let (sender, pieces) = mpsc::channel(PIECES_WAITING_MAX);
    let mut attachments = document.attachments.clone();
    for (attachment, length) in attachments.iter_mut().zip(&lengths) {
        if let Some(length) = length {
            attachment.length = *length;
            attachment.is_encoded = false;
        }
    }
    tokio::spawn(decode_all(document.attachments, lengths, document.pieces, sender));
    Ok(StreamedDocument {
        id: document.id,
        revision: document.revision,
        json: Bytes::from(json),
        attachments,
        pieces,
    })
}

fn wrong(error: serde_json::Error) -> PeerError {
    PeerError::new(
        PeerErrorKind::Answer,
        format!("a document on its way is no JSON: {error}"),
    )
}

/// The length of an attachment that is to be decompressed; its stub forgets then how it was stored.
fn plain_length(attachment: &FollowingAttachment, stub: Option<&mut Value>) -> Option<u64> {
    let stub = stub?.as_object_mut()?;
    let length = stub.get("length")?.as_u64()?;
    if !attachment.is_encoded || length == attachment.length {
        return None;
    }
    for name in ["encoding", "encoded_length", "digest"] {
        stub.remove(name);
    }
    Some(length)
}

/// Decompresses the attachments that have a new length. What cannot be is cut off, so that it is not written.
async fn decode_all(
    attachments: Vec<FollowingAttachment>,
    lengths: Vec<Option<u64>>,
    mut pieces: mpsc::Receiver<Bytes>,
    sender: mpsc::Sender<Bytes>,
) {
    for (attachment, length) in attachments.iter().zip(lengths) {
        let mut decoder = length.map(|_| GzipDecoder::new());
        let mut rest = attachment.length;
        while rest > 0 {
            let Some(piece) = pieces.recv().await else {
                return;
            };
            rest = rest.saturating_sub(piece.len() as u64);
            let is_sent = match &mut decoder {
                None => sender.send(piece).await.is_ok(),
                Some(decoder) => {
                    decoder.feed(piece);
                    send_decoded(decoder, rest == 0, &sender).await
                }
            };
            if !is_sent {
                return;
            }
        }
    }
}

/// False where nobody takes it, or it cannot be decompressed.
async fn send_decoded(decoder: &mut GzipDecoder, is_last: bool, sender: &mpsc::Sender<Bytes>) -> bool {
    loop {
        match decoder.decoded() {
            Ok(Some(decoded)) => {
                if sender.send(decoded).await.is_err() {
                    return false;
                }
            }
            Ok(None) => break,
            Err(error) => {
                tracing::warn!(%error, "an attachment on its way is not the gzip that it is said to be");
                return false;
            }
        }
    }
    if !is_last {
        return true;
    }
    match decoder.finish() {
        Ok(Some(rest)) => sender.send(rest).await.is_ok(),
        Ok(None) => true,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn compressed_attachments_are_sent_decompressed() {
        // "plain plain plain" by gzip.
        let mut encoder = http::GzipEncoder::new(6);
        let mut encoded = encoder.encode(b"plain plain plain").expect("memory");
        encoded.extend(encoder.finish().expect("memory"));
        let length = encoded.len() as u64;
        let json = format!(
            r#"{{"_id":"a","n":1.50,"_attachments":{{"t":{{"follows":true,"length":17,"encoding":"gzip","encoded_length":{length},"digest":"md5-x"}}}}}}"#
        );
        let (sender, pieces) = mpsc::channel(100);
        for byte in encoded {
            sender.send(Bytes::from(vec![byte])).await.expect("room");
        }
        let attachment = FollowingAttachment {
            name: "t".to_owned(),
            content_type: "text/plain".to_owned(),
            length,
            is_encoded: true,
        };
        let document = StreamedDocument {
            id: "a".to_owned(),
            revision: "1-a".to_owned(),
            json: Bytes::from(json),
            attachments: vec![attachment],
            pieces,
        };
        let mut document = decoded(document).expect("a document");
        let text = String::from_utf8(document.json.to_vec()).expect("text");
        assert!(text.contains(r#""n":1.50"#) && !text.contains("gzip"), "{text}");
        assert_eq!(
            (document.attachments[0].length, document.attachments[0].is_encoded),
            (17, false)
        );
        let mut plain = Vec::new();
        while let Some(piece) = document.pieces.recv().await {
            plain.extend_from_slice(&piece);
        }
        assert_eq!(plain, b"plain plain plain");
    }
}
