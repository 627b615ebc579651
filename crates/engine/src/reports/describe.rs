//! The documents of the stages `$collStats`, `$indexStats`, `$planCacheStats`, `$currentOp` and `$listSessions`.

use crate::catalog::collections::CollectionEntry;
use crate::catalog::id_index;
use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::reports::stats::{CollectionReport, file_bytes};
use crate::searching::WhichSearchIndex;
use crate::tables::display::date_of;
use crate::time_series::TimeSeries;
use code::Code;
use pipeline::{CollectionStatistics, Subject};
use store::Namespace;
use value::date::now_ms;
use value::{Binary, Document, Value, doc};

impl Engine {
    /// The documents that describe a part of the server.
    pub(crate) async fn describe(&self, context: &Context, subject: &Subject) -> Result<Vec<Document>> {
        match subject {
            Subject::CollectionStatistics(namespace, wanted) => {
                Ok(vec![self.collection_statistics(namespace, wanted).await?])
            }
            Subject::IndexStatistics(namespace) => Ok(self.index_statistics(namespace)),
            Subject::PlanCache(namespace) => {
                let collection = self
                    .store()
                    .collection(namespace)
                    .filter(|collection| !collection.is_view())
                    .ok_or_else(|| {
                        let message =
                            format!("cannot generate planCacheStats: collection {namespace} does not exist");
                        Error::new(Code::location(50_933), message)
                    })?;
                if TimeSeries::of(&collection.options()).is_some() {
                    // MongoDB reads a time series through a stage, which stands before this one.
                    let message = "$planCacheStats is only valid as the first stage in a pipeline";
                    return Err(Error::new(Code::location(40_602), message));
                }
                Ok(query::plan::remembered_plans(&collection))
            }
            Subject::Catalog { database, shards } => Ok(self.catalog_documents(database.as_deref(), *shards)),
            Subject::SearchIndexes { namespace, id, name } => {
                let which = WhichSearchIndex {
                    id: id.clone(),
                    name: name.clone(),
                };
                self.search_indexes()?.list(self, namespace, &which)
            }
            Subject::Operations(wanted) => Ok(self.operation_documents(context, wanted)),
            Subject::Sessions { all_users, users } => {
                Ok(self.session_documents(context, *all_users, users.as_deref()))
            }
        }
    }

    async fn collection_statistics(
        &self,
        namespace: &Namespace,
        wanted: &CollectionStatistics,
    ) -> Result<Document> {
        let mut described = doc! {
            "ns": namespace.to_string(),
            "host": host_name(),
            "localTime": Value::DateTime(now_ms()),
        };
        if let Some(histograms) = wanted.latencies {
            let latencies = self.latencies().of(namespace);
            described.push("latencyStats", latencies.to_document(histograms));
        }
        let reads_storage = wanted.storage_scale.is_some() || wanted.count || wanted.query_execution;
        if reads_storage {
            self.refuse_view(namespace)?;
        }
        let collection = self.existing(namespace).ok();
        if let Some(scale) = wanted.storage_scale {
            let report = self.collection_report(namespace).await?;
            let mut storage = report.to_document(scale);
            if collection.is_none() {
                storage = doc! {"size": 0, "count": 0, "numOrphanDocs": 0, "storageSize": 0, "totalSize": 0,
                "nindexes": 0, "totalIndexSize": 0, "indexDetails": {}, "indexSizes": {}, "scaleFactor": Value::count(scale)};
            }
            described.push("storageStats", storage);
        }
        if wanted.count || wanted.query_execution {
            let collection = collection.ok_or_else(|| {
                let message = format!(
                    "Unable to retrieve count in $collStats stage :: caused by :: Collection [{namespace}] not found."
                );
                Error::new(Code::NAMESPACE_NOT_FOUND, message)
            })?;
            collection.check_sound()?;
            if wanted.count {
                described.push("count", Value::count(collection.stats().count));
            }
            if wanted.query_execution {
                let total = query::plan::collection_scans(&collection) as i64;
                described.push(
                    "queryExecStats",
                    doc! {"collectionScans": {"total": total, "nonTailable": total}},
                );
            }
        }
        Ok(described)
    }

    fn index_statistics(&self, namespace: &Namespace) -> Vec<Document> {
        let Some(collection) = self.store().collection(namespace) else {
            return Vec::new();
        };
        let indexes = id_index::shown(&collection);
        let described = indexes.iter().map(|index| {
            let (uses, since_ms) = index.uses();
            let spec = index.spec();
            let mut described = doc! {
                "name": spec.name.as_str(),
                "key": spec.key.clone(),
                "host": host_name(),
                "accesses": {"ops": uses as i64, "since": Value::DateTime(since_ms as i64)},
            };
            if index.state() != store::IndexState::Ready {
                described.push("building", true);
            }
            described.push("spec", spec.to_document());
            described
        });
        described.collect()
    }

    fn catalog_documents(&self, database: Option<&str>, shards: bool) -> Vec<Document> {
        let databases = match database {
            Some(database) => vec![database.to_owned()],
            None => self.databases(),
        };
        let mut documents = Vec::new();
        for database in databases {
            for entry in self.collections(&database) {
                documents.push(catalog_document(&database, entry, shards));
            }
        }
        documents
    }

    /// The sessions in use: one's own, those of certain users, or all.
    fn session_documents(
        &self,
        context: &Context,
        all_users: bool,
        users: Option<&[(String, String)]>,
    ) -> Vec<Document> {
        let named = |(name, database): &(String, String)| match (name.as_str(), database.as_str()) {
            ("", "") => auth::NOBODY_DIGEST,
            (name, database) => auth::user_digest(&format!("{name}@{database}")),
        };
        let wanted: Vec<[u8; 32]> = match users {
            Some(users) if !users.is_empty() => users.iter().map(named).collect(),
            _ => vec![
                context
                    .user
                    .as_deref()
                    .map_or(auth::NOBODY_DIGEST, auth::user_digest),
            ],
        };
        let sessions = self.sessions().all();
        let sessions = sessions
            .into_iter()
            .filter(|(session, _)| all_users || wanted.contains(&session.user));
        sessions
            .map(|(session, last_use)| doc! {"_id": session.to_document(), "lastUse": date_of(last_use)})
            .collect()
    }
}

/// A collection as `$listClusterCatalog` lists it.
fn catalog_document(database: &str, entry: CollectionEntry, shards: bool) -> Document {
    let kind = match &entry {
        entry if entry.is_view => "view",
        entry if entry.options.contains("timeseries") => "timeseries",
        _ => "collection",
    };
    let mut document = doc! {
        "ns": format!("{database}.{}", entry.name),
        "db": database,
        "type": kind,
    };
    if let Some(id_index) = entry.id_index {
        document.push("idIndex", id_index);
    }
    let mut info = doc! {"readOnly": entry.is_view};
    if let Some(uuid) = entry.uuid {
        info.push(
            "uuid",
            Binary {
                subtype: 4,
                bytes: uuid.to_vec(),
            },
        );
    }
    document.push("options", entry.options);
    document.push("info", info);
    document.push("sharded", false);
    if shards {
        document.push("shards", Value::Array(Vec::new()));
    }
    document
}

impl CollectionReport {
    /// The sizes divided by `scale`, with MongoDB's names. Sizes on disk are those of whole files.
    pub fn to_document(&self, scale: u64) -> Document {
        let storage_bytes = file_bytes(self.storage_bytes);
        let index_bytes: u64 = self.indexes.iter().map(|(_, bytes)| file_bytes(*bytes)).sum();
        let sizes: Document = self
            .indexes
            .iter()
            .map(|(name, bytes)| (name.clone(), Value::count(file_bytes(*bytes) / scale)))
            .collect();
        let mut document = doc! {
            "size": Value::count(self.data_bytes / scale),
            "count": Value::count(self.documents),
            "numOrphanDocs": 0,
            "storageSize": Value::count(storage_bytes / scale),
            // Files have no room that is kept for later documents, and indexes no files of their own to tell of.
            "freeStorageSize": 0,
            "indexDetails": {},
            "totalIndexSize": Value::count(index_bytes / scale),
            "totalSize": Value::count((storage_bytes + index_bytes) / scale),
            "indexSizes": sizes,
            "nindexes": self.indexes.len() as i32,
            "indexBuilds": Value::Array(Vec::new()),
            "scaleFactor": Value::count(scale),
            "capped": self.capped.is_some(),
        };
        if let Some(average) = self.data_bytes.checked_div(self.documents) {
            document.push("avgObjSize", Value::count(average));
        }
        if let Some((size, max)) = self.capped {
            document.push("max", max.map_or(Value::Int64(0), Value::count));
            document.push("maxSize", Value::count(size / scale));
        }
        document
    }
}

/// The machine's name.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "localhost".to_owned(),
        name => name.to_owned(),
    }
}
