//! Removing the files that no revision names any more.

use super::Attachment;
use access::database::Database;
use access::error::Result;
use engine::files::ListRequest;
use engine::{ChangeKind, Order, Sequence};
use std::collections::HashSet;
use value::date::now_ms;

/// Files younger than this may be of a document that is just being written, in milliseconds.
const YOUNG_MS: i64 = 60 * 60 * 1000;
/// Changes and files that are looked at together.
const PAGE: usize = 200;

/// Removes them; how many there were.
pub(crate) async fn sweep(database: &Database) -> Result<u64> {
    let files = database.files();
    let before_ms = now_ms() - YOUNG_MS;
    let named = named_files(database).await?;
    let mut removed = 0;
    let mut request = ListRequest {
        limit: PAGE,
        ..ListRequest::default()
    };
    loop {
        let page = files.list(&request).await?;
        for file in page.files {
            let id = format!("{:?}", file.id);
            if file.uploaded_ms < before_ms && !named.contains(&id) {
                removed += u64::from(files.delete(&file.id).await?);
            }
        }
        match page.next {
            Some(next) => request.after = Some(next),
            None => return Ok(removed),
        }
    }
}

/// The files that some leaf of a document names.
async fn named_files(database: &Database) -> Result<HashSet<String>> {
    let mut named = HashSet::new();
    let mut position = Sequence::START;
    loop {
        let snapshot = database.snapshot().await?;
        let changes = snapshot.changes(&position, Order::Forward, PAGE).await?;
        for change in &changes {
            position = change.sequence.clone();
            let id = match &change.kind {
                ChangeKind::Put(record) if !record.has_tree() => {
                    note(record.document.as_raw(), &mut named);
                    continue;
                }
                ChangeKind::Put(record) => record.document.as_raw().get("_id").map(value::ValueRef::to_value),
                ChangeKind::Deleted { id, .. } => Some(id.clone()),
            };
            let Some(id) = id else { continue };
            if let Some(history) = snapshot.history(id.as_ref()).await? {
                for leaf in history.tree.leaves() {
                    if let Some(body) = snapshot.body(&history, leaf).await? {
                        note(body.as_raw(), &mut named);
                    }
                }
            }
        }
        if changes.is_empty() || position >= snapshot.head() {
            return Ok(named);
        }
    }
}

fn note(body: value::RawDocument<'_>, named: &mut HashSet<String>) {
    let files = Attachment::all(body).into_iter();
    named.extend(files.map(|attachment| format!("{:?}", attachment.file)));
}
