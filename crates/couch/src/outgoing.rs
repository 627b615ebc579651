//! Documents as clients see them.

use crate::attachments::{self, Attachment, Loaded};
use access::error::Result;
use access::ids;
use engine::{DocumentHistory, Revision, RevisionHash, RevisionPath};
use json::{Reader, write_fields, write_string};
use std::fmt::Write as _;
use value::{Document, RawDocument, Value, ValueRef};

/// Members that are written apart from the body.
const APART: [&str; 2] = ["_id", attachments::MEMBER];

/// What is shown of a document besides its body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown {
    /// The revisions before it, at most this many.
    pub(crate) revs: Option<usize>,
    pub(crate) revs_info: bool,
    pub(crate) conflicts: bool,
    pub(crate) deleted_conflicts: bool,
    pub(crate) local_seq: bool,
}

impl Shown {
    /// Whether more than the winning revision has to be read.
    pub(crate) fn needs_history(&self) -> bool {
        self.revs.is_some() || self.revs_info || self.conflicts || self.deleted_conflicts || self.local_seq
    }
}

/// What a document shows of its history besides its revision.
#[derive(Clone, Copy)]
pub(crate) struct ShownHistory<'h> {
    pub(crate) history: &'h DocumentHistory,
    /// The place of the revision that is shown.
    pub(crate) at: usize,
    pub(crate) shown: Shown,
}

impl ShownHistory<'_> {
    /// The history as the revision shows it that readers see.
    pub(crate) fn of_winner(history: &DocumentHistory, shown: Shown) -> ShownHistory<'_> {
        ShownHistory {
            history,
            at: history.winner,
            shown,
        }
    }
}

/// Appends a document of this revision, its attachments as stubs.
pub(crate) fn write(
    body: RawDocument<'_>,
    revision: &Revision,
    deleted: bool,
    more: Option<ShownHistory<'_>>,
    out: &mut String,
) {
    write_loaded(body, revision, deleted, more, &Loaded::default(), out);
}

/// Appends a document of this revision, its attachments as `loaded` says.
pub(crate) fn write_loaded(
    body: RawDocument<'_>,
    revision: &Revision,
    deleted: bool,
    more: Option<ShownHistory<'_>>,
    loaded: &Loaded,
    out: &mut String,
) {
    write_head(body, Some(revision), deleted, out);
    if let Some(more) = more {
        write_history(more, out);
    }
    write_attachments(body, loaded, out);
    out.push('}');
}

/// Appends a document that is about to be written: with the revisions that it names, its attachments as stubs.
pub(crate) fn write_new(body: RawDocument<'_>, path: Option<&RevisionPath>, deleted: bool, out: &mut String) {
    let newest = path.and_then(|path| path.revisions().next());
    write_head(body, newest.as_ref(), deleted, out);
    if let Some(path) = path {
        write_path(path.generation, path.hashes.iter(), out);
    }
    write_attachments(body, &Loaded::default(), out);
    out.push('}');
}

/// Appends a document but for its history, its attachments and its end.
fn write_head(body: RawDocument<'_>, revision: Option<&Revision>, deleted: bool, out: &mut String) {
    out.push_str(r#"{"_id":"#);
    write_string(&ids::text(body.get("_id").unwrap_or(ValueRef::Null)), out);
    if let Some(revision) = revision {
        out.push_str(r#","_rev":""#);
        write_revision(revision, out);
        out.push('"');
    }
    write_fields(body, |name| !APART.contains(&name), out);
    if deleted {
        out.push_str(r#","_deleted":true"#);
    }
}

fn write_attachments(body: RawDocument<'_>, loaded: &Loaded, out: &mut String) {
    let attachments = Attachment::all(body);
    for (position, attachment) in attachments.iter().enumerate() {
        out.push_str(if position > 0 { "," } else { r#","_attachments":{"# });
        attachment.write(loaded, out);
    }
    out.push_str(if attachments.is_empty() { "" } else { "}" });
}

/// The members that clients see of a document instead of those that are stored, or besides: what a selector is matched against
/// ([`mango::Selector::matches_with`]).
pub(crate) fn members(body: RawDocument<'_>, revision: &Revision, deleted: bool) -> Result<Document> {
    let mut members = Document::new()
        .with("_id", ids::text(body.get("_id").unwrap_or(ValueRef::Null)))
        .with("_rev", revision.to_string());
    if deleted {
        members.push("_deleted", true);
    }
    if body.get(attachments::MEMBER).is_some()
        && let Some(stubs) = stubs(body)?
    {
        members.push(attachments::MEMBER, stubs);
    }
    Ok(members)
}

/// A document's attachments as stubs; `None` if it has none.
fn stubs(body: RawDocument<'_>) -> Result<Option<Value>> {
    let mut text = String::from("{");
    write_attachments(body, &Loaded::default(), &mut text);
    let Some(members) = text.strip_prefix("{,") else {
        return Ok(None);
    };
    match Reader::whole(format!("{{{members}}}").as_bytes())? {
        Value::Document(mut members) => Ok(members.remove(attachments::MEMBER)),
        _ => Ok(None),
    }
}

/// Adds the leaves besides the winner that are not deletions to its members, if there are any.
pub(crate) fn push_conflicts(history: &DocumentHistory, members: &mut Document) {
    let nodes = history.tree.nodes();
    let others = history.tree.leaves().into_iter();
    let conflicts: Vec<Value> = others
        .filter(|&leaf| leaf != history.winner && !nodes[leaf].deleted)
        .map(|leaf| Value::from(nodes[leaf].revision.to_string()))
        .collect();
    if !conflicts.is_empty() {
        members.push("_conflicts", conflicts);
    }
}

/// Appends a revision, without quotes.
pub(crate) fn write_revision(revision: &Revision, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{revision}");
}

/// Appends the hashes of a revision and of those before it.
fn write_path<'a>(start: u64, hashes: impl Iterator<Item = &'a RevisionHash>, out: &mut String) {
    let _ = write!(out, r#","_revisions":{{"start":{start},"ids":["#);
    for (position, hash) in hashes.enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        write_string(&hash.to_string(), out);
    }
    out.push_str("]}");
}

fn write_history(ShownHistory { history, at, shown }: ShownHistory<'_>, out: &mut String) {
    let nodes = history.tree.nodes();
    if let Some(limit) = shown.revs {
        let hashes = history
            .tree
            .path(at)
            .take(limit)
            .map(|place| &nodes[place].revision.hash);
        write_path(nodes[at].revision.generation, hashes, out);
    }
    if shown.revs_info {
        out.push_str(r#","_revs_info":["#);
        for (position, place) in history.tree.path(at).enumerate() {
            let node = &nodes[place];
            let status = match (history.tree.is_leaf(place), node.deleted) {
                (true, true) => "deleted",
                (true, false) => "available",
                (false, _) if node.has_body() => "available",
                (false, _) => "missing",
            };
            out.push_str(if position > 0 { "," } else { "" });
            let _ = write!(out, r#"{{"rev":"{}","status":"{status}"}}"#, node.revision);
        }
        out.push(']');
    }
    if shown.local_seq {
        let _ = write!(out, r#","_local_seq":{}"#, history.local_sequence);
    }
    let others = || history.tree.leaves().into_iter().filter(|&leaf| leaf != at);
    for (wanted, name, deleted) in [
        (shown.conflicts, "_conflicts", false),
        (shown.deleted_conflicts, "_deleted_conflicts", true),
    ] {
        let mut first = true;
        for leaf in others().filter(|&leaf| wanted && nodes[leaf].deleted == deleted) {
            match first {
                true => {
                    let _ = write!(out, r#","{name}":["#);
                }
                false => out.push(','),
            }
            first = false;
            let _ = write!(out, "\"{}\"", nodes[leaf].revision);
        }
        if !first {
            out.push(']');
        }
    }
}
