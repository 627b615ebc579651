//! Where what was parsed goes.

use super::batches::{Bad, Batch, Parsed};
use anyhow::{Result, bail};
use tokio::sync::mpsc::Sender;
use value::{Document, DocumentBuf, ObjectId, Value};

/// Where parsed documents go: full batches are sent, waiting where the target is slower.
pub struct Sink<'a> {
    sender: &'a Sender<Batch>,
    batch: Batch,
    /// The fields that make the `_id`; empty if documents keep their own.
    id: &'a [String],
    /// A field that every document of the present file gets.
    extra: Option<(String, String)>,
}

impl Sink<'_> {
    pub fn new<'a>(sender: &'a Sender<Batch>, id: &'a [String]) -> Sink<'a> {
        Sink {
            sender,
            batch: Batch::default(),
            id,
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
        if !self.id.is_empty() {
            match id_of(&mut document, self.id) {
                Ok(id) => document.insert_at(0, "_id", id),
                Err(reason) => {
                    let text = value::json::to_string((&document).into(), value::json::Mode::Canonical);
                    return self.bad(place, reason, text.as_bytes());
                }
            }
        } else if !document.contains("_id") {
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

/// The `_id` that these fields make: the value of the one, which moves there, or a document of several.
fn id_of(document: &mut Document, fields: &[String]) -> Result<Value, String> {
    let missing = |name: &str| format!("there is no field '{name}', which --id names");
    if document.contains("_id") && fields != ["_id"] {
        return Err("there is an _id already, beside the one that --id makes".to_owned());
    }
    if let [name] = fields {
        return document.remove(name).ok_or_else(|| missing(name));
    }
    let mut id = Document::new();
    for name in fields {
        let value = document.get(name).ok_or_else(|| missing(name))?;
        id.push(name.as_str(), value.clone());
    }
    Ok(Value::Document(id))
}
