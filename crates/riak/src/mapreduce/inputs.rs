//! Inputs: names of objects, given or found.

use super::filter::KeyFilter;
use super::item::Input;
use super::phase::read_bucket;
use crate::access::Access;
use crate::buckets::existing;
use crate::error::{Result, RiakError};
use crate::index;
use crate::limits::{LISTED_AT_ONCE, PAGE_BYTES};
use crate::names::{Bucket, key_of_id};
use crate::server::Server;
use auth::Action;
use engine::{DocumentPosition, Order, PageLimit, Record, RevisionedSnapshot};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::ops::Bound;
use value::ValueRef;

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
    /// Begins to find them.
    pub(crate) async fn open(server: &Server, access: &Access, inputs: Inputs) -> Result<Source> {
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
                    snapshot: collection.snapshot().await?,
                    bucket,
                    filter,
                    ranges: ranges.into(),
                    position: None,
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
                    record: None,
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
    snapshot: RevisionedSnapshot,
    bucket: Bucket,
    filter: Option<KeyFilter>,
    ranges: VecDeque<(Bound<value::Value>, Bound<value::Value>)>,
    position: Option<DocumentPosition>,
}

impl Documents {
    async fn next(&mut self) -> Result<Vec<Input>> {
        let mut found = Vec::new();
        while found.is_empty()
            && let Some(range) = self.ranges.front()
        {
            let limit = PageLimit {
                entries: LISTED_AT_ONCE,
                bytes: PAGE_BYTES,
            };
            let position = self.position.take();
            let (records, next) = self
                .snapshot
                .documents(range.clone(), position.as_ref(), Order::Forward, limit)
                .await?;
            engine::steps(records.len())?;
            if next.is_none() {
                self.ranges.pop_front();
            }
            self.position = next;
            found.extend(records.into_iter().filter_map(|record| self.input(record)));
        }
        Ok(found)
    }

    fn input(&self, record: Record) -> Option<Input> {
        let key = key_of_id(record.document.as_raw().get("_id").unwrap_or(ValueRef::Null)).into_owned();
        let is_wanted = self.filter.as_ref().is_none_or(|filter| filter.matches(&key));
        is_wanted.then(|| Input {
            bucket: self.bucket.clone(),
            key,
            data: None,
            record: Some(record),
        })
    }
}
