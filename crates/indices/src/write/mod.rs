//! Writing documents: each write is one edit that follows the revision which its conditions were checked on.

mod prepare;

use crate::error::{ElasticError, Result, kinds};
use crate::index::Index;
use crate::insert::insert_all;
use crate::limits::RETRIES_MAX;
use crate::routing::{ROUTING, Routing};
use crate::scripts::Prepared as Scripted;
use engine::{Edit, EditOutcome, RevisionedSnapshot};
use http::StatusCode;
use indexing::{change_number, sequence_number};
use memory::{Holder, Share};
use prepare::{Prepared, Step, ended, prepare};
use serde_json::{Map, Value as Json, json};
use value::raw::DocumentWriter;
use value::{Document, DocumentBuf, Value, ValueRef};

/// What is to become of a document.
#[derive(Clone, Debug)]
pub enum Change {
    /// The document is replaced or added.
    Put {
        /// The new document, without its `_id`.
        document: DocumentBuf,
        /// Whether the document must not exist yet.
        create: bool,
    },
    /// The document is deleted.
    Delete,
    /// It is changed in part.
    Update(Update),
}

/// A change in part.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// The members that are merged into it.
    pub part: Option<Document>,
    /// The document that is made where there is none.
    pub upsert: Option<Document>,
    /// Whether the part itself is that document.
    pub doc_as_upsert: bool,
    /// Whether a change that changes nothing is none.
    pub detect_noop: bool,
    /// The script that changes it, in place of a part.
    pub script: Option<Scripted>,
    /// Whether the script also makes the document that is not there yet, out of the other one.
    pub scripted_upsert: bool,
}

impl Update {
    /// The document that it makes where there is none.
    pub fn made(&mut self) -> Option<&mut Document> {
        match self.doc_as_upsert {
            true => self.part.as_mut(),
            false => self.upsert.as_mut(),
        }
    }
}

/// One write.
#[derive(Clone, Debug)]
pub struct Write {
    /// The id of the document.
    pub id: String,
    /// Whether the id was just made: no document has such a one, so none is looked for.
    pub is_new: bool,
    /// The routing that is given with it.
    pub routing: Option<String>,
    /// The change to it.
    pub change: Change,
    /// `if_seq_no` and `if_primary_term`.
    pub condition: Option<(u64, u64)>,
    /// The version that the document is to have, which somebody else counts.
    pub version: Option<OwnVersion>,
}

/// A version that a client gives.
#[derive(Clone, Copy, Debug)]
pub struct OwnVersion {
    /// The version.
    pub number: u64,
    /// Whether the one that is there already will do, too.
    pub or_equal: bool,
}

/// What became of a write.
#[derive(Clone, Debug)]
pub struct Written {
    /// The id of the document.
    pub id: String,
    /// How often it was written.
    pub version: u64,
    /// The number of the change, `_seq_no`.
    pub sequence: u64,
    /// `created`, `updated`, `deleted`, `not_found` or `noop`.
    pub result: &'static str,
    /// The document as it is.
    pub document: Option<DocumentBuf>,
}

impl Written {
    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        match self.result {
            "created" => StatusCode::CREATED,
            "not_found" => StatusCode::NOT_FOUND,
            _ => StatusCode::OK,
        }
    }

    /// The members of the answer.
    pub fn to_json(&self, index: &str) -> Map<String, Json> {
        let shards = match self.result {
            "noop" => json!({"total": 0, "successful": 0, "failed": 0}),
            _ => json!({"total": 1, "successful": 1, "failed": 0}),
        };
        let answer = json!({
            "_index": index, "_type": "_doc", "_id": self.id, "_version": self.version, "result": self.result,
            "_shards": shards, "_seq_no": self.sequence, "_primary_term": 1,
        });
        match answer {
            Json::Object(answer) => answer,
            _ => Map::new(),
        }
    }
}

/// Carries out writes of different documents; one result each, in their order.
pub async fn write_all(index: &Index, writes: &[Write]) -> Result<Vec<Result<Written>>> {
    let routing = index.routing();
    let insertions = if routing.is_required {
        None
    } else {
        insertions(writes)
    };
    let results = match insertions {
        Some(documents) => insert_all(index, &documents).await?,
        None => edit_all(index, routing, writes).await?,
    };
    count(index, &results);
    Ok(results)
}

/// The ids and documents of writes that do nothing but insert documents of new ids.
fn insertions(writes: &[Write]) -> Option<Vec<(&str, &DocumentBuf)>> {
    let insertions = writes.iter().map(|write| match &write.change {
        Change::Put { document, .. }
            if write.is_new && write.condition.is_none() && write.routing.is_none() =>
        {
            Some((write.id.as_str(), document))
        }
        _ => None,
    });
    insertions.collect()
}

async fn edit_all(index: &Index, routing: Routing, writes: &[Write]) -> Result<Vec<Result<Written>>> {
    let mut editing = Editing {
        index,
        routing,
        writes,
        results: writes.iter().map(|_| None).collect(),
    };
    let mut left: Vec<usize> = (0..writes.len()).collect();
    for _ in 0..RETRIES_MAX {
        let mut made = engine::operation_memory().share(Holder::Ingest);
        let prepared = editing.prepare(left, &mut made).await?;
        let fitting = editing.learn(prepared).await?;
        left = editing.commit(fitting).await?;
        if left.is_empty() {
            break;
        }
    }
    let busy = || {
        let reason = "the document is changed by others all the time; try again";
        ElasticError::new(StatusCode::CONFLICT, kinds::CONFLICT, reason)
    };
    let results = editing.results.into_iter();
    Ok(results
        .map(|result| result.unwrap_or_else(|| Err(busy())))
        .collect())
}

/// Writes of different documents on their way, and what became of them so far.
struct Editing<'w> {
    index: &'w Index,
    routing: Routing,
    writes: &'w [Write],
    results: Vec<Option<Result<Written>>>,
}

/// Those that are ready, by their places.
type Ready = Vec<(usize, Box<Prepared>)>;

impl Editing<'_> {
    /// Makes the edits of these writes on what is there now; `made` has the memory of documents that are changed in part.
    async fn prepare(&mut self, left: Vec<usize>, made: &mut Share) -> Result<Ready> {
        let snapshot = self.index.collection.snapshot().await?;
        let mut ready = Vec::new();
        for at in left {
            let write = &self.writes[at];
            match prepare(self.index, self.routing, &snapshot, write).await {
                Ok(Step::Done(written)) => self.results[at] = Some(Ok(*written)),
                Ok(Step::Commit(prepared)) => match hold(made, write, &prepared) {
                    Ok(()) => ready.push((at, prepared)),
                    Err(error) => self.results[at] = Some(Err(error)),
                },
                Err(error) => self.results[at] = Some(Err(error)),
            }
        }
        Ok(ready)
    }

    /// Lets the mapping learn the documents, and leaves out those that do not fit it.
    async fn learn(&mut self, ready: Ready) -> Result<Ready> {
        let documents = ready.iter().map(|(_, prepared)| prepared.edit.document.clone());
        let documents: Vec<DocumentBuf> = documents.collect();
        let learnt = self.index.learn(&documents).await?;
        let mut fitting = Vec::with_capacity(ready.len());
        for ((at, prepared), learnt) in ready.into_iter().zip(learnt) {
            match learnt {
                Err(error) if !prepared.edit.deleted => {
                    self.results[at] = Some(Err(in_document(error, &self.writes[at].id)));
                }
                _ => fitting.push((at, prepared)),
            }
        }
        Ok(fitting)
    }

    /// Commits edits; those of documents that somebody else has changed since are to be made again.
    async fn commit(&mut self, ready: Ready) -> Result<Vec<usize>> {
        let mut left = Vec::new();
        if ready.is_empty() {
            return Ok(left);
        }
        let edits = ready.iter().map(|(_, prepared)| prepared.edit.clone());
        let outcomes = self.index.collection.edit(edits.collect(), true).await?;
        let ends: Vec<Edit> = ready.iter().filter_map(|(_, prepared)| ended(prepared)).collect();
        if !ends.is_empty() {
            // One that has changed since is somebody else's to end.
            self.index.collection.edit(ends, true).await?;
        }
        let after = self.index.collection.snapshot().await?;
        for ((at, prepared), outcome) in ready.into_iter().zip(outcomes) {
            match outcome {
                EditOutcome::Written(revision) => {
                    let sequence = sequence_of(&after, &prepared.edit).await?;
                    self.results[at] = Some(Ok(Written {
                        id: self.writes[at].id.clone(),
                        version: revision.generation,
                        sequence,
                        result: prepared.result,
                        document: (!prepared.edit.deleted).then(|| prepared.edit.document.clone()),
                    }));
                }
                EditOutcome::Conflict => left.push(at),
                EditOutcome::Refused(error) => self.results[at] = Some(Err(error.into())),
            }
        }
        Ok(left)
    }
}

/// Takes the memory of a document that a change in part has made, which says nothing of its size.
fn hold(made: &mut Share, write: &Write, prepared: &Prepared) -> Result<()> {
    match write.change {
        Change::Update(_) => made
            .add(prepared.edit.document.bytes().len())
            .map_err(|full| ElasticError::no_memory(&full)),
        Change::Put { .. } | Change::Delete => Ok(()),
    }
}

fn count(index: &Index, results: &[Result<Written>]) {
    let counters = index.counters();
    for result in results {
        let counter = match result.as_ref().map(|written| written.result) {
            Ok("created" | "updated") => &counters.indexed,
            Ok("deleted") => &counters.deleted,
            Ok(_) => &counters.unchanged,
            Err(_) => &counters.failed,
        };
        counter.add(1);
    }
}

/// The same for one.
pub async fn write_one(index: &Index, write: Write) -> Result<Written> {
    let mut results = write_all(index, &[write]).await?;
    results
        .pop()
        .unwrap_or_else(|| Err(ElasticError::illegal("nothing was written")))
}

/// The number of an edit's change, or of a later one where somebody has changed the document since.
async fn sequence_of(snapshot: &RevisionedSnapshot, edit: &Edit) -> Result<u64> {
    let id = edit
        .document
        .as_raw()
        .get("_id")
        .map(ValueRef::to_value)
        .unwrap_or(Value::Null);
    Ok(match snapshot.document(id.as_ref()).await? {
        Some(record) => sequence_number(&record),
        None => change_number(&snapshot.head()),
    })
}

/// What the `_id` and the routing of a document take, about.
const ID_ROOM: usize = 64;

/// A document with its `_id` and its routing in front.
pub(crate) fn whole(id: ValueRef<'_>, routing: Option<&str>, document: &DocumentBuf) -> DocumentBuf {
    let mut bytes = Vec::with_capacity(document.bytes().len() + ID_ROOM);
    let mut writer = DocumentWriter::new(&mut bytes);
    writer.put("_id", id);
    if let Some(routing) = routing {
        writer.put(ROUTING, ValueRef::String(routing));
    }
    writer.put_all(document.as_raw());
    writer.finish();
    DocumentBuf::from_validated(bytes.into())
}

/// A mapping's refusal names the document.
pub(crate) fn in_document(mut error: ElasticError, id: &str) -> ElasticError {
    if error.kind == kinds::MAPPING {
        // What is wrong with a value is told as the cause.
        if let Some((whole, why)) = error.reason.clone().split_once("]: date[") {
            error.reason = format!("{whole}]");
            error = error.because(ElasticError::illegal(format!("date[{why}")));
        } else if let Some(why) = error.reason.clone().strip_prefix("failed to parse: ") {
            error = error.because(ElasticError::illegal(why));
        }
        error.reason = format!("{} in document with id '{id}'", error.reason);
    }
    error
}
