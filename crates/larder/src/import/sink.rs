//! Where what was parsed goes.

use super::batches::{Bad, Batch, Parsed};
use anyhow::{Result, bail};
use tokio::sync::mpsc::Sender;
use value::{Document, DocumentBuf, ObjectId, Value};

/// The bytes that a document of a collection may have: a server refuses a message with a longer one as a whole.
const DOCUMENT_BYTES_MAX: usize = 16 << 20;

/// Where parsed documents go: full batches are sent, waiting if the target is slower.
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

    /// From now on documents get this field, or none besides their own.
    pub fn add_to_documents(&mut self, extra: Option<(String, String)>) {
        self.extra = extra;
    }

    /// Takes a document; one without `_id` gets one, so that a retry cannot insert it twice.
    pub fn document(&mut self, place: String, mut document: Document) -> Result<()> {
        match self.complete(&mut document) {
            Ok(document) => self.batch.push(Parsed { place, document }),
            Err(reason) => {
                let text = value::json::to_string((&document).into(), value::json::Mode::Canonical);
                return self.bad(place, reason, text.as_bytes());
            }
        }
        self.send_if(Batch::is_full)
    }

    /// The document as it is sent, with the fields that it gets.
    fn complete(&self, document: &mut Document) -> Result<DocumentBuf, String> {
        if let Some((name, text)) = &self.extra {
            if document.contains(name) {
                return Err(format!(
                    "there is a field '{name}' already, beside the one of --file-field"
                ));
            }
            document.push(name.as_str(), Value::from(text.as_str()));
        }
        if !self.id.is_empty() {
            let id = id_of(document, self.id)?;
            document.insert_at(0, "_id", id);
        } else if !document.contains("_id") {
            document.insert_at(0, "_id", ObjectId::generate());
        }
        let complete = DocumentBuf::from(&*document);
        match complete.bytes().len() {
            bytes if bytes > DOCUMENT_BYTES_MAX => Err(format!(
                "the document has {bytes} bytes; at most {DOCUMENT_BYTES_MAX} are stored"
            )),
            _ => Ok(complete),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::channel;
    use value::doc;

    /// The document, or why it cannot be one.
    fn taken(document: Document, extra: Option<(String, String)>) -> Result<Document, String> {
        let (sender, mut receiver) = channel(2);
        let mut sink = Sink::new(&sender, &[]);
        sink.add_to_documents(extra);
        sink.document("f:1".to_owned(), document).unwrap();
        sink.finish().unwrap();
        let mut batch = receiver.try_recv().unwrap();
        match batch.documents.pop() {
            Some(parsed) => Ok(parsed.document.to_document()),
            None => Err(batch.bad.pop().unwrap().reason),
        }
    }

    #[test]
    fn a_document_that_no_server_takes_is_rejected_before_it_is_sent() {
        let document = |bytes: usize| doc! {"_id": 1, "text": "x".repeat(bytes)};
        let without_text = DocumentBuf::from(&document(0)).bytes().len();
        assert!(taken(document(DOCUMENT_BYTES_MAX - without_text), None).is_ok());
        let error = taken(document(DOCUMENT_BYTES_MAX - without_text + 1), None).unwrap_err();
        assert!(error.contains("16777217 bytes"), "{error}");
    }

    #[test]
    fn the_name_of_the_file_takes_no_fields_place() {
        let extra = Some(("from".to_owned(), "file".to_owned()));
        let document = taken(doc! {"_id": 1}, extra.clone()).unwrap();
        assert_eq!(document, doc! {"_id": 1, "from": "file"});
        let error = taken(doc! {"_id": 1, "from": "own"}, extra).unwrap_err();
        assert!(error.contains("'from'"), "{error}");
    }
}
