//! Inputs: names of objects, given or found.

use super::filter::KeyFilter;
use super::item::Input;
use super::phase::read_bucket;
use super::room::{Expectation, Room};
use crate::access::Access;
use crate::buckets::existing;
use crate::error::{Result, RiakError};
use crate::index;
use crate::limits::{LISTED_AT_ONCE, PAGE_BYTES};
use crate::names::{Bucket, key_of_id, owned_key};
use crate::server::Server;
use auth::Action;
use engine::{DocumentPosition, PageLimit, Record, RecordId, RevisionedSnapshot};
use memory::Share;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;
use tokio::task::JoinHandle;
use value::DocumentBuf;

/// The objects of a page: enough for several sandboxes, which wait for each other at its end.
const DOCUMENTS_AT_ONCE: usize = 1_000;

/// The pages of short documents that are read at the same time: one reader is slower than scripts on other processors.
const PAGES_AT_ONCE: usize = 2;

/// The keys of which a filter is asked at once: so many that those that pass are worth a call of a function.
const KEYS_AT_ONCE: usize = 8_000;

/// What a job begins with.
#[derive(Clone, Debug)]
pub(crate) enum Inputs {
    /// Objects by name.
    Keys(Vec<Input>),
    /// All objects of a bucket, or those whose keys pass.
    Bucket(Bucket, Option<KeyFilter>),
    /// What a secondary index has.
    Index(Bucket, index::Query),
}

impl Inputs {
    /// Reads the field `inputs`.
    pub(super) fn read(inputs: &Value) -> Result<Inputs> {
        match inputs {
            Value::String(_) => Ok(Inputs::Bucket(read_bucket(inputs)?, None)),
            Value::Array(parts) => match parts.as_slice() {
                [] => Err(RiakError::bad("No inputs were given.\n")),
                [Value::String(_), Value::String(_)] => Ok(Inputs::Bucket(read_bucket(inputs)?, None)),
                parts => {
                    let read = |part| Input::of_json(part).unwrap_or_else(|| Err(unrecognized(part)));
                    Ok(Inputs::Keys(parts.iter().map(read).collect::<Result<_>>()?))
                }
            },
            Value::Object(members) => read_query(members, inputs),
            _ => Err(unrecognized(inputs)),
        }
    }
}

fn read_query(members: &Map<String, Value>, whole: &Value) -> Result<Inputs> {
    let given = |name: &str| members.get(name);
    if given("module").is_some() && given("function").is_some() {
        return Err(RiakError::unsupported("a function in Erlang that makes inputs"));
    }
    if given("query").is_some() && (given("bucket").is_some() || given("index").is_some()) {
        return Err(RiakError::unsupported(
            "a search of Riak's as input (search buckets by Elasticsearch's protocol)",
        ));
    }
    let Some(bucket) = given("bucket") else {
        return Err(unrecognized(whole));
    };
    let bucket = read_bucket(bucket)?;
    let Some(index) = given("index") else {
        let filters =
            given("key_filters").filter(|filters| filters.as_array().is_none_or(|list| !list.is_empty()));
        let filters = filters.ok_or_else(|| unrecognized(whole))?;
        return Ok(Inputs::Bucket(bucket, Some(KeyFilter::read(filters)?)));
    };
    let index = index.as_str().ok_or_else(|| unrecognized(whole))?;
    let term = |term: &Value| match term {
        Value::String(text) => Ok(text.clone().into_bytes()),
        Value::Number(number) => Ok(number.to_string().into_bytes()),
        _ => Err(unrecognized(whole)),
    };
    let (low, high) = match (given("key"), given("start"), given("end")) {
        (Some(key), ..) => (term(key)?, None),
        (None, Some(start), Some(end)) => (term(start)?, Some(term(end)?)),
        _ => return Err(unrecognized(whole)),
    };
    let query = index::Query::of(index.as_bytes(), &low, high.as_deref());
    query.check()?;
    Ok(Inputs::Index(bucket, query.in_order()?))
}

fn unrecognized(inputs: &Value) -> RiakError {
    RiakError::bad(format!(
        "Unrecognized format of \"inputs\" field:\n   {inputs}\n\nValid formats are:\n  - [[\"mybucket\",\"mykey\"], [\"mybucket\",\"mykey\",\"mykeydata\",\"mytype\"], ...]\n  - {{\"bucket\":\"mybucket\", \"index\":\"myindex_bin\", \"key\":\"mykey\"}}\n  - {{\"bucket\":\"mybucket\", \"index\":\"myindex_bin\", \"start\":\"key1\", \"end\":\"key2\"}}\n  - \"mybucket\"\n  - {{\"bucket\":\"mybucket\", \"key_filters\":[[\"matches\", \"foo.*\"]]}}\n"
    ))
}

/// Inputs on their way into the first phase.
#[derive(Debug)]
pub(crate) enum Source {
    Keys(std::vec::IntoIter<Input>),
    Documents(Box<Documents>),
    Index(Bucket, Box<index::Run>),
    Nothing,
}

impl Source {
    /// Begins to find them; with their documents where those are wanted and are found on the way.
    pub(crate) async fn open(
        server: &Server,
        access: &Access,
        inputs: Inputs,
        with_documents: bool,
    ) -> Result<Source> {
        let collection = |bucket: &Bucket| existing(server, access, bucket, Action::Find);
        match inputs {
            Inputs::Keys(inputs) => Ok(Source::Keys(inputs.into_iter())),
            Inputs::Bucket(bucket, filter) => {
                let Some(collection) = collection(&bucket)? else {
                    return Ok(Source::Nothing);
                };
                let ranges = match &filter {
                    Some(filter) => filter.range().ids(),
                    None => vec![(Bound::Unbounded, Bound::Unbounded)],
                };
                let snapshot = Arc::new(collection.snapshot().await?);
                Ok(Source::Documents(Box::new(Documents {
                    expectation: Expectation::new(server.engine.memory().clone(), snapshot.mean_bytes()),
                    snapshot,
                    bucket,
                    filter,
                    with_documents,
                    ranges: ranges.into(),
                    position: None,
                    ahead: VecDeque::new(),
                })))
            }
            Inputs::Index(bucket, query) => match collection(&bucket)? {
                Some(collection) => Ok(Source::Index(bucket, Box::new(query.run(&collection).await?))),
                None => Ok(Source::Nothing),
            },
        }
    }

    /// The next inputs; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Vec<Input>> {
        match self {
            Source::Keys(inputs) => Ok(inputs.take(LISTED_AT_ONCE).collect()),
            Source::Documents(documents) => documents.next().await,
            Source::Index(bucket, run) => {
                let input = |(_, key)| Input::named(bucket.clone(), key, None);
                Ok(run.next().await?.into_iter().map(input).collect())
            }
            Source::Nothing => Ok(Vec::new()),
        }
    }
}

/// The objects of a bucket, page by page.
#[derive(Debug)]
pub(crate) struct Documents {
    snapshot: Arc<RevisionedSnapshot>,
    expectation: Expectation,
    bucket: Bucket,
    filter: Option<KeyFilter>,
    with_documents: bool,
    /// What is left of the keys, and the position in the first of these ranges.
    ranges: VecDeque<(Bound<value::Value>, Bound<value::Value>)>,
    position: Option<DocumentPosition>,
    /// Documents on their way.
    ahead: VecDeque<JoinHandle<Result<Read>>>,
}

/// An `_id` with its record, as the index has them.
type Entry = (value::Value, RecordId);

/// Documents that were read for entries of the index.
#[derive(Debug)]
struct Read {
    documents: Vec<(value::Value, Record, Option<DocumentBuf>)>,
    /// Those that did not get into the page.
    rest: Vec<Entry>,
    /// The memory of long documents.
    held: Option<Arc<Share>>,
}

impl Documents {
    /// The next objects; none at the end.
    async fn next(&mut self) -> Result<Vec<Input>> {
        if !self.with_documents {
            let entries = self.entries().await?;
            let input = |(id, _)| Input::named(self.bucket.clone(), owned_key(id), None);
            return Ok(entries.into_iter().map(input).collect());
        }
        loop {
            // Of two pages of long ones, the first could wait for what the second has.
            let at_once = match self.expectation.is_long() {
                true => 1,
                false => PAGES_AT_ONCE,
            };
            while self.ahead.len() < at_once {
                let entries = self.entries().await?;
                if entries.is_empty() {
                    break;
                }
                self.ahead.push_back(self.begin(entries));
            }
            let Some(first) = self.ahead.pop_front() else {
                return Ok(Vec::new());
            };
            let read = first.await.map_err(|_| RiakError::reading_broke_off())??;
            self.expectation.learn(read.held.as_deref());
            if !read.rest.is_empty() {
                // Behind a page that is there already, for whose memory it may have to wait.
                self.ahead.push_back(self.begin(read.rest));
            }
            if !read.documents.is_empty() {
                let documents = read.documents.into_iter();
                let inputs = documents.map(|(id, record, notes)| Input {
                    read: Some(Box::new((record, notes))),
                    held: read.held.clone(),
                    ..Input::named(self.bucket.clone(), owned_key(id), None)
                });
                return Ok(inputs.collect());
            }
        }
    }

    /// The entries of the index that follow and whose keys pass the filter; none at the end.
    async fn entries(&mut self) -> Result<Vec<Entry>> {
        let entries = match self.filter {
            None => DOCUMENTS_AT_ONCE,
            Some(_) => KEYS_AT_ONCE,
        };
        let limit = PageLimit {
            entries,
            bytes: PAGE_BYTES,
        };
        while let Some(range) = self.ranges.front().cloned() {
            let position = self.position.take();
            let (mut page, next) = self.snapshot.ids(range, position.as_ref(), limit).await?;
            if next.is_none() {
                self.ranges.pop_front();
            }
            self.position = next;
            engine::steps(page.len())?;
            if let Some(filter) = &self.filter {
                page.retain(|(id, _)| filter.matches(&key_of_id(id.as_ref())));
            }
            if !page.is_empty() {
                return Ok(page);
            }
        }
        Ok(Vec::new())
    }

    /// Begins to read the documents of entries.
    fn begin(&self, entries: Vec<Entry>) -> JoinHandle<Result<Read>> {
        engine::beside(read(self.snapshot.clone(), entries, self.expectation.room()))
    }
}

/// Reads the documents of the first of these entries, as many as are worked on at once, and what is kept beside them.
/// Waits for room for them first.
async fn read(snapshot: Arc<RevisionedSnapshot>, mut entries: Vec<Entry>, mut room: Room) -> Result<Read> {
    room.wait().await;
    let numbers: Vec<RecordId> = entries.iter().map(|(_, record)| *record).collect();
    let records = snapshot.numbered(&numbers, PAGE_BYTES).await?;
    let bytes = records
        .iter()
        .flatten()
        .map(|record| record.document.bytes().len());
    let held = room.hold(bytes.sum());
    let rest = entries.split_off(records.len());
    let ids: Vec<value::Value> = entries.into_iter().map(|(id, _)| id).collect();
    let notes = snapshot.notes_of(&ids).await?;
    let read = ids.into_iter().zip(records).zip(notes);
    let documents = read.filter_map(|((id, record), notes)| Some((id, record?, notes)));
    Ok(Read {
        documents: documents.collect(),
        rest,
        held,
    })
}
