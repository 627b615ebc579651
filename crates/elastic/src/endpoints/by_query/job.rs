//! The work itself: batch after batch of one snapshot, each document as it was seen or not at all.

use super::Run;
use super::progress::{Pace, Progress};
use crate::limits::BULK_COMMIT_MAX;
use indices::Index;
use indices::documents::{document_of, without_id};
use indices::error::{ElasticError, Result};
use indices::routing;
use indices::scan::{self, IndexSnapshot};
use indices::scripts::{Operation, Prepared};
use indices::write::{Change, Update, Write, write_all};
use rest::failed::all_shards;
use rest::source::SourceFilter;
use rest::tasks::Task;
use search::{Held, Hit, Request, SortKey};
use serde_json::{Map, Value};
use value::{Document, DocumentBuf};

/// What is to be done with documents that are found.
pub(super) struct Job {
    pub(super) places: Vec<IndexSnapshot>,
    pub(super) request: Request,
    pub(super) work: Work,
    pub(super) pace: Pace,
    /// The memory that its batches are of.
    pub(super) held: Held,
}

/// What becomes of a document.
pub(super) enum Work {
    Delete,
    /// It is written again as it is, so that what has changed in the mapping is true of it.
    /// Where there is a script, it changes it.
    Touch {
        script: Option<Prepared>,
    },
    /// It is put into another index.
    Copy {
        index: Index,
        creates: bool,
        filter: SourceFilter,
        script: Option<Prepared>,
    },
}

impl Run for Job {
    fn pace(&self) -> Pace {
        self.pace
    }

    async fn run(mut self, task: &Task, progress: &mut Progress) -> Result<()> {
        self.request.size = self.pace.batch;
        loop {
            let show = |_: &Hit, _: &[SortKey], _: &Map<String, Value>| Ok(Value::Null);
            let found = scan::run(&self.request, false, &self.places, None, &self.held, &show).await;
            let index = self.places.first().map(|place| &place.index);
            let found = found.map_err(|error| all_shards(error, index))?.outcome;
            let wanted = progress.take(found.hits.len(), found.total);
            let hits = &found.hits[..wanted];
            let Some(last) = hits.last() else { break };
            for part in hits.chunks(BULK_COMMIT_MAX) {
                self.write(part, progress).await?;
            }
            task.set_status(progress.status());
            if progress.is_over(task, wanted) {
                break;
            }
            self.request.after = Some(Box::new(last.place()));
            progress.rest(task, wanted).await;
        }
        Ok(())
    }
}

impl Job {
    async fn write(&self, hits: &[Hit], progress: &mut Progress) -> Result<()> {
        for (at, place) in self.places.iter().enumerate() {
            let own: Vec<&Hit> = hits.iter().filter(|hit| hit.index == at).collect();
            if own.is_empty() {
                continue;
            }
            let mut writes = Vec::with_capacity(own.len());
            for hit in own {
                match self.change(hit)? {
                    Some(write) => writes.push(write),
                    None => progress.passed(),
                }
            }
            if writes.is_empty() {
                continue;
            }
            let index = match &self.work {
                Work::Copy { index, .. } => index,
                Work::Delete | Work::Touch { .. } => &place.index,
            };
            let results = write_all(index, &writes).await?;
            progress.wrote(index, &writes, results);
        }
        Ok(())
    }

    /// What becomes of a document; nothing where a script says so.
    fn change(&self, hit: &Hit) -> Result<Option<Write>> {
        let unchanged = Some((hit.sequence, 1));
        let (change, condition) = match &self.work {
            Work::Delete => (Change::Delete, unchanged),
            Work::Touch { script: Some(script) } => {
                let update = Update {
                    script: Some(script.clone()),
                    ..Update::default()
                };
                (Change::Update(update), unchanged)
            }
            Work::Touch { script: None } => {
                let document = without_id(&hit.document);
                let create = false;
                (Change::Put { document, create }, unchanged)
            }
            Work::Copy {
                creates,
                filter,
                script,
                index,
            } => {
                let shown = filter.shown(&hit.document);
                let document = match filter.is_all() {
                    true => without_id(&hit.document),
                    false => document_of(shown.to_string().as_bytes())?,
                };
                let change = match script {
                    None => Some(put(document, *creates)),
                    Some(script) => scripted(script, index, hit, &document, *creates)?,
                };
                let Some(change) = change else {
                    return Ok(None);
                };
                (change, None)
            }
        };
        Ok(Some(Write {
            id: hit.id.clone(),
            is_new: false,
            routing: routing::kept(&hit.document).map(str::to_owned),
            change,
            condition,
            version: None,
        }))
    }
}

fn put(document: DocumentBuf, create: bool) -> Change {
    Change::Put { document, create }
}

/// What a script makes of a document on its way into another index.
fn scripted(
    script: &Prepared,
    index: &Index,
    hit: &Hit,
    document: &DocumentBuf,
    create: bool,
) -> Result<Option<Change>> {
    let mut context = Document::new()
        .with("_index", index.name.as_str())
        .with("_id", hit.id.as_str())
        .with("_version", value::Value::count(hit.version));
    if let Some(routing) = routing::kept(&hit.document) {
        context.push("_routing", routing);
    }
    let before = context.clone();
    let (operation, after) = script.changed(document.as_ref().to_document(), context)?;
    for name in ["_index", "_id", "_routing"] {
        if before.get(name) != after.get(name) {
            return Err(ElasticError::unsupported(format!(
                "another [{name}], which a script of reindexing gives a document,"
            )));
        }
    }
    Ok(match operation {
        Operation::Nothing => None,
        Operation::Delete => Some(Change::Delete),
        Operation::Put(document) => Some(put(DocumentBuf::from(&document), create)),
    })
}
