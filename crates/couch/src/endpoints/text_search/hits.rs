//! Writing hits, with their documents where they are asked for.

use crate::outgoing;
use crate::stream::Output;
use access::database::Database;
use access::error::Result;
use access::ids;
use clouseau::FoundHit;
use engine::{RevisionedCollection, RevisionedSnapshot};

/// Where documents of hits are read.
pub(super) struct Documents(Option<(RevisionedCollection, RevisionedSnapshot)>);

impl Documents {
    /// Those of the database, if they are asked for.
    pub(super) async fn of(database: &Database, is_wanted: bool) -> Result<Documents> {
        Ok(Documents(match is_wanted {
            true => Some((database.collection.clone(), database.snapshot().await?)),
            false => None,
        }))
    }

    /// Appends the member `doc` of a hit; it is `null` where the document is gone since.
    pub(super) async fn write(&self, id: &str, output: &mut Output) -> Result<()> {
        let Some((collection, snapshot)) = &self.0 else {
            return Ok(());
        };
        output.begin_read(collection).await?;
        let out = &mut output.text;
        out.push_str(r#","doc":"#);
        let id = ids::resolve(snapshot, id).await?;
        match snapshot.document(id.as_ref()).await? {
            Some(record) => {
                outgoing::write(record.document.as_raw(), &record.revision(), false, None, out);
            }
            None => out.push_str("null"),
        }
        Ok(())
    }
}

/// Appends hits parted by commas; `head` gives what of a hit stands before its document, without the closing brace.
pub(super) async fn write_all(
    hits: &[FoundHit],
    documents: &Documents,
    output: &mut Output,
    head: impl Fn(&FoundHit) -> String,
) -> Result<()> {
    for (at, hit) in hits.iter().enumerate() {
        output.text.push_str(if at > 0 { "," } else { "" });
        output.text.push_str(&head(hit));
        documents.write(&hit.hit.id, output).await?;
        output.text.push('}');
        if !output.end_row().await {
            return Ok(());
        }
    }
    Ok(())
}
