//! Writing a document with the attachments that follow it (`src/couch_replicator/src/couch_replicator_api_wrap.erl`,
//! `update_doc`), as CouchDB's own replicator does: one PUT as `multipart/related` of a length that is known.

use crate::ask::{Ask, PeerErrorBody, document_path};
use crate::pull::interrupted;
use crate::related::{PartOf, boundary, document_head, part_end, part_head};
use crate::{CouchPeer, Result};
use bytes::Bytes;
use http::{Body, BodySender, HeaderValue, Method, StatusCode, header};
use replicate::{FollowingAttachment, PeerError, PeerErrorKind, Refusal, StreamedDocument};
use std::sync::atomic::{AtomicU64, Ordering};

impl CouchPeer {
    /// Writes a document while its attachments come; why it was refused, where it was.
    pub(super) async fn push(&self, document: StreamedDocument) -> Result<Option<Refusal>> {
        let boundary = boundary();
        let ask = Ask::new(
            Method::PUT,
            format!("{}?new_edits=false", document_path(&document.id)),
        );
        let content_type = format!("multipart/related; boundary=\"{boundary}\"");
        let content_type = HeaderValue::from_str(&content_type)
            .map_err(|error| PeerError::new(PeerErrorKind::Answer, error.to_string()))?;
        let ask = ask.with(header::CONTENT_TYPE, content_type);
        let (sender, body) = Body::channel(Some(length(&document, &boundary)));
        let (id, revision) = (document.id.clone(), document.revision.clone());
        let sent = AtomicU64::new(0);
        let feeding = feed(document, boundary, sender, &sent);
        let asking = self.transport.send_streamed(&ask, body, &sent);
        tokio::pin!(feeding, asking);
        let mut is_fed = false;
        let answered = loop {
            // An answer may come before the whole was sent; what is still to come is dropped then.
            tokio::select! {
                answered = &mut asking => break answered,
                () = &mut feeding, if !is_fed => is_fed = true,
            }
        };
        let (status, answer) = answered.map_err(interrupted)?;
        let told = PeerErrorBody::read(&answer);
        match status {
            StatusCode::OK | StatusCode::CREATED | StatusCode::ACCEPTED => Ok(None),
            StatusCode::PRECONDITION_FAILED if told.error == "missing_stub" => {
                let mut error = self.answered(&ask, status, &answer);
                error.kind = PeerErrorKind::AttachmentMissing;
                Err(error)
            }
            // The database is gone, or the server is in trouble.
            StatusCode::NOT_FOUND => Err(self.answered(&ask, status, &answer)),
            status if !status.is_client_error() => Err(self.answered(&ask, status, &answer)),
            status => Ok(Some(Refusal {
                id,
                revision,
                error: if told.error.is_empty() {
                    status.as_str().to_owned()
                } else {
                    told.error
                },
                reason: told.reason,
            })),
        }
    }
}

fn part_of(attachment: &FollowingAttachment) -> PartOf<'_> {
    PartOf {
        name: &attachment.name,
        content_type: &attachment.content_type,
        length: attachment.length,
        is_encoded: attachment.is_encoded,
    }
}

/// Bytes of the whole body.
fn length(document: &StreamedDocument, boundary: &str) -> u64 {
    let end = part_end(boundary).len();
    let part = |attachment: &FollowingAttachment| {
        attachment.length + (part_head(&part_of(attachment)).len() + end) as u64
    };
    let framing = document_head(boundary).len() + document.json.len() + end + "--".len();
    framing as u64 + document.attachments.iter().map(part).sum::<u64>()
}

/// Sends the body as the attachments come. Where they end too early the body is cut off, so that nothing is written.
async fn feed(mut document: StreamedDocument, boundary: String, sender: BodySender, sent: &AtomicU64) {
    let head = document_head(&boundary);
    let json = std::mem::take(&mut document.json);
    let mut is_taken =
        sender.send(head).await && sender.send(json).await && sender.send(part_end(&boundary)).await;
    for attachment in std::mem::take(&mut document.attachments) {
        is_taken = is_taken
            && sender.send(part_head(&part_of(&attachment))).await
            && feed_attachment(&mut document, attachment.length, &sender, sent).await
            && sender.send(part_end(&boundary)).await;
    }
    match is_taken {
        true => drop(sender.send("--").await),
        false => sender.give_up().await,
    }
}

/// False where the attachment is not whole, or nobody takes it.
async fn feed_attachment(
    document: &mut StreamedDocument,
    length: u64,
    sender: &BodySender,
    sent: &AtomicU64,
) -> bool {
    let mut rest = length;
    while rest > 0 {
        let piece: Bytes = match document.pieces.recv().await {
            Some(piece) if piece.len() as u64 <= rest => piece,
            _ => return false,
        };
        rest -= piece.len() as u64;
        if !sender.send(piece).await {
            return false;
        }
        sent.fetch_add(1, Ordering::Relaxed);
    }
    true
}
