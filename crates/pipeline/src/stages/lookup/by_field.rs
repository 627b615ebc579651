//! Lookups by equal fields: one query for several documents, whose results are then distributed by a table of values.

use super::found::LookupResults;
use super::whole::{WholeSide, is_plain};
use super::{JoinFields, Lookup};
use crate::Result;
use crate::fields::{self, Around};
use crate::join_key::{JoinKey, JoinValues, any_of, append_key};
use crate::join_step::Join;
use crate::row::Row;
use crate::stage::Run;
use crate::step::PAGE_BYTES;
use crate::waiting::Waiting;
use futures::future::BoxFuture;
use query::execute::Interruption;
use std::sync::Arc;
use value::{DocumentBuf, DocumentRef, RawDocument, Value, ValueRef};

/// The most documents that are looked up together.
const ROWS_TOGETHER_MAX: usize = 1_000;

/// The number of documents that are looked up before the first of them is joined, so that their look-ups wait for memory at the same
/// time, and not one after the other between copies.
const ASKED_TOGETHER: usize = 64;

/// The bytes of results after which fewer documents are looked up together.
const BYTES_TOGETHER_MAX: usize = 16 * 1024 * 1024;

/// If fewer bytes than this are made of them, more documents are looked up together next time.
const BYTES_FEW: usize = 1024 * 1024;

/// A running lookup.
pub(super) struct Joining {
    lookup: Arc<Lookup>,
    fields: JoinFields,
    run: Run,
    whole: WholeSide,
    /// Documents that are looked up together: fewer once their results were too large.
    together: usize,
}

impl Joining {
    pub(super) fn new(lookup: Arc<Lookup>, fields: JoinFields, run: &Run) -> Joining {
        Joining {
            lookup,
            fields,
            run: run.clone(),
            whole: WholeSide::new(),
            together: ROWS_TOGETHER_MAX,
        }
    }

    /// Looks up as many documents from the front as can be done together, and gives the bytes of what was made of them.
    async fn some(
        &mut self,
        rows: &mut std::vec::IntoIter<Row>,
        out: &mut Vec<Row>,
        interruption: &Interruption,
    ) -> Result<usize> {
        interruption.check()?;
        if let Some(bytes) = self.at_hand(rows, out)? {
            return Ok(bytes);
        }
        loop {
            interruption.check()?;
            let count = self.together.min(rows.len());
            let keys: Vec<Vec<(JoinKey, Value)>> = rows.as_slice()[..count]
                .iter()
                .map(|row| {
                    JoinValues::of(row.as_ref(), &self.fields.local, self.run.variables.collation())
                        .into_keyed()
                })
                .collect();
            let sides = (&*self.lookup, &self.fields);
            if let Some(found) = self.whole.find(sides, &keys, &self.run, interruption).await? {
                return Ok(deal(&self.lookup, rows, &keys, found, out));
            }
            let Some(found) = self.find(&keys, count == 1, interruption).await? else {
                self.together = count.div_ceil(2);
                continue;
            };
            let before = rows.len();
            let bytes = deal(&self.lookup, rows, &keys, &found, out);
            let dealt = before - rows.len();
            if dealt < count {
                // The results of the others are looked up again.
                self.together = dealt.max(1);
            } else if bytes < BYTES_FEW {
                self.together = (self.together * 2).min(ROWS_TOGETHER_MAX);
            }
            return Ok(bytes);
        }
    }

    /// Joins documents from the front, as long as the foreign collection was read and each looks up one plain value. Returns their bytes;
    /// `None` if there was none.
    fn at_hand(&self, rows: &mut std::vec::IntoIter<Row>, out: &mut Vec<Row>) -> Result<Option<usize>> {
        let [name] = self.fields.local.parts() else {
            return Ok(None);
        };
        let Some(found) = self.whole.at_hand(&self.lookup, &self.run)? else {
            return Ok(None);
        };
        let collation = self.run.variables.collation();
        let (mut key, mut places) = (Vec::new(), Vec::with_capacity(ASKED_TOGETHER));
        let (before, mut bytes) = (out.len(), 0);
        while out.len() - before < ROWS_TOGETHER_MAX && bytes < PAGE_BYTES {
            for row in rows.as_slice().iter().take(ASKED_TOGETHER) {
                let value = row.as_ref().get(name);
                let Some(value) = value.filter(|value| is_plain(*value)) else {
                    break;
                };
                key.clear();
                append_key(value, collation, &mut key);
                places.push(found.places(&key));
            }
            if places.is_empty() {
                break;
            }
            for (places, row) in places.drain(..).zip(rows.by_ref()) {
                let row = with_results(&self.lookup, row, places, found);
                bytes += row.size_bytes();
                out.push(row);
                if bytes >= PAGE_BYTES {
                    break;
                }
            }
        }
        Ok((out.len() > before).then_some(bytes))
    }

    /// The results for all these values; `None` if they are too large, unless they are for one document.
    async fn find(
        &self,
        keys: &[Vec<(JoinKey, Value)>],
        is_one: bool,
        interruption: &Interruption,
    ) -> Result<Option<LookupResults>> {
        let mut found = LookupResults::default();
        let mut values = Vec::new();
        for (key, value) in keys.iter().flatten() {
            if found.expect(key) {
                values.push(value.clone());
            }
        }
        let filter = any_of(&self.fields.foreign_name, values);
        let variables = Arc::clone(&self.run.variables);
        let mut stream = self
            .lookup
            .sub
            .open(Some(filter), &variables, &self.run, interruption)
            .await?;
        let (mut bytes, mut kept) = (0, self.run.kept("$lookup"));
        loop {
            let page = stream.next_page(interruption).await?;
            if page.is_empty() {
                return Ok(Some(found));
            }
            bytes += page.iter().map(|document| document.bytes().len()).sum::<usize>();
            if is_one {
                kept.check(bytes)?;
            } else if bytes > BYTES_TOGETHER_MAX || !kept.fits(bytes) {
                return Ok(None);
            }
            for document in &page {
                found.add_expected(document.as_raw(), &self.fields, variables.collation());
            }
        }
    }
}

/// Gives documents from the front their results until these are a page, each by its keys; gives the bytes.
fn deal(
    lookup: &Lookup,
    rows: &mut std::vec::IntoIter<Row>,
    keys: &[Vec<(JoinKey, Value)>],
    found: &LookupResults,
    out: &mut Vec<Row>,
) -> usize {
    let mut bytes = 0;
    for keys in keys {
        let Some(row) = rows.next() else { break };
        let row = joined(lookup, row, keys, found);
        bytes += row.size_bytes();
        out.push(row);
        if bytes >= PAGE_BYTES {
            break;
        }
    }
    bytes
}

/// A document with its results.
fn joined(lookup: &Lookup, row: Row, keys: &[(JoinKey, Value)], found: &LookupResults) -> Row {
    if let [(key, _)] = keys {
        return with_results(lookup, row, found.places(key), found);
    }
    let mut places: Vec<usize> = keys
        .iter()
        .flat_map(|(key, _)| found.places(key).iter().copied())
        .collect();
    places.sort_unstable();
    places.dedup();
    with_results(lookup, row, &places, found)
}

/// A document with the results at these places.
fn with_results(lookup: &Lookup, row: Row, places: &[usize], found: &LookupResults) -> Row {
    let results = places.iter().map(|at| found.result(*at));
    match (row, lookup.into.parts()) {
        (Row::Raw(document), [name]) => Row::Raw(with_documents(&document, name, results)),
        (row, parts) => {
            let (mut document, metadata) = row.into_parts();
            let results = results.map(|result| Value::Document(DocumentRef::Raw(result).to_document()));
            fields::set(&mut document, parts, Value::Array(results.collect()));
            Row::of_parts(document, metadata)
        }
    }
}

/// The document with a field of other documents, all of them copied as they are.
fn with_documents<'r>(
    document: &DocumentBuf,
    name: &str,
    results: impl Iterator<Item = RawDocument<'r>> + Clone,
) -> DocumentBuf {
    let bytes = results.clone().map(|result| result.as_bytes().len() + 8).sum();
    Around::of(document.as_raw(), name).with(bytes, |writer, name| {
        writer.put_array(name, |array| {
            let mut number = itoa::Buffer::new();
            for (at, result) in results.enumerate() {
                array.put(number.format(at), ValueRef::Document(DocumentRef::Raw(result)));
            }
        });
    })
}

impl Join for Joining {
    fn join<'a>(
        &'a mut self,
        waiting: &'a mut Waiting,
        out: &'a mut Vec<Row>,
        room: usize,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<usize>> {
        Box::pin(async move {
            let mut rows = waiting.take(ROWS_TOGETHER_MAX)?.into_iter();
            let mut bytes = 0;
            while bytes < room && rows.len() > 0 {
                bytes += self.some(&mut rows, out, interruption).await?;
            }
            rows.rev().for_each(|row| waiting.push_front(row));
            Ok(bytes)
        })
    }
}
