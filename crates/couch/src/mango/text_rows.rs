//! Reading what a text index finds, best first or in the order that is asked for, and matching each document
//! (`src/mango/src/mango_cursor_text.erl`).

use super::candidate::{Candidate, STEPS_PER_ROW};
use crate::stream::Output;
use access::database::Database;
use access::error::Result;
use access::ids;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use clouseau::{HITS_MAX, SortBy, TextIndex, TextSearch};
use engine::{RevisionedCollection, RevisionedSnapshot};
use mango::Selector;
use mango::index::Index;
use mango::options::FindOptions;
use mango::warning::Statistics;
use memory::Budget;
use serde_json::Value as Json;
use std::collections::HashSet;

/// The documents of one answer at most (CouchDB's `dreyfus.max_limit`).
const LIMIT_MAX: u64 = 200;

/// Hits that are asked for at once, where that many are wanted or fewer; then all that may be.
const FIRST_HITS: usize = 400;

/// A query that a text index answers, while it runs.
pub(crate) struct TextRows<'a> {
    index: TextIndex,
    memory: Budget,
    collection: RevisionedCollection,
    snapshot: RevisionedSnapshot,
    options: &'a FindOptions,
    /// Which documents the index holds.
    partial: Selector,
    asked: TextSearch,
    /// What the last hit that counts was sorted by, after which the next query goes on.
    position: Option<Vec<Json>>,
    skip: u64,
    pub(crate) statistics: Statistics,
}

impl<'a> TextRows<'a> {
    /// Begins to ask an index that is open.
    pub(crate) async fn open(
        database: &Database,
        (defined, index): (&Index, TextIndex),
        options: &'a FindOptions,
        memory: Budget,
    ) -> Result<TextRows<'a>> {
        let position = options.bookmark.as_deref().map(read_bookmark).transpose()?;
        Ok(TextRows {
            index,
            memory,
            collection: database.collection.clone(),
            // After the index, whose entries it must have.
            snapshot: database.snapshot().await?,
            partial: Selector::parse(&defined.partial)?,
            asked: TextSearch {
                query: options.selector.text_query()?,
                partition: options.partition.clone(),
                limit: FIRST_HITS,
                sort: sort(options)?,
                by_greatest: true,
                ..TextSearch::default()
            },
            position: position.flatten(),
            skip: options.skip,
            options,
            statistics: Statistics::default(),
        })
    }

    /// The bookmark after what was found.
    pub(crate) fn bookmark(&self) -> String {
        match (&self.position, &self.options.bookmark) {
            (Some(values), _) => BASE64_URL_SAFE_NO_PAD.encode(Json::from(values.clone()).to_string()),
            (None, Some(given)) => given.clone(),
            (None, None) => super::bookmark::NIL.to_owned(),
        }
    }

    /// Appends the documents that are found, parted by commas.
    pub(crate) async fn write(&mut self, output: &mut Output) -> Result<()> {
        if self.asked.query.is_empty() {
            return Ok(());
        }
        let mut seen = HashSet::new();
        self.asked.after = self.position.clone();
        loop {
            let found = self.asked.find(&self.index, &self.memory).await?;
            let is_last = found.hits.len() < self.asked.limit;
            for found in found.hits {
                engine::steps(STEPS_PER_ROW)?;
                let values = found.hit.sort_values();
                let is_wanted = seen.insert(found.hit.id.clone());
                if is_wanted && !self.take(&found.hit.id, values.clone(), output).await? {
                    return Ok(());
                }
                self.asked.after = Some(values);
            }
            if is_last || !output.end_page().await {
                return Ok(());
            }
            self.asked.limit = HITS_MAX;
        }
    }

    /// Appends the document if it matches and is not skipped; false where no more are wanted.
    async fn take(&mut self, id: &str, values: Vec<Json>, output: &mut Output) -> Result<bool> {
        let limit = self.options.limit.min(LIMIT_MAX);
        if self.statistics.results >= limit {
            return Ok(false);
        }
        let id = ids::resolve(&self.snapshot, id).await?;
        output.begin_read(&self.collection).await?;
        let Some(record) = self.snapshot.document(id.as_ref()).await? else {
            return Ok(true);
        };
        self.statistics.keys_examined += 1;
        self.statistics.documents_examined += 1;
        let candidate = Candidate::read(&self.snapshot, &record, self.options).await?;
        self.position = Some(values);
        if !candidate.matches(&self.partial) || !candidate.matches(&self.options.selector) {
            return Ok(true);
        }
        if self.skip > 0 {
            self.skip -= 1;
            return Ok(true);
        }
        candidate.write(self.options, self.statistics.results == 0, &mut output.text);
        self.statistics.results += 1;
        Ok(self.statistics.results < limit && output.end_row().await)
    }
}

/// What rows are sorted by: relevance if the query does not say, and ids after all else.
fn sort(options: &FindOptions) -> Result<Vec<SortBy>> {
    let keys = options.selector.text_sort(&options.sort)?;
    let keys = keys.into_iter().map(|key| SortBy::Field {
        name: key.field,
        descending: key.descending,
    });
    let mut sort: Vec<SortBy> = keys.collect();
    if sort.is_empty() {
        sort.push(SortBy::Score { descending: true });
    }
    sort.push(SortBy::Id { descending: false });
    Ok(sort)
}

fn read_bookmark(bookmark: &str) -> Result<Option<Vec<Json>>> {
    if bookmark == super::bookmark::NIL {
        return Ok(None);
    }
    let decoded = BASE64_URL_SAFE_NO_PAD.decode(bookmark).ok();
    let values = decoded.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match values {
        Some(values) => Ok(Some(values)),
        None => Err(mango::Error::invalid_bookmark(&Json::from(bookmark).to_string()).into()),
    }
}
