//! Inputs: names of objects, given or found.

use super::filter::KeyFilter;
use super::item::Input;
use super::phase::read_bucket;
use crate::access::Access;
use crate::buckets::existing;
use crate::error::{Result, RiakError};
use crate::index;
use crate::limits::{LISTED_AT_ONCE, PAGE_BYTES};
use crate::names::{Bucket, key_of_id, owned_key};
use crate::server::Server;
use auth::Action;
use engine::{DocumentPosition, Order, PageLimit, Record, RecordId, RevisionedSnapshot};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;
use tokio::task::JoinHandle;
use value::{DocumentBuf, ValueRef};

/// The objects of a page: enough for several sandboxes, which wait for each other at its end.
const DOCUMENTS_AT_ONCE: usize = 2_000;

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
            "a search of Riak's as input (Elasticsearch's protocol searches buckets)",
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
    let query = index::Query {
        index: index.as_bytes().to_vec(),
        low,
        high,
        ..index::Query::default()
    };
    query.check()?;
    Ok(Inputs::Index(bucket, query))
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
                Ok(Source::Documents(Box::new(Documents {
                    snapshot: Arc::new(collection.snapshot().await?),
                    bucket,
                    filter,
                    with_documents,
                    ranges: ranges.into(),
                    position: None,
                    ahead: None,
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
                let input = |(_, key)| Input {
                    bucket: bucket.clone(),
                    key,
                    data: None,
                    read: None,
                };
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
    bucket: Bucket,
    filter: Option<KeyFilter>,
    with_documents: bool,
    ranges: VecDeque<Range>,
    position: Option<DocumentPosition>,
    /// The records of the page that is wanted next, on their way.
    ahead: Option<JoinHandle<Result<RecordPage>>>,
}

/// `_id`s between two bounds.
type Range = (Bound<value::Value>, Bound<value::Value>);

/// Records, and the position to go on after; `None` if there are no more.
type RecordPage = (Vec<Record>, Option<DocumentPosition>);

impl Documents {
    async fn next(&mut self) -> Result<Vec<Input>> {
        let mut found = Vec::new();
        while found.is_empty()
            && let Some(range) = self.ranges.front().cloned()
        {
            let position = self.position.take();
            let (page, next) = match (self.with_documents, &self.filter) {
                (true, None) => self.all(range, position).await?,
                _ => self.wanted(range, position).await?,
            };
            if next.is_none() {
                self.ranges.pop_front();
            }
            self.position = next;
            found = page;
        }
        Ok(found)
    }

    /// The objects that follow, with their documents. While their notes are read, the documents behind them are read beside:
    /// both together take longer than scripts on other processors take with most objects.
    async fn all(
        &mut self,
        range: Range,
        position: Option<DocumentPosition>,
    ) -> Result<(Vec<Input>, Option<DocumentPosition>)> {
        let (records, next) = match self.ahead.take() {
            Some(ahead) => ahead.await.map_err(|_| RiakError::reading_broke_off())??,
            None => page_of(&self.snapshot, range.clone(), position).await?,
        };
        self.ahead = next.clone().map(|position| {
            let snapshot = self.snapshot.clone();
            engine::beside(async move { page_of(&snapshot, range, Some(position)).await })
        });
        engine::steps(records.len())?;
        let id = |record: &Record| record.document.as_raw().get("_id").map(ValueRef::to_value);
        let ids: Vec<value::Value> = records
            .iter()
            .map(|record| id(record).unwrap_or(value::Value::Null))
            .collect();
        let notes = self.snapshot.notes_of(&ids).await?;
        let read = records.into_iter().zip(notes).zip(ids);
        let inputs = read.map(|(read, id)| self.input(owned_key(id), Some(read)));
        Ok((inputs.collect(), next))
    }

    /// Those that pass the filter. It is asked of the keys that the index has; only of those that pass are documents read.
    async fn wanted(
        &self,
        range: Range,
        position: Option<DocumentPosition>,
    ) -> Result<(Vec<Input>, Option<DocumentPosition>)> {
        let limit = PageLimit {
            entries: KEYS_AT_ONCE,
            bytes: PAGE_BYTES,
        };
        let (page, mut next) = self.snapshot.ids(range, position.as_ref(), limit).await?;
        engine::steps(page.len())?;
        let is_wanted = |(id, _): &(value::Value, RecordId)| {
            let filter = self.filter.as_ref();
            filter.is_none_or(|filter| filter.matches(&key_of_id(id.as_ref())))
        };
        let mut wanted: Vec<_> = page.into_iter().filter(is_wanted).collect();
        if !self.with_documents {
            let inputs = wanted.into_iter().map(|(id, _)| self.input(owned_key(id), None));
            return Ok((inputs.collect(), next));
        }
        let numbers: Vec<RecordId> = wanted.iter().map(|(_, record)| *record).collect();
        let records = self.snapshot.numbered(&numbers, PAGE_BYTES).await?;
        if records.len() < wanted.len() {
            // The others come with the next page.
            wanted.truncate(records.len());
            next = wanted.last().map(|(id, _)| DocumentPosition::of_id(id.as_ref()));
        }
        let ids: Vec<value::Value> = wanted.into_iter().map(|(id, _)| id).collect();
        let notes = self.snapshot.notes_of(&ids).await?;
        let read = ids.into_iter().zip(records).zip(notes);
        let input = |((id, record), notes): ((value::Value, Option<Record>), _)| {
            record.map(|record| self.input(owned_key(id), Some((record, notes))))
        };
        Ok((read.filter_map(input).collect(), next))
    }

    fn input(&self, key: Vec<u8>, read: Option<(Record, Option<DocumentBuf>)>) -> Input {
        Input {
            bucket: self.bucket.clone(),
            key,
            data: None,
            read: read.map(Box::new),
        }
    }
}

/// The documents of a range that follow a position.
async fn page_of(
    snapshot: &RevisionedSnapshot,
    range: Range,
    position: Option<DocumentPosition>,
) -> Result<RecordPage> {
    let limit = PageLimit {
        entries: DOCUMENTS_AT_ONCE,
        bytes: PAGE_BYTES,
    };
    let documents = snapshot.documents(range, position.as_ref(), Order::Forward, limit);
    Ok(documents.await?)
}
