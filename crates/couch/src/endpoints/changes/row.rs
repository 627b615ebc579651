//! One change as a client sees it.

use super::filter::Filter;
use super::options::ChangesOptions;
use crate::attachments;
use crate::outgoing::{self, Shown, ShownHistory};
use access::database::Database;
use access::error::Result;
use access::ids;
use engine::{Change, ChangeKind, DocumentHistory, Revision, RevisionedSnapshot};
use json::{Reader, write_string};
use std::fmt::Write as _;
use value::{Document, DocumentBuf, Value, ValueRef, doc};

/// What is known of a change.
struct Changed {
    id: Value,
    revision: Revision,
    deleted: bool,
    /// None of a deletion without a body.
    body: Option<DocumentBuf>,
    has_tree: bool,
}

impl Changed {
    fn of(change: &Change) -> Changed {
        match &change.kind {
            ChangeKind::Put(record) => Changed {
                id: record
                    .document
                    .as_raw()
                    .get("_id")
                    .map_or(Value::Null, ValueRef::to_value),
                revision: record.revision(),
                deleted: false,
                body: Some(record.document.clone()),
                has_tree: record.has_tree(),
            },
            ChangeKind::Deleted {
                id,
                revision,
                body,
                has_tree,
            } => Changed {
                id: id.clone(),
                revision: revision.clone(),
                deleted: true,
                body: body.clone(),
                has_tree: *has_tree,
            },
        }
    }

    fn body(&self) -> DocumentBuf {
        let bare = || DocumentBuf::from(&doc! {"_id": self.id.clone()});
        self.body.clone().unwrap_or_else(bare)
    }
}

/// The document of a change as functions are given it, as JSON text.
pub(super) async fn seen_by_functions(
    snapshot: &RevisionedSnapshot,
    change: &Change,
    shown: Shown,
) -> Result<String> {
    let history = match &change.kind {
        ChangeKind::Put(record) => Some(snapshot.history_of(record).await?),
        ChangeKind::Deleted { id, .. } => snapshot.history(id.as_ref()).await?,
    };
    let more = history
        .as_ref()
        .map(|history| ShownHistory::of_winner(history, shown));
    let changed = Changed::of(change);
    let mut out = String::new();
    outgoing::write(
        changed.body().as_raw(),
        &changed.revision,
        changed.deleted,
        more,
        &mut out,
    );
    Ok(out)
}

/// Appends a change, before which `given` others were sent; false where the filter keeps it back.
pub(super) async fn write(
    database: &Database,
    snapshot: &RevisionedSnapshot,
    change: &Change,
    (options, given): (&ChangesOptions, u64),
    filter: &Filter,
    out: &mut String,
) -> Result<bool> {
    let changed = Changed::of(change);
    let id = ids::text(changed.id.as_ref());
    let body = changed.body();
    if !is_let_through(filter, &changed, &id, &body)? {
        return Ok(false);
    }
    let history = match changed.has_tree && (options.all_leaves || options.conflicts) {
        true => snapshot.history(changed.id.as_ref()).await?,
        false => None,
    };
    out.push_str(r#"{"seq":"#);
    match options.has_sequence(given) {
        true => write_sequence(database, change, out),
        false => out.push_str("null"),
    }
    out.push_str(r#","id":"#);
    write_string(&id, out);
    out.push_str(r#","changes":["#);
    write_revisions(&changed, history.as_ref().filter(|_| options.all_leaves), out);
    out.push(']');
    out.push_str(if changed.deleted { r#","deleted":true"# } else { "" });
    if options.include_docs {
        out.push_str(r#","doc":"#);
        let shown = Shown {
            conflicts: options.conflicts,
            ..Shown::default()
        };
        let loaded = attachments::load(&database.files(), body.as_raw(), options.attachments).await?;
        let more = history
            .as_ref()
            .map(|history| ShownHistory::of_winner(history, shown));
        let start = out.len();
        outgoing::write_loaded(
            body.as_raw(),
            &changed.revision,
            changed.deleted,
            more,
            &loaded,
            out,
        );
        if let Filter::Selector {
            fields: Some(fields), ..
        } = filter
        {
            keep_fields(fields, start, out)?;
        }
    }
    out.push('}');
    Ok(true)
}

fn is_let_through(filter: &Filter, changed: &Changed, id: &str, body: &DocumentBuf) -> Result<bool> {
    Ok(match filter {
        // Those of functions were asked for the whole page.
        Filter::All | Filter::Function { .. } | Filter::View { .. } => true,
        Filter::Ids(named) => named.contains(id),
        Filter::Design => id.starts_with(ids::DESIGN),
        Filter::Selector { selector, .. } => {
            let members = outgoing::members(body.as_raw(), &changed.revision, changed.deleted)?;
            selector.matches_with(body.as_raw().into(), &members)
        }
    })
}

fn write_sequence(database: &Database, change: &Change, out: &mut String) {
    out.push('"');
    database.sequences.write(&change.sequence, out);
    out.push('"');
}

/// Leaves only these fields of the document that begins here (`src/couch/src/couch_changes.erl`, `doc_to_json`).
fn keep_fields(fields: &[String], start: usize, out: &mut String) -> Result<()> {
    let Value::Document(whole) = Reader::whole(&out.as_bytes()[start..])? else {
        return Ok(());
    };
    out.truncate(start);
    let kept = mango::extract((&whole).into(), &Document::new(), fields);
    json::write(Value::from(kept).as_ref(), out);
    Ok(())
}

fn write_revisions(changed: &Changed, leaves: Option<&DocumentHistory>, out: &mut String) {
    let Some(history) = leaves else {
        // Writing to a String cannot fail.
        let _ = write!(out, r#"{{"rev":"{}"}}"#, changed.revision);
        return;
    };
    for (position, leaf) in history.tree.leaves().into_iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        let _ = write!(out, r#"{{"rev":"{}"}}"#, history.tree.nodes()[leaf].revision);
    }
}
