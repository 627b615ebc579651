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

/// The documents of a change's revisions as functions are given them, as JSON texts: that of the winner, or with `all_leaves` those of
/// all leaves, the winner's first (`src/couch/src/couch_changes.erl`, `open_revs`).
pub(super) async fn seen_by_functions(
    snapshot: &RevisionedSnapshot,
    change: &Change,
    (shown, all_leaves): (Shown, bool),
) -> Result<Vec<String>> {
    let history = match &change.kind {
        ChangeKind::Put(record) => Some(snapshot.history_of(record).await?),
        ChangeKind::Deleted { id, .. } => snapshot.history(id.as_ref()).await?,
    };
    let changed = Changed::of(change);
    let mut seen = Vec::new();
    if let Some(history) = history.as_ref().filter(|_| all_leaves && changed.has_tree) {
        // One that is asked about by itself has no others beside it.
        let shown = Shown {
            conflicts: false,
            ..shown
        };
        for at in history.tree.leaves() {
            let (node, body) = (&history.tree.nodes()[at], leaf(snapshot, history, at).await?);
            let more = Some(ShownHistory { history, at, shown });
            let mut out = String::new();
            outgoing::write(body.as_raw(), &node.revision, node.deleted, more, &mut out);
            seen.push(out);
        }
        return Ok(seen);
    }
    let more = history
        .as_ref()
        .map(|history| ShownHistory::of_winner(history, shown));
    let mut out = String::new();
    outgoing::write(
        changed.body().as_raw(),
        &changed.revision,
        changed.deleted,
        more,
        &mut out,
    );
    seen.push(out);
    Ok(seen)
}

/// The document of a leaf; of a deletion that says nothing else its id.
async fn leaf(snapshot: &RevisionedSnapshot, history: &DocumentHistory, at: usize) -> Result<DocumentBuf> {
    let body = snapshot.body(history, at).await?;
    Ok(body.unwrap_or_else(|| DocumentBuf::from(&doc! {"_id": history.id.clone()})))
}

/// Appends a change, before which `given` others were sent; false where the filter keeps it back. Which of the revisions that a function
/// was asked about it lets through is `passed`.
pub(super) async fn write(
    database: &Database,
    snapshot: &RevisionedSnapshot,
    change: &Change,
    (options, given): (&ChangesOptions, u64),
    (filter, passed): (&Filter, Option<&[bool]>),
    out: &mut String,
) -> Result<bool> {
    let changed = Changed::of(change);
    let id = ids::text(changed.id.as_ref());
    if !is_named(filter, &id) {
        return Ok(false);
    }
    let needs_history = options.all_leaves || options.conflicts || matches!(filter, Filter::Selector { .. });
    let history = match changed.has_tree && needs_history {
        true => snapshot.history(changed.id.as_ref()).await?,
        false => None,
    };
    let revisions = match history.as_ref().filter(|_| options.all_leaves) {
        Some(history) => leaves(snapshot, history, (filter, passed)).await?,
        None if is_matched(filter, &changed, history.as_ref())? => vec![changed.revision.clone()],
        None => Vec::new(),
    };
    if revisions.is_empty() {
        return Ok(false);
    }
    out.push_str(r#"{"seq":"#);
    match options.has_sequence(given) {
        true => write_sequence(database, change, out),
        false => out.push_str("null"),
    }
    out.push_str(r#","id":"#);
    write_string(&id, out);
    out.push_str(r#","changes":["#);
    write_revisions(&revisions, out);
    out.push(']');
    out.push_str(if changed.deleted { r#","deleted":true"# } else { "" });
    if options.include_docs {
        out.push_str(r#","doc":"#);
        write_document(database, &changed, history.as_ref(), (options, filter), out).await?;
    }
    out.push('}');
    Ok(true)
}

/// Appends the document of a change: the winner, whichever leaves the filter lets through.
async fn write_document(
    database: &Database,
    changed: &Changed,
    history: Option<&DocumentHistory>,
    (options, filter): (&ChangesOptions, &Filter),
    out: &mut String,
) -> Result<()> {
    let body = changed.body();
    let shown = Shown {
        conflicts: options.conflicts,
        ..Shown::default()
    };
    let loaded = attachments::load(&database.files(), body.as_raw(), options.attachments).await?;
    let more = history.map(|history| ShownHistory::of_winner(history, shown));
    let start = out.len();
    outgoing::write_loaded(
        body.as_raw(),
        &changed.revision,
        changed.deleted,
        more,
        &loaded,
        out,
    );
    match filter {
        Filter::Selector {
            fields: Some(fields), ..
        } => keep_fields(fields, start, out),
        _ => Ok(()),
    }
}

/// Whether the filter wants documents of this id.
fn is_named(filter: &Filter, id: &str) -> bool {
    match filter {
        Filter::Ids(named) => named.contains(id),
        Filter::Design => id.starts_with(ids::DESIGN),
        _ => true,
    }
}

/// Whether the winner is what a selector wants, which sees its conflicts too, asked for or not
/// (`src/couch/src/couch_changes.erl`, `open_revs`).
fn is_matched(filter: &Filter, changed: &Changed, history: Option<&DocumentHistory>) -> Result<bool> {
    let Filter::Selector { selector, .. } = filter else {
        return Ok(true);
    };
    let body = changed.body();
    let mut members = outgoing::members(body.as_raw(), &changed.revision, changed.deleted)?;
    if let Some(history) = history {
        outgoing::push_conflicts(history, &mut members);
    }
    Ok(selector.matches_with(body.as_raw().into(), &members))
}

/// The leaves that the filter lets through, each of which it is asked about.
async fn leaves(
    snapshot: &RevisionedSnapshot,
    history: &DocumentHistory,
    (filter, passed): (&Filter, Option<&[bool]>),
) -> Result<Vec<Revision>> {
    let mut given = Vec::new();
    for (place, at) in history.tree.leaves().into_iter().enumerate() {
        let node = &history.tree.nodes()[at];
        let is_given = match filter {
            Filter::Selector { selector, .. } => {
                let body = leaf(snapshot, history, at).await?;
                let members = outgoing::members(body.as_raw(), &node.revision, node.deleted)?;
                selector.matches_with(body.as_raw().into(), &members)
            }
            _ => passed.is_none_or(|passed| passed.get(place) == Some(&true)),
        };
        if is_given {
            given.push(node.revision.clone());
        }
    }
    Ok(given)
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

fn write_revisions(revisions: &[Revision], out: &mut String) {
    for (position, revision) in revisions.iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        // Writing to a String cannot fail.
        let _ = write!(out, r#"{{"rev":"{revision}"}}"#);
    }
}
