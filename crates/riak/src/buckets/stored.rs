//! Where properties are kept: in the collection `config.riak`, a document for each type and bucket that has some of its own. Its
//! `_id` is the name of the type's database, or that, a dot and the name of the bucket's collection.

use super::BucketProperties;
use super::change::Owner;
use crate::error::{Result, RiakError};
use crate::limits::RETRIES_MAX;
use crate::names::{Bucket, DEFAULT_TYPE, database};
use crate::server::Server;
use code::Code;
use engine::{Edit, EditOrigin, EditOutcome, Namespace, Order, PageLimit, RevisionedCollection, Sequence};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::ops::Bound;
use std::sync::Arc;
use value::{Document, DocumentBuf};

/// Buckets whose properties are kept put together; of more they are put together again.
const BUCKETS_KEPT_MAX: usize = 1_000;

type Known = Arc<HashMap<String, Map<String, Value>>>;

/// What was read of them, and up to which change.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    read: Mutex<Option<(Sequence, Known)>>,
    /// What is known where nothing was ever set.
    nothing: Known,
    of_buckets: Mutex<OfBuckets>,
}

/// Properties of buckets, with those of their types and all defaults, as they come of what was read.
#[derive(Debug, Default)]
struct OfBuckets {
    made_of: Known,
    known: HashMap<Bucket, Arc<BucketProperties>>,
}

fn namespace() -> Namespace {
    Namespace::new("config", "riak")
}

impl Server {
    /// The properties of a bucket.
    pub(crate) async fn bucket_properties(&self, bucket: &Bucket) -> Result<Arc<BucketProperties>> {
        let known = self.known_properties().await?;
        {
            let mut of_buckets = self.properties.of_buckets.lock();
            if !Arc::ptr_eq(&of_buckets.made_of, &known) || of_buckets.known.len() >= BUCKETS_KEPT_MAX {
                *of_buckets = OfBuckets {
                    made_of: known.clone(),
                    known: HashMap::new(),
                };
            }
            if let Some(properties) = of_buckets.known.get(bucket) {
                return Ok(properties.clone());
            }
        }
        let mut properties = BucketProperties::defaults(&bucket.kind);
        for id in [database(&bucket.kind), bucket.namespace().to_string()] {
            if let Some(own) = known.get(&id) {
                properties.set(own);
            }
        }
        let properties = Arc::new(properties);
        let mut of_buckets = self.properties.of_buckets.lock();
        if Arc::ptr_eq(&of_buckets.made_of, &known) {
            of_buckets.known.insert(bucket.clone(), properties.clone());
        }
        Ok(properties)
    }

    /// The properties of a bucket type.
    pub(crate) async fn type_properties(&self, kind: &[u8]) -> Result<BucketProperties> {
        let known = self.known_properties().await?;
        let mut properties = BucketProperties::defaults(kind);
        if let Some(own) = known.get(&database(kind)) {
            properties.set(own);
        }
        Ok(properties)
    }

    /// Sets some properties of a bucket.
    pub(crate) async fn set_bucket_properties(
        &self,
        bucket: &Bucket,
        others: &Map<String, Value>,
    ) -> Result<()> {
        let owner = Owner {
            kind: &bucket.kind,
            is_new_type: false,
        };
        let others = self.bucket_properties(bucket).await?.accept(others, owner)?;
        self.store_properties(bucket.namespace().to_string(), Some(others))
            .await
    }

    /// Sets some properties of a bucket type.
    pub(crate) async fn set_type_properties(&self, kind: &[u8], others: &Map<String, Value>) -> Result<()> {
        if kind == DEFAULT_TYPE {
            return Err(RiakError::bad(
                "the properties of the default bucket type cannot be set",
            ));
        }
        let id = database(kind);
        let is_new_type = !self.known_properties().await?.contains_key(&id)
            && BucketProperties::defaults(kind).datatype().is_none()
            && !self.engine.databases().contains(&id);
        let owner = Owner { kind, is_new_type };
        let others = self.type_properties(kind).await?.accept(others, owner)?;
        self.store_properties(id, Some(others)).await
    }

    /// Gives a bucket the properties of its type again.
    pub(crate) async fn reset_bucket_properties(&self, bucket: &Bucket) -> Result<()> {
        self.store_properties(bucket.namespace().to_string(), None).await
    }

    async fn known_properties(&self) -> Result<Known> {
        let Some(collection) = self.engine.revisioned(&namespace())? else {
            // The same each time, so that what was made of it is known again.
            return Ok(self.properties.nothing.clone());
        };
        if let Some((head, known)) = &*self.properties.read.lock()
            && *head == collection.head()
        {
            return Ok(known.clone());
        }
        let snapshot = collection.snapshot().await?;
        let mut all = HashMap::new();
        let mut position = None;
        loop {
            let everything = (Bound::Unbounded, Bound::Unbounded);
            let page = snapshot
                .documents(
                    everything,
                    position.as_ref(),
                    Order::Forward,
                    PageLimit::default(),
                )
                .await?;
            for record in &page.0 {
                let mut object = json::object(&record.document);
                if let (Some(Value::String(id)), Some(Value::Object(own))) =
                    (object.remove("_id"), object.remove("properties"))
                {
                    all.insert(id, own);
                }
            }
            position = page.1;
            if position.is_none() {
                break;
            }
        }
        let known = Arc::new(all);
        *self.properties.read.lock() = Some((snapshot.head(), known.clone()));
        Ok(known)
    }

    /// Sets some properties, or takes all away.
    async fn store_properties(&self, id: String, others: Option<Map<String, Value>>) -> Result<()> {
        let collection = self.properties_collection().await?;
        for _ in 0..RETRIES_MAX {
            let snapshot = collection.snapshot().await?;
            let id = value::Value::from(id.as_str());
            let record = snapshot.document(id.as_ref()).await?;
            if record.is_none() && others.is_none() {
                return Ok(());
            }
            let mut own = match record
                .as_ref()
                .map(|record| json::object(&record.document).remove("properties"))
            {
                Some(Some(Value::Object(own))) => own,
                _ => Map::new(),
            };
            own.extend(others.clone().into_iter().flatten());
            let document = Document::new().with("_id", id);
            let document = match others {
                Some(_) => document.with(
                    "properties",
                    json::Reader::whole(Value::Object(own).to_string().as_bytes())
                        .map_err(|error| RiakError::bad(error.to_string()))?,
                ),
                None => document,
            };
            let edit = Edit {
                document: DocumentBuf::from(&document),
                deleted: others.is_none(),
                origin: EditOrigin::After(record.map(|record| record.revision())),
            };
            match collection.edit(vec![edit], true).await?.pop() {
                Some(EditOutcome::Written(_)) => return Ok(()),
                Some(EditOutcome::Refused(error)) => return Err(error.into()),
                Some(EditOutcome::Conflict) | None => {}
            }
        }
        Err(RiakError::bad(
            "the properties are changed by others all the time; try again",
        ))
    }

    async fn properties_collection(&self) -> Result<RevisionedCollection> {
        let namespace = namespace();
        loop {
            if let Some(collection) = self.engine.revisioned(&namespace)? {
                return Ok(collection);
            }
            match self.engine.create_revisioned(&namespace, 10, false).await {
                Ok(()) => {}
                Err(error) if error.code == Code::NAMESPACE_EXISTS => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
