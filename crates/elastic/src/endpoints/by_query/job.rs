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
use indices::write::{Change, Write, write_all};
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
                match self.change(hit, &place.index)? {
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
    fn change(&self, hit: &Hit, source: &Index) -> Result<Option<Write>> {
        let unchanged = Some((hit.sequence, 1));
        let (change, condition) = match &self.work {
            Work::Delete => (Change::Delete, unchanged),
            Work::Touch { script: Some(script) } => {
                let refused = |name: &str| ElasticError::illegal(format!("Modifying [{name}] not allowed"));
                let operation = scripted(script, source, hit, &without_id(&hit.document), refused)?;
                let Some(change) = change_of(operation, false) else {
                    return Ok(None);
                };
                (change, unchanged)
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
                    Some(script) => change_of(scripted(script, index, hit, &document, moved)?, *creates),
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

/// A script of reindexing gives a document another place.
fn moved(name: &str) -> ElasticError {
    ElasticError::unsupported(format!(
        "another [{name}], which a script of reindexing gives a document,"
    ))
}

/// What a script makes of a document that is in this index, or is to be; it may change neither its place nor its version, nor say
/// more of it.
fn scripted(
    script: &Prepared,
    index: &Index,
    hit: &Hit,
    document: &DocumentBuf,
    refused: impl Fn(&str) -> ElasticError,
) -> Result<Operation> {
    let mut context = Document::new()
        .with("_index", index.name.as_str())
        .with("_type", "_doc")
        .with("_id", hit.id.as_str())
        .with("_version", value::Value::count(hit.version))
        .with("_now", value::date::now_ms());
    if let Some(routing) = routing::kept(&hit.document) {
        context.push("_routing", routing);
    }
    let before = context.clone();
    let (operation, after) = script.changed(document.as_ref().to_document(), context)?;
    for name in ["_index", "_type", "_id", "_version", "_routing"] {
        let given = |context: &Document| context.get(name).cloned().unwrap_or(value::Value::Null);
        let (before, after) = (given(&before), given(&after));
        // Without a version a document is written whatever is there.
        let is_left = name == "_version" && matches!(after, value::Value::Null);
        if !is_left && value::compare(before.as_ref(), after.as_ref()).is_ne() {
            return Err(refused(name));
        }
    }
    let is_added = |name: &&str| !before.contains(name) && *name != "_routing";
    let added: Vec<&str> = after.iter().map(|(name, _)| name).filter(is_added).collect();
    match added.is_empty() {
        true => Ok(operation),
        false => Err(ElasticError::illegal(format!(
            "Invalid fields added to context [{}]",
            added.join(",")
        ))),
    }
}

/// The change that a script decided on; nothing where it wants none.
fn change_of(operation: Operation, create: bool) -> Option<Change> {
    match operation {
        Operation::Nothing => None,
        Operation::Delete => Some(Change::Delete),
        Operation::Put(document) => Some(put(DocumentBuf::from(&document), create)),
    }
}
