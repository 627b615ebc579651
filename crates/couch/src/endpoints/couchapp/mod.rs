//! Functions of design documents that answer requests: applications that live in a database are made of them.
//!
//! `_show` and `_update` are handed a document, `_list` the rows of a view; `_rewrite` leads a request to another path. The functions run in
//! the sandbox of `view`; what they are told of a request is in `crate::script_request`.

mod answer;
mod list;
mod rewrite;
mod rules;
mod show;
mod update;

pub(crate) use list::run as list;
pub(crate) use rewrite::run as rewrite;
pub(crate) use show::run as show;
pub(crate) use update::run as update;

use crate::outgoing::{self, Shown, ShownHistory};
use access::config::Config;
use access::database::Database;
use access::error::Result;
use access::ids;
use engine::Revision;

/// A document as functions are shown it.
struct Seen {
    /// As JSON text.
    text: String,
    revision: Revision,
}

impl Seen {
    /// The document of this id; `None` if there is none, or where it is deleted.
    async fn open(config: &Config, database: &Database, id: &str) -> Result<Option<Seen>> {
        let snapshot = database.snapshot().await?;
        let id = ids::resolve(&snapshot, id).await?;
        let history = snapshot.history(id.as_ref()).await?;
        let Some(history) = history.filter(|history| !history.is_deleted()) else {
            return Ok(None);
        };
        let Some(body) = snapshot.body(&history, history.winner).await? else {
            return Ok(None);
        };
        let shown = Shown {
            revs: config.revisions_shown(),
            conflicts: true,
            ..Shown::default()
        };
        let revision = history.tree.nodes()[history.winner].revision.clone();
        let mut text = String::new();
        let more = Some(ShownHistory::of_winner(&history, shown));
        outgoing::write(body.as_raw(), &revision, false, more, &mut text);
        Ok(Some(Seen { text, revision }))
    }
}

/// A document as JSON text, `null` for none.
fn text_of(document: Option<&Seen>) -> &str {
    document.map_or("null", |document| document.text.as_str())
}
