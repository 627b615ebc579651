//! Digests of what is stored, by which two servers are compared: of the collections of a database, and of a file in GridFS.

use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::reading::find::FindRequest;
use crate::time_series::buckets::buckets_name;
use code::Code;
use md5::{Digest, Md5};
use store::Namespace;
use value::{DocumentBuf, Value, ValueRef, doc, hex};

/// The digest of a collection.
#[derive(Clone, Debug)]
pub struct CollectionHash {
    /// The collection's name; of a time series, that of its buckets.
    pub name: String,
    /// Its UUID.
    pub uuid: Option<[u8; 16]>,
    /// Whether it is capped.
    pub is_capped: bool,
    /// The MD5 of its documents in the order of their `_id`s, in hexadecimal digits.
    pub digest: String,
}

/// The digests of a database.
#[derive(Clone, Debug, Default)]
pub struct DatabaseHash {
    /// Those of its collections, by name.
    pub collections: Vec<CollectionHash>,
    /// The MD5 of those digests, in hexadecimal digits.
    pub digest: String,
}

/// The digest of a file in GridFS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileHash {
    /// The number of its chunks.
    pub chunks: i32,
    /// The MD5 of its bytes, in hexadecimal digits.
    pub digest: String,
}

impl Engine {
    /// The digests of the collections of these names, or of all of a database. What MongoDB does not replicate has none: views, the
    /// profile and all of database `local`.
    pub async fn database_hash(
        &self,
        context: &Context,
        database: &str,
        wanted: &[String],
    ) -> Result<DatabaseHash> {
        let mut collections = Vec::new();
        let mut entries = self.collections(database);
        entries.retain(|entry| !entry.is_view && entry.name != "system.profile" && database != "local");
        for entry in entries {
            let name = match entry.options.contains("timeseries") {
                true => buckets_name(&entry.name),
                false => entry.name,
            };
            if !wanted.is_empty() && !wanted.contains(&name) {
                continue;
            }
            let digest = self
                .collection_hash(context, &Namespace::new(database, &name))
                .await?;
            collections.push(CollectionHash {
                name,
                uuid: entry.uuid,
                is_capped: entry.options.contains("capped"),
                digest,
            });
        }
        collections.sort_by(|a, b| a.name.cmp(&b.name));
        let mut whole = Md5::new();
        for collection in &collections {
            whole.update(collection.digest.as_bytes());
        }
        Ok(DatabaseHash {
            collections,
            digest: hex(&whole.finalize()),
        })
    }

    async fn collection_hash(&self, context: &Context, namespace: &Namespace) -> Result<String> {
        let find = FindRequest {
            sort: doc! {"_id": 1},
            ..FindRequest::default()
        };
        let mut digest = Md5::new();
        let add = |document: &DocumentBuf| {
            digest.update(document.bytes());
            Ok(())
        };
        self.each_found(context, namespace, &find, add).await?;
        Ok(hex(&digest.finalize()))
    }

    /// The digest of the file of an id, whose bytes a collection has in chunks; that of no bytes where there are none. Fails if a chunk
    /// is missing, and if no index finds them.
    pub async fn file_hash(&self, context: &Context, chunks: &Namespace, id: Value) -> Result<FileHash> {
        let find = FindRequest {
            filter: doc! {"files_id": {"$eq": id}, "n": {"$gte": 0}},
            sort: doc! {"files_id": 1, "n": 1},
            refuse_full_scan: true,
            ..FindRequest::default()
        };
        let (mut count, mut digest) = (0_i32, Md5::new());
        let add = |chunk: &DocumentBuf| {
            let chunk = chunk.as_ref();
            let number = chunk.get("n").and_then(ValueRef::as_f64);
            if number != Some(f64::from(count)) {
                return Err(Error::new(Code::location(10_040), "chunks out of order"));
            }
            match chunk.get("data") {
                Some(ValueRef::Binary { bytes, .. }) => digest.update(bytes),
                None => return Err(Error::new(Code::location(50_848), "a chunk has no field 'data'")),
                Some(other) => {
                    let found = other.type_of().alias();
                    let message = format!("the field 'data' of a chunk must be of type binData, not {found}");
                    return Err(Error::new(Code::location(50_849), message));
                }
            }
            count += 1;
            Ok(())
        };
        self.each_found(context, chunks, &find, add).await?;
        Ok(FileHash {
            chunks: count,
            digest: hex(&digest.finalize()),
        })
    }

    /// Gives each document that a query finds to a function, until that fails.
    async fn each_found(
        &self,
        context: &Context,
        namespace: &Namespace,
        find: &FindRequest,
        mut each: impl FnMut(&DocumentBuf) -> Result<()> + Send,
    ) -> Result<()> {
        let mut reply = self.find(context, namespace, find).await?;
        loop {
            if let Err(error) = reply.batch.iter().try_for_each(&mut each) {
                self.close_cursor(reply.id);
                return Err(error);
            }
            if reply.id == 0 {
                return Ok(());
            }
            reply = self.get_more(context, reply.id, namespace, None, None).await?;
        }
    }
}
