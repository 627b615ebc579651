//! Where what was parsed goes.

use super::batches::{Bad, Batch, Parsed};
use anyhow::{Result, bail};
use tokio::sync::mpsc::Sender;
use value::{Document, DocumentBuf, ObjectId, Value};

/// Where parsed documents go: full batches are sent, waiting where the target is slower.
pub struct Sink<'a> {
    sender: &'a Sender<Batch>,
    batch: Batch,
    /// A field that every document of the present file gets.
    extra: Option<(String, String)>,
}

impl Sink<'_> {
    pub fn new(sender: &Sender<Batch>) -> Sink<'_> {
        Sink {
            sender,
            batch: Batch::default(),
            extra: None,
        }
    }

    /// Gives the documents to come this field, or none besides their own.
    pub fn add_to_documents(&mut self, extra: Option<(String, String)>) {
        self.extra = extra;
    }

    /// Takes a document; one without `_id` gets one, so that a retry cannot insert it twice.
    pub fn document(&mut self, place: String, mut document: Document) -> Result<()> {
        if let Some((name, text)) = &self.extra {
            document.set(name.as_str(), Value::from(text.as_str()));
        }
        if !document.contains("_id") {
            document.insert_at(0, "_id", ObjectId::generate());
        }
        self.batch.push(Parsed {
            place,
            document: DocumentBuf::from(&document),
        });
        self.send_if(Batch::is_full)
    }

    /// Takes text that is not a document.
    pub fn bad(&mut self, place: String, reason: String, text: &[u8]) -> Result<()> {
        self.batch.push_bad(Bad {
            place,
            reason,
            text: text.to_vec(),
        });
        self.send_if(Batch::is_full)
    }

    /// Sends what is left.
    pub fn finish(mut self) -> Result<()> {
        self.send_if(|batch| !batch.is_empty())
    }

    fn send_if(&mut self, ready: impl Fn(&Batch) -> bool) -> Result<()> {
        if ready(&self.batch)
            && self
                .sender
                .blocking_send(std::mem::take(&mut self.batch))
                .is_err()
        {
            bail!("the import ended early");
        }
        Ok(())
    }
}
