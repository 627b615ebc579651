//! Reading everything, to verify that it is what was written.

use crate::engine::Engine;
use crate::error::Result;
use crate::files::{Bucket, FileEntry, FileError, ListRequest};
use std::sync::Arc;
use store::{Namespace, ValidateReport};

/// What the collection of the entries of files adds to the name of its bucket.
const FILES_SUFFIX: &str = ".files";

/// Files that are listed at a time.
const FILES_AT_ONCE: usize = 1000;

/// What was found in the files of a bucket.
#[derive(Clone, Debug, Default)]
pub struct FilesReport {
    /// The files that were read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What is wrong.
    pub findings: Vec<String>,
}

impl Engine {
    /// All collections that hold documents, those of the system with them.
    pub fn all_collections(&self) -> Vec<Namespace> {
        let databases = self.store().databases();
        let collections = databases
            .iter()
            .flat_map(|database| self.store().collections(database));
        collections
            .filter(|collection| !collection.is_view())
            .map(|collection| collection.namespace())
            .collect()
    }

    /// The damage to the catalog, because of which collections may be missing in the list.
    pub fn catalog_damage(&self) -> Vec<String> {
        self.store().damage()
    }

    /// Checks all that is kept of a collection, as it is stored: a time series by its measurements.
    pub async fn verify_collection(&self, namespace: &Namespace) -> Result<ValidateReport> {
        match self.store().collection(namespace) {
            Some(collection) => Ok(collection.validate(true).await?),
            // It was dropped meanwhile.
            None => Ok(ValidateReport::default()),
        }
    }

    /// The bucket whose files have their entries in this collection.
    pub fn bucket_of(&self, namespace: &Namespace) -> Option<Bucket> {
        let name = namespace.collection.strip_suffix(FILES_SUFFIX)?;
        let bucket = Bucket::new(namespace.database.clone(), name);
        self.store().collection(&bucket.chunks()).map(|_| bucket)
    }

    /// Reads all files of a bucket, and compares those that have a digest with it.
    pub async fn verify_files(&self, bucket: &Bucket) -> Result<FilesReport> {
        let files = self.files(bucket.clone());
        let mut report = FilesReport::default();
        let mut request = ListRequest {
            limit: FILES_AT_ONCE,
            ..ListRequest::default()
        };
        loop {
            let page = match files.list(&request).await {
                Ok(page) => page,
                Err(error) => {
                    report.findings.push(error.to_string());
                    return Ok(report);
                }
            };
            for entry in page.files {
                let entry = Arc::new(entry);
                report.files += 1;
                match self.read_file(bucket, &entry).await {
                    Ok(bytes) => report.bytes += bytes,
                    Err(error) => report.findings.push(format!("{}: {error}", shown(&entry))),
                }
            }
            request.after = page.next;
            if request.after.is_none() {
                return Ok(report);
            }
        }
    }

    async fn read_file(&self, bucket: &Bucket, entry: &Arc<FileEntry>) -> Result<u64, FileError> {
        let mut reader = self.files(bucket.clone()).open(entry, 0..u64::MAX)?;
        let mut bytes = 0;
        while let Some(piece) = reader.next().await? {
            bytes += piece.len() as u64;
        }
        Ok(bytes)
    }
}

/// How a file is named in a finding.
fn shown(entry: &FileEntry) -> String {
    let name = entry.name.as_deref().unwrap_or("without a name");
    format!("the file {name} ({:?})", entry.id)
}
