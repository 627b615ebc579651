//! Reading the objects that a phase maps, and how functions see them.

use super::item::Input;
use super::room::Expectation;
use crate::access::Access;
use crate::buckets::existing;
use crate::content::Content;
use crate::error::Result;
use crate::limits::PAGE_BYTES;
use crate::names::Bucket;
use crate::object::{Object, Sibling};
use crate::server::Server;
use auth::Action;
use engine::{Record, RevisionedCollection, RevisionedSnapshot};
use serde_json::{Map, Value, json};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::iter::Peekable;
use std::time::{Duration, SystemTime};
use std::vec::IntoIter;
use value::{DocumentBuf, ValueRef};

/// An input with its object.
#[derive(Debug)]
pub(crate) struct FoundObject {
    pub(crate) input: Input,
    kept: Kept,
}

/// An object, or what it is made of: making it takes longer than most functions look at it, and reads run ahead of them.
#[derive(Debug)]
enum Kept {
    /// There is none, or it is deleted.
    Nothing,
    Made(Object),
    /// A document whose revisions are one line, and its notes.
    Line {
        actor: [u8; 8],
        record: Record,
        notes: Option<DocumentBuf>,
        made: OnceCell<Object>,
    },
}

impl FoundObject {
    fn of(input: Input, object: Option<Object>) -> FoundObject {
        FoundObject {
            input,
            kept: object.map_or(Kept::Nothing, Kept::Made),
        }
    }

    /// Whether there is an object.
    pub(crate) fn is_there(&self) -> bool {
        !matches!(self.kept, Kept::Nothing)
    }

    /// The object; `None` where there is none, or where it is deleted.
    pub(crate) fn object(&self) -> Option<&Object> {
        match &self.kept {
            Kept::Nothing => None,
            Kept::Made(object) => Some(object),
            Kept::Line {
                actor,
                record,
                notes,
                made,
            } => Some(made.get_or_init(|| {
                let id = record.document.as_raw().get("_id").map(ValueRef::to_value);
                let id = id.unwrap_or(value::Value::Null);
                Object::of_line(actor.to_vec(), id, record, notes.as_ref())
            })),
        }
    }

    /// Shows the values of all siblings as texts; else says why one is none.
    pub(crate) fn each_text<E>(
        &self,
        mut show: impl FnMut(usize, &str) -> Result<(), E>,
    ) -> Result<Result<(), E>, String> {
        if let Kept::Line {
            record, notes, made, ..
        } = &self.kept
            && made.get().is_none()
            && let Some(value) = Object::value_of_line(record, notes.as_ref())
            && let Ok(text) = std::str::from_utf8(&value)
        {
            return Ok(show(0, text));
        }
        let siblings = self.object().map_or(&[][..], |object| &object.siblings);
        for (at, sibling) in siblings.iter().enumerate() {
            if let Err(error) = show(at, sibling.content.text()?) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }
}

/// Reads objects, each bucket on one snapshot.
#[derive(Debug, Default)]
pub(crate) struct Objects(HashMap<Bucket, Option<Opened>>);

/// A bucket that objects are read from.
#[derive(Debug)]
struct Opened {
    collection: RevisionedCollection,
    snapshot: RevisionedSnapshot,
    expectation: Expectation,
}

impl Objects {
    /// Reads the objects of the first of these inputs, and takes them, until they have as many bytes as are worked on at once.
    pub(crate) async fn read(
        &mut self,
        server: &Server,
        access: &Access,
        inputs: &mut Peekable<IntoIter<Input>>,
    ) -> Result<Vec<FoundObject>> {
        let mut page = Page {
            found: Vec::with_capacity(inputs.len()),
            bytes: 0,
        };
        while !page.is_full()
            && let Some(first) = inputs.peek()
        {
            let bucket = first.bucket.clone();
            if !self.0.contains_key(&bucket) {
                let opened = match existing(server, access, &bucket, Action::Find)? {
                    Some(collection) => {
                        let snapshot = collection.snapshot().await?;
                        Some(Opened {
                            expectation: Expectation::new(
                                server.engine.memory().clone(),
                                snapshot.mean_bytes(),
                            ),
                            collection,
                            snapshot,
                        })
                    }
                    None => None,
                };
                self.0.insert(bucket.clone(), opened);
            }
            let of_bucket = std::iter::from_fn(|| inputs.next_if(|next| next.bucket == bucket));
            match self.0.get_mut(&bucket).and_then(Option::as_mut) {
                Some(opened) => page.read(opened, of_bucket).await?,
                None => page.found.extend(of_bucket.map(nothing)),
            }
        }
        Ok(page.found)
    }
}

/// Objects that are worked on at once.
struct Page {
    found: Vec<FoundObject>,
    /// Of their documents.
    bytes: usize,
}

impl Page {
    fn is_full(&self) -> bool {
        self.bytes >= PAGE_BYTES
    }

    /// Takes inputs of one bucket, as far as there is room. Waits for memory for long documents that are not there yet.
    async fn read(&mut self, opened: &mut Opened, mut inputs: impl Iterator<Item = Input>) -> Result<()> {
        let Opened {
            collection,
            snapshot,
            expectation,
        } = opened;
        let mut actor = [0; 8];
        actor.copy_from_slice(&collection.uuid()[..8]);
        let first = self.found.len();
        let (mut room, mut bytes_read) = (None, 0);
        while !self.is_full()
            && let Some(mut input) = inputs.next()
        {
            let read = match input.read.take() {
                Some(read) => Some(*read),
                None => {
                    if room.is_none() {
                        room.insert(expectation.room()).wait().await;
                    }
                    let read = read(snapshot, &input.key).await?;
                    bytes_read += read.as_ref().map_or(0, bytes);
                    read
                }
            };
            engine::steps(1)?;
            self.bytes += read.as_ref().map_or(0, bytes);
            self.found.push(match read {
                None => nothing(input),
                Some((record, notes)) if !record.has_tree() => FoundObject {
                    input,
                    kept: Kept::Line {
                        actor,
                        record,
                        notes,
                        made: OnceCell::new(),
                    },
                },
                Some((record, notes)) => {
                    let id = record.document.as_raw().get("_id").map(ValueRef::to_value);
                    let id = id.unwrap_or(value::Value::Null);
                    let object = Object::of(collection, snapshot, id, Some(record), notes).await?;
                    FoundObject::of(input, Some(object).filter(Object::exists))
                }
            });
        }
        if let Some(room) = room {
            let held = room.hold(bytes_read);
            expectation.learn(held.as_deref());
            for found in &mut self.found[first..] {
                found.input.held = found.input.held.take().or_else(|| held.clone());
            }
        }
        Ok(())
    }
}

/// A document, and what is kept beside it.
type Read = (Record, Option<DocumentBuf>);

async fn read(snapshot: &RevisionedSnapshot, key: &[u8]) -> Result<Option<Read>> {
    let (id, record) = crate::names::find(snapshot, key).await?;
    Ok(match record {
        Some(record) => Some((record, snapshot.notes(id.as_ref()).await?)),
        None => None,
    })
}

fn bytes((record, _): &Read) -> usize {
    record.document.bytes().len()
}

fn nothing(input: Input) -> FoundObject {
    FoundObject::of(input, None)
}

/// The whole object as functions see it.
pub(crate) fn object_json(input: &Input, object: &Object) -> Result<Value, String> {
    let values = object.siblings.iter().map(|sibling| {
        let data = sibling.content.text()?;
        Ok(json!({"metadata": metadata(sibling), "data": data}))
    });
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(json!({
        "bucket_type": shown(&input.bucket.kind),
        "bucket": shown(&input.bucket.name),
        "key": shown(&input.key),
        "vclock": object.clock().to_text(),
        "values": values.collect::<Result<Vec<Value>, String>>()?,
    }))
}

/// What stands for an object that is not there.
pub(crate) fn not_found(input: &Input) -> Value {
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut named = Map::new();
    if !input.bucket.is_default_type() {
        named.insert("bucket_type".to_owned(), json!(shown(&input.bucket.kind)));
    }
    named.insert("bucket".to_owned(), json!(shown(&input.bucket.name)));
    named.insert("key".to_owned(), json!(shown(&input.key)));
    let data = input.data.clone().unwrap_or_else(|| json!("undefined"));
    named.insert("keydata".to_owned(), data);
    json!({"not_found": named})
}

/// A sibling's metadata under Riak's names.
pub(crate) fn metadata(sibling: &Sibling) -> Value {
    let content: &Content = &sibling.content;
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut metadata = Map::new();
    let mut put = |name: &str, value: Value| drop(metadata.insert(name.to_owned(), value));
    let links = content.links.iter();
    let links = links.map(|link| json!([shown(&link.bucket), shown(&link.key), shown(&link.tag)]));
    put("Links", links.collect());
    put("X-Riak-VTag", json!(sibling.vtag()));
    let optional = [
        ("content-type", &content.content_type),
        ("charset", &content.charset),
        ("content-encoding", &content.encoding),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            put(name, json!(shown(value)));
        }
    }
    put("index", pairs(&content.indexes, ""));
    if let Some(modified_ms) = content.modified_ms {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(modified_ms);
        put("X-Riak-Last-Modified", json!(http::http_date(time)));
    }
    put("X-Riak-Meta", pairs(&content.user_meta, "X-Riak-Meta-"));
    Value::Object(metadata)
}

/// Names with their values; one that comes more than once has a list of them.
fn pairs(pairs: &[(Vec<u8>, Vec<u8>)], prefix: &str) -> Value {
    let mut members: Map<String, Value> = Map::new();
    for (name, value) in pairs {
        let name = format!("{prefix}{}", String::from_utf8_lossy(name));
        let value = json!(String::from_utf8_lossy(value));
        match members.get_mut(&name) {
            Some(Value::Array(values)) => values.push(value),
            Some(known) => *known = json!([known.take(), value]),
            None => drop(members.insert(name, value)),
        }
    }
    Value::Object(members)
}
