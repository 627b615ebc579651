//! Answers that may be long: gathered while they are small, sent in pieces when they grow.

use crate::error::{CouchError, Result};
use crate::limits::CHUNK_BYTES;
use crate::respond;
use http::{BodySender, Response};
use tokio::sync::oneshot;

/// Where an answer is written.
#[derive(Debug)]
pub(crate) struct Output {
    /// What is still to be sent.
    pub(crate) text: String,
    sender: Option<BodySender>,
    first: Option<oneshot::Sender<First>>,
}

/// What whoever waits for the answer is told first.
#[derive(Debug)]
enum First {
    /// This is the whole of it.
    Whole(Result<String>),
    /// It has begun, and comes in pieces.
    Streamed(Box<Response>),
}

impl Output {
    /// Sends what is gathered if it is enough; false where the client is gone.
    pub(crate) async fn flush_if_large(&mut self) -> bool {
        self.text.len() < CHUNK_BYTES || self.flush().await
    }

    /// Sends what is gathered, and with it the head of the answer; false where the client is gone.
    pub(crate) async fn flush(&mut self) -> bool {
        if let Some(first) = self.first.take() {
            let (sender, response) = respond::streamed();
            self.sender = Some(sender);
            if first.send(First::Streamed(Box::new(response))).is_err() {
                return false;
            }
        }
        let text = std::mem::take(&mut self.text);
        match &self.sender {
            Some(sender) => sender.send(text).await,
            None => false,
        }
    }
}

/// Answers with what `write` writes.
pub(crate) async fn respond_with<W, F>(write: W) -> Result<Response>
where
    W: FnOnce(Output) -> F,
    F: Future<Output = (Output, Result<()>)> + Send + 'static,
{
    let (first, told) = oneshot::channel();
    let writing = write(Output {
        text: String::new(),
        sender: None,
        first: Some(first),
    });
    // A task of its own, which goes on when the head of the answer is sent.
    tokio::spawn(async move {
        let (mut output, ended) = writing.await;
        if let Some(first) = output.first.take() {
            // Nobody listens where the client is gone.
            drop(first.send(First::Whole(ended.map(|()| output.text))));
            return;
        }
        match ended {
            Ok(()) => drop(output.flush().await),
            Err(error) => {
                tracing::error!(%error, "an answer was cut off");
                if let Some(sender) = output.sender {
                    sender.give_up().await;
                }
            }
        }
    });
    match told.await {
        Ok(First::Whole(text)) => Ok(respond::ok(text?)),
        Ok(First::Streamed(response)) => Ok(*response),
        Err(_) => Err(CouchError::new(
            http::StatusCode::INTERNAL_SERVER_ERROR,
            "internal_server_error",
            "the answer could not be made",
        )),
    }
}
