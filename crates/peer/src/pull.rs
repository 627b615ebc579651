//! Reading revisions whose attachments come in parts of their own (`src/couch_replicator/src/couch_replicator_api_wrap.erl`,
//! `open_doc_revs`): a part for each revision, and in it one for the document and one for each attachment.

use crate::ask::{Answer, Ask};
use crate::{CouchPeer, DOCUMENT_BYTES_MAX, Result};
use bytes::Bytes;
use http::{
    BodyError, HeaderValue, Method, MultipartError, MultipartReader, PartHead, Pieces, ResponseBody,
    StatusCode, header,
};
use replicate::{Document, FollowingAttachment, PeerError, PeerErrorKind, StreamedDocument};
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::sync::mpsc;

/// The pieces of attachments that wait between reading and writing.
const PIECES_WAITING_MAX: usize = 4;

/// A body whose pieces have to come in time.
struct Timely {
    body: ResponseBody,
    time_max: Duration,
}

impl Pieces for Timely {
    async fn piece(&mut self) -> Result<Option<Bytes>, MultipartError> {
        match tokio::time::timeout(self.time_max, self.body.chunk()).await {
            Ok(piece) => Ok(piece?),
            Err(_) => Err(BodyError::Late(self.time_max).into()),
        }
    }
}

type Outer = MultipartReader<Timely>;

/// What is looked at in a document whose attachments follow.
#[derive(serde::Deserialize)]
struct Glance {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_rev", default)]
    revision: String,
    #[serde(rename = "_attachments", default)]
    attachments: Map<String, Value>,
}

impl CouchPeer {
    /// Reads the revisions that a path opens and sends them on; false where the peer answers in JSON alone.
    pub(super) async fn pull(&self, path: String, documents: &mpsc::Sender<Document>) -> Result<bool> {
        let ask =
            Ask::new(Method::GET, path).with(header::ACCEPT, HeaderValue::from_static("multipart/mixed"));
        let Answer {
            status,
            headers,
            mut body,
        } = self.transport.begin(&ask).await.map_err(interrupted)?;
        match status {
            StatusCode::NOT_FOUND => return Ok(true),
            StatusCode::NOT_ACCEPTABLE => {
                self.give_up_multipart();
                return Ok(false);
            }
            status if !status.is_success() => {
                let told = body.read_all(DOCUMENT_BYTES_MAX).await.unwrap_or_default();
                return Err(self.answered(&ask, status, &told));
            }
            _ => {}
        }
        let content_type = headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default();
        if !content_type.starts_with("multipart/") {
            self.give_up_multipart();
            return Ok(false);
        }
        let time_max = self.transport.piece_time_max();
        let broken = |error| self.broken(&ask, &error);
        let mut outer = MultipartReader::new(Timely { body, time_max }, content_type).map_err(broken)?;
        while let Some(head) = outer.next_part().await.map_err(broken)? {
            let is_taken = match head.get("content-type").unwrap_or_default() {
                related if related.starts_with("multipart/related") => {
                    self.pull_related(&ask, &mut outer, related, documents).await?
                }
                _ => self.pull_json(&ask, &mut outer, &head, documents).await?,
            };
            if !is_taken {
                return Ok(true);
            }
        }
        // Read to its end, so that the connection serves for the next document.
        drop(outer.discard().await);
        Ok(true)
    }

    /// A part that is a document alone, or says that there is none; false where nobody takes documents any more.
    async fn pull_json(
        &self,
        ask: &Ask,
        outer: &mut Outer,
        head: &PartHead,
        documents: &mpsc::Sender<Document>,
    ) -> Result<bool> {
        if head
            .get("content-type")
            .is_some_and(|kind| kind.contains("error"))
        {
            // The revision is gone meanwhile.
            return Ok(true);
        }
        let read = outer
            .read_part(DOCUMENT_BYTES_MAX, &self.transport.memory())
            .await;
        let json = read.map_err(|error| self.broken(ask, &error))?;
        Ok(documents.send(Document::Whole(json)).await.is_ok())
    }

    /// A part that is a document with attachments after it; false where nobody takes documents any more.
    async fn pull_related(
        &self,
        ask: &Ask,
        outer: &mut Outer,
        content_type: &str,
        documents: &mpsc::Sender<Document>,
    ) -> Result<bool> {
        let broken = |error| self.broken(ask, &error);
        let mut inner = MultipartReader::new(outer, content_type).map_err(broken)?;
        inner.next_part().await.map_err(broken)?;
        let json = inner
            .read_part(DOCUMENT_BYTES_MAX, &self.transport.memory())
            .await
            .map_err(broken)?;
        let glance: Glance = self.parse(ask, &json)?;
        let attachments = following(&glance.attachments);
        let (sender, pieces) = mpsc::channel(PIECES_WAITING_MAX);
        let document = StreamedDocument {
            id: glance.id,
            revision: glance.revision,
            json,
            attachments: attachments.clone(),
            pieces,
        };
        if documents.send(Document::Streamed(document)).await.is_err() {
            return Ok(false);
        }
        for attachment in &attachments {
            inner.next_part().await.map_err(broken)?;
            let mut rest = attachment.length;
            while let Some(piece) = inner.data().await.map_err(broken)? {
                rest = rest
                    .checked_sub(piece.len() as u64)
                    .ok_or_else(|| self.wrong_length(ask, attachment))?;
                if sender.send(piece).await.is_err() {
                    // The target has refused the document; the rest of its part is passed over.
                    return Ok(true);
                }
            }
            if rest > 0 {
                return Err(self.wrong_length(ask, attachment));
            }
        }
        Ok(true)
    }

    fn wrong_length(&self, ask: &Ask, attachment: &FollowingAttachment) -> PeerError {
        let what = format!(
            "the attachment {} has not the length that its document says",
            attachment.name
        );
        self.not_the_protocol(ask, &what)
    }

    /// The error of an answer with attachments that cannot be read to its end.
    fn broken(&self, ask: &Ask, error: &MultipartError) -> PeerError {
        match error {
            MultipartError::Body(BodyError::TooLarge { .. }) => {
                self.not_the_protocol(ask, &error.to_string())
            }
            // A peer that ends in the middle may have been ended itself.
            MultipartError::Ended | MultipartError::Body(_) => {
                let message = format!("{}: {error}", self.transport.asked(ask));
                PeerError::new(PeerErrorKind::Interrupted, message)
            }
            error => self.not_the_protocol(ask, &error.to_string()),
        }
    }

    /// The error of an answer with another status than a good one.
    pub(super) fn answered(&self, ask: &Ask, status: StatusCode, body: &[u8]) -> PeerError {
        let mut error = self.transport.answered(ask, status, body);
        if crate::transport::is_trouble(status) {
            error.kind = PeerErrorKind::Interrupted;
        }
        error
    }
}

/// A peer that cannot be reached now may be reached later.
pub(super) fn interrupted(mut error: PeerError) -> PeerError {
    if error.kind == PeerErrorKind::Unreachable {
        error.kind = PeerErrorKind::Interrupted;
    }
    error
}

/// The attachments that follow, in their order.
fn following(attachments: &Map<String, Value>) -> Vec<FollowingAttachment> {
    let follows = |(_, properties): &(&String, &Value)| properties.get("follows") == Some(&Value::Bool(true));
    let attachment = |(name, properties): (&String, &Value)| {
        let number = |field: &str| properties.get(field).and_then(Value::as_u64);
        let is_encoded = properties
            .get("encoding")
            .is_some_and(|encoding| encoding == "gzip");
        let encoded_length = number("encoded_length").filter(|_| is_encoded);
        FollowingAttachment {
            name: name.clone(),
            content_type: properties
                .get("content_type")
                .and_then(Value::as_str)
                .unwrap_or("application/octet-stream")
                .to_owned(),
            length: encoded_length.or(number("length")).unwrap_or(0),
            is_encoded,
        }
    };
    attachments.iter().filter(follows).map(attachment).collect()
}
