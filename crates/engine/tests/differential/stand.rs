//! Builds the collection that a case describes, in an engine of its own.

use crate::generate::indexes::is_wildcard;
use crate::generate::operations::{Operation, Write};
use crate::model::keys::is_held;
use crate::model::update::updated;
use crate::model::{id, matching};
use crate::shown::all_shown;
use code::Code;
use engine::{
    AggregateRequest, AggregateSource, Context, Engine, Error, FindRequest, Namespace, UpdateStatement,
    WriteOptions,
};
use kv::{Kv, Simulation};
use value::{Document, DocumentBuf, Value, array, doc};

/// The collection with which joins are checked.
pub const WITHOUT_INDEXES: &str = "without_indexes";

/// What a run of the test is about: all that is needed to run it again.
#[derive(Clone, Debug)]
pub struct Case {
    pub documents: Vec<Document>,
    pub indexes: Vec<Document>,
    /// Changes of all documents that match, made before the operation.
    pub writes: Vec<Write>,
    pub operation: Operation,
}

/// A collection to which a case's changes were made.
pub struct Stand {
    pub engine: Engine,
    pub context: Context,
    pub namespace: Namespace,
    /// What is in it.
    pub documents: Vec<Document>,
    /// The indexes that it has, `_id_` apart.
    pub indexes: Vec<Document>,
}

/// One way to run an operation.
#[derive(Clone, Debug)]
pub enum Plan {
    /// What the planner takes.
    Chosen,
    /// The same once more: the planner remembers.
    Remembered,
    Natural(i32),
    Hinted(Document),
}

impl Plan {
    /// All that there are with these indexes.
    pub fn all(indexes: &[Document]) -> Vec<Plan> {
        let mut all = vec![
            Plan::Natural(1),
            Plan::Natural(-1),
            Plan::Chosen,
            Plan::Remembered,
            Plan::Hinted(doc! {"name": "_id_", "key": {"_id": 1}}),
        ];
        all.extend(indexes.iter().cloned().map(Plan::Hinted));
        all
    }

    /// The hint that asks for it.
    pub fn hint(&self) -> Option<Value> {
        match self {
            Plan::Chosen | Plan::Remembered => None,
            Plan::Natural(direction) => Some(Value::Document(doc! {"$natural": (*direction)})),
            Plan::Hinted(index) => index.get("name").cloned(),
        }
    }

    /// Whether it finds this document at all: a sparse or partial index that the client insists on may lack it.
    pub fn reaches(&self, document: &Document) -> bool {
        match self {
            Plan::Hinted(index) if !is_wildcard(index) => is_held(index, document) == Ok(true),
            _ => true,
        }
    }

    /// Whether an error only says that a wildcard index has nothing for the filter.
    pub fn may_refuse(&self, error: &Error) -> bool {
        matches!(self, Plan::Hinted(index) if is_wildcard(index))
            && error.code == Code::NO_QUERY_EXECUTION_PLANS
    }
}

impl Stand {
    /// Makes the collection, and one that joins can be checked with.
    pub async fn new(case: &Case) -> Result<Stand, String> {
        let stand = Stand::filled(case).await?;
        stand.copy_without_indexes().await?;
        Ok(stand)
    }

    /// Makes the collection; half of the documents come before the indexes.
    async fn filled(case: &Case) -> Result<Stand, String> {
        let kv = Kv::simulated(&Simulation::new(1));
        let mut stand = Stand {
            engine: Engine::on(kv).await.map_err(|error| error.to_string())?,
            context: Context::default(),
            namespace: Namespace::new("db", "coll"),
            documents: Vec::new(),
            indexes: Vec::new(),
        };
        let (first, second) = case.documents.split_at(case.documents.len() / 2);
        stand.insert(first).await?;
        for index in &case.indexes {
            stand.make_index(index).await?;
        }
        stand.insert(second).await?;
        for write in &case.writes {
            stand.change_all(write).await?;
        }
        stand.check_contents().await?;
        Ok(stand)
    }

    /// The same documents and indexes in a collection that can be changed.
    pub async fn copy(&self, operation: &Operation) -> Result<Stand, String> {
        Stand::filled(&Case {
            documents: self.documents.clone(),
            indexes: self.indexes.clone(),
            writes: Vec::new(),
            operation: operation.clone(),
        })
        .await
    }

    async fn insert(&mut self, documents: &[Document]) -> Result<(), String> {
        let options = WriteOptions {
            ordered: false,
            ..WriteOptions::default()
        };
        let buffers = documents.iter().map(DocumentBuf::from).collect();
        let reply = self
            .engine
            .insert(&self.context, &self.namespace, buffers, &options);
        let failures = reply.await.map_err(|error| error.to_string())?.failures;
        for (at, document) in documents.iter().enumerate() {
            let failed = failures.iter().find(|failure| failure.index == at);
            match (failed, self.can_hold(document)) {
                (None, true) => self.documents.push(document.clone()),
                (Some(_), false) => {}
                (failed, _) => return Err(format!("insert of {document:?}: {failed:?}")),
            }
        }
        Ok(())
    }

    async fn make_index(&mut self, index: &Document) -> Result<(), String> {
        let possible = self
            .documents
            .iter()
            .all(|document| is_held(index, document).is_ok());
        let outcome = self
            .engine
            .create_indexes(&self.namespace, std::slice::from_ref(index))
            .await;
        match (outcome, possible) {
            (Ok(created), true) => {
                if created.after > created.before {
                    self.indexes.push(index.clone());
                }
                Ok(())
            }
            // One of the same key and another name is there.
            (Err(error), _) if error.code == Code::INDEX_OPTIONS_CONFLICT => Ok(()),
            (Err(_), false) => Ok(()),
            (outcome, _) => Err(format!("createIndexes of {index:?}: {outcome:?}")),
        }
    }

    /// Whether all indexes can hold a document.
    pub fn can_hold(&self, document: &Document) -> bool {
        self.indexes.iter().all(|index| is_held(index, document).is_ok())
    }

    /// The documents as a change leaves them; `None` if it is refused on one, so that not all are changed.
    pub fn after(&self, write: &Write) -> Option<Vec<Document>> {
        let mut after = Vec::new();
        for document in &self.documents {
            match &write.update {
                _ if !matching::matches(&write.filter, document) => after.push(document.clone()),
                None => {}
                Some(update) => after.push(updated(document, update).filter(|new| self.can_hold(new))?),
            }
        }
        Some(after)
    }

    async fn change_all(&mut self, write: &Write) -> Result<(), String> {
        let (Some(after), Some(update)) = (self.after(write), &write.update) else {
            return Ok(());
        };
        let statement = UpdateStatement {
            filter: write.filter.clone(),
            update: Some(Value::Document(update.clone())),
            multi: true,
            ..UpdateStatement::default()
        };
        let options = WriteOptions::default();
        let reply = self
            .engine
            .update(&self.context, &self.namespace, vec![statement], &options);
        let reply = reply.await.map_err(|error| error.to_string())?;
        if let Some(failure) = reply.failures.first() {
            return Err(format!("{write:?}: {failure:?}"));
        }
        self.documents = after;
        Ok(())
    }

    /// What the collection holds, read without an index, by `_id`.
    pub async fn contents(&self) -> Result<Vec<Document>, String> {
        let all = FindRequest {
            hint: Plan::Natural(1).hint(),
            batch_size: Some(1000),
            ..FindRequest::default()
        };
        let reply = self.engine.find(&self.context, &self.namespace, &all).await;
        let reply = reply.map_err(|error| error.to_string())?;
        let mut found: Vec<Document> = reply.batch.iter().map(DocumentBuf::to_document).collect();
        found.sort_by_key(id);
        Ok(found)
    }

    /// Makes a collection of the same documents that has no index.
    async fn copy_without_indexes(&self) -> Result<(), String> {
        let request = AggregateRequest {
            pipeline: array![{"$out": WITHOUT_INDEXES}],
            hint: Plan::Natural(1).hint(),
            ..AggregateRequest::default()
        };
        let source = AggregateSource::Collection(self.namespace.clone());
        let copied = self.engine.aggregate(&self.context, &source, &request).await;
        copied.map(drop).map_err(|error| error.to_string())
    }

    /// Whether the collection holds what it should, and its indexes agree.
    async fn check_contents(&self) -> Result<(), String> {
        let (found, wanted) = (self.contents().await?, &self.documents);
        if all_shown(&found) != all_shown(wanted) {
            return Err(format!(
                "the collection holds {found:?} and should hold {wanted:?}"
            ));
        }
        self.check_indexes().await
    }

    /// Whether the indexes hold what the documents have.
    pub async fn check_indexes(&self) -> Result<(), String> {
        if self.documents.is_empty() {
            return Ok(());
        }
        let report = self.engine.validate(&self.namespace, true).await;
        let report = report.map_err(|error| error.to_string())?;
        if report.findings.is_empty() {
            Ok(())
        } else {
            Err(format!("validate: {:?}", report.findings))
        }
    }
}
