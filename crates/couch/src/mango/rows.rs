//! Reading the part of an index that a query needs, in its order, and matching each document.

use super::candidate::{Candidate, STEPS_PER_ROW, id_of};
use super::{bookmark, design};
use crate::limits::PAGE_ROWS;
use crate::stream::Output;
use access::database::Database;
use access::error::Result;
use access::ids;
use engine::{
    CollatedIndex, CollatedRange, DocumentPosition, FoundIds, Order, PageLimit, Record, RevisionedCollection,
    RevisionedSnapshot,
};
use mango::choice::Bounds;
use mango::index::Index;
use mango::options::FindOptions;
use mango::warning::Statistics;
use std::collections::VecDeque;
use std::ops::Bound;
use value::Value;

/// The rows of the first page that is read, where few may be enough.
const FIRST_PAGE_ROWS: usize = 64;

/// Where rows come from.
enum Source {
    AllDocs,
    /// Documents that the planner finds by an index of the MongoDB protocol, where it would else be all.
    /// Those ids that are known stay until their documents were looked at.
    Found(FoundIds, VecDeque<Value>),
    Built(CollatedIndex),
    /// An index that is not built, of a query that does not wait for it.
    Unbuilt,
}

/// A query while it runs.
pub(crate) struct Rows<'a> {
    collection: RevisionedCollection,
    snapshot: RevisionedSnapshot,
    source: Source,
    bounds: Bounds,
    /// The one `_id` that is asked for, whatever its type.
    only_id: Option<Value>,
    options: &'a FindOptions,
    covering: bool,
    order: Order,
    /// The last row that was found, after which the next query goes on.
    position: Option<DocumentPosition>,
    skip: u64,
    pub(crate) statistics: Statistics,
}

impl<'a> Rows<'a> {
    /// Opens the index, which is built first where it must be.
    pub(crate) async fn open(
        database: &Database,
        index: &Index,
        bounds: Bounds,
        options: &'a FindOptions,
    ) -> Result<Rows<'a>> {
        let definition = design::definition(index);
        let bounds = bounds.of_first(index.bounded());
        let by_ids = index.is_special() || (definition.fields.is_empty() && !index.is_partial());
        let source = match (by_ids, options.update && !options.stale) {
            (true, _) => Source::AllDocs,
            (false, true) => Source::Built(database.collection.collated_index(&definition).await?),
            (false, false) => {
                let built = database.collection.built_index(&definition);
                built.map_or(Source::Unbuilt, Source::Built)
            }
        };
        let is_backward = options.sort.descending && !options.sort.fields.is_empty();
        let order = match is_backward {
            true => Order::Backward,
            false => Order::Forward,
        };
        let source = match source {
            Source::AllDocs => all_or_found(database, &bounds, order, options).await?,
            source => source,
        };
        // After the index, whose entries it must have.
        let snapshot = database.snapshot().await?;
        let only_id = match (&source, &bounds.start()[..], &bounds.end()[..]) {
            (Source::AllDocs, [Value::String(low)], [Value::String(high)])
                if low == high && options.partition.is_none() =>
            {
                Some(ids::resolve(&snapshot, low).await?)
            }
            _ => None,
        };
        Ok(Rows {
            collection: database.collection.clone(),
            snapshot,
            only_id,
            source,
            bounds,
            covering: mango::explain::is_covering(index, options),
            order,
            position: options
                .bookmark
                .as_deref()
                .map(bookmark::read)
                .transpose()?
                .flatten(),
            skip: options.skip,
            options,
            statistics: Statistics::default(),
        })
    }

    /// The bookmark after what was found.
    pub(crate) fn bookmark(&self) -> String {
        match (&self.position, &self.options.bookmark) {
            (Some(position), _) => position.to_token(),
            (None, Some(given)) => given.clone(),
            (None, None) => bookmark::NIL.to_owned(),
        }
    }

    /// Whether every document is looked at.
    pub(crate) fn is_full_scan(&self) -> bool {
        matches!(self.source, Source::AllDocs)
    }

    /// Appends the documents that are found, parted by commas.
    pub(crate) async fn write(&mut self, output: &mut Output) -> Result<()> {
        let mut after = self.position.clone();
        let mut page_rows = FIRST_PAGE_ROWS;
        loop {
            output.begin_read(&self.collection).await?;
            let (page, mut exhausted) = self.page(after.as_ref(), output.page(page_rows)).await?;
            for (position, record) in page {
                engine::steps(STEPS_PER_ROW)?;
                self.examine();
                if self.statistics.results >= self.options.limit {
                    // One row more tells CouchDB that it has enough.
                    return Ok(());
                }
                let is_written = self.take(&position, &record, output).await?;
                after = Some(position);
                if is_written && output.must_wait() {
                    exhausted = false;
                    break;
                }
                if is_written && !output.flush_if_large().await {
                    return Ok(());
                }
            }
            if !output.end_page().await || exhausted {
                return Ok(());
            }
            page_rows = PAGE_ROWS;
        }
    }

    /// The rows after a place, and whether they are the last.
    async fn page(
        &mut self,
        after: Option<&DocumentPosition>,
        limit: PageLimit,
    ) -> Result<(Vec<(DocumentPosition, Record)>, bool)> {
        match &mut self.source {
            Source::Found(found, ids) => loop {
                let position = |id: &Value| DocumentPosition::of_id(id.as_ref());
                while ids
                    .front()
                    .is_some_and(|id| !is_after(&position(id), after, self.order))
                {
                    ids.pop_front();
                }
                if ids.is_empty() {
                    ids.extend(found.next(limit.entries).await?);
                    if ids.is_empty() {
                        return Ok((Vec::new(), true));
                    }
                    continue;
                }
                let (mut rows, mut bytes) = (Vec::new(), 0);
                for id in ids.iter() {
                    if bytes >= limit.bytes {
                        break;
                    }
                    if let Some(record) = self.snapshot.document(id.as_ref()).await? {
                        bytes += record.document.bytes().len();
                        rows.push((position(id), record));
                    }
                }
                if !rows.is_empty() {
                    return Ok((rows, false));
                }
                ids.clear();
            },
            Source::Unbuilt => Ok((Vec::new(), true)),
            Source::Built(index) => {
                let range = CollatedRange {
                    partition: self.options.partition.as_deref(),
                    start: &self.bounds.start(),
                    end: &self.bounds.end(),
                };
                let (rows, exhausted) = self
                    .snapshot
                    .collated_rows(index, range, after, self.order, limit)
                    .await?;
                let rows = rows.into_iter().map(|row| (row.position, row.record));
                Ok((rows.collect(), exhausted))
            }
            Source::AllDocs => {
                let (records, next) = self
                    .snapshot
                    .documents(self.id_range(), after, self.order, limit)
                    .await?;
                let row = |record: Record| (DocumentPosition::of_id(id_of(&record)), record);
                Ok((records.into_iter().map(row).collect(), next.is_none()))
            }
        }
    }

    /// The ids between the bounds, in the partition that is asked for; what is no string bounds no ids.
    fn id_range(&self) -> (Bound<Value>, Bound<Value>) {
        if let Some(id) = &self.only_id {
            return (Bound::Included(id.clone()), Bound::Included(id.clone()));
        }
        let end = |values: Vec<Value>| match values.into_iter().next() {
            Some(id @ Value::String(_)) => Bound::Included(id),
            _ => Bound::Unbounded,
        };
        let range = (end(self.bounds.start()), end(self.bounds.end()));
        match &self.options.partition {
            Some(partition) => ids::within(range, ids::of_partition(partition)),
            None => range,
        }
    }

    fn examine(&mut self) {
        self.statistics.keys_examined += 1;
        // What an index covers is not counted as read, as CouchDB does not read it.
        match (self.options.r, self.covering) {
            (1, true) => {}
            (1, false) => self.statistics.documents_examined += 1,
            _ => self.statistics.quorum_documents_examined += 1,
        }
    }

    /// Appends the document if it matches and is not skipped.
    async fn take(
        &mut self,
        position: &DocumentPosition,
        record: &Record,
        output: &mut Output,
    ) -> Result<bool> {
        let id = ids::text(id_of(record));
        if matches!(self.source, Source::AllDocs | Source::Found(..)) && id.starts_with(ids::DESIGN) {
            return Ok(false);
        }
        let candidate = Candidate::read(&self.snapshot, record, self.options).await?;
        if !candidate.matches(&self.options.selector) {
            return Ok(false);
        }
        self.position = Some(position.clone());
        if self.skip > 0 {
            self.skip -= 1;
            return Ok(false);
        }
        candidate.write(self.options, self.statistics.results == 0, &mut output.text);
        self.statistics.results += 1;
        Ok(true)
    }
}

/// All documents, or those that an index of the MongoDB protocol finds, unless bounds or a partition leave few of the `_id`s.
async fn all_or_found(
    database: &Database,
    bounds: &Bounds,
    order: Order,
    options: &FindOptions,
) -> Result<Source> {
    let bounds_ids = |side: Vec<Value>| matches!(side.first(), Some(Value::String(_)));
    // A partition bounds the ids as well.
    if options.partition.is_some() || bounds_ids(bounds.start()) || bounds_ids(bounds.end()) {
        return Ok(Source::AllDocs);
    }
    let found = database.collection.found_ids(&options.selector, order).await?;
    Ok(found.map_or(Source::AllDocs, |found| Source::Found(found, VecDeque::new())))
}

/// Whether a row comes after a position that was reached before.
fn is_after(position: &DocumentPosition, after: Option<&DocumentPosition>, order: Order) -> bool {
    after.is_none_or(|after| match order {
        Order::Forward => position > after,
        Order::Backward => position < after,
    })
}
