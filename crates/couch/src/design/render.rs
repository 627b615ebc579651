//! Documents as map functions see them.

use crate::outgoing::{self, Shown, ShownHistory};
use access::ids;
use engine::{DocumentHistory, Record};
use json::underscored;
use json::{write_fields, write_string};
use value::{Value, ValueRef};
use view::{Render, RenderOptions};

/// The member that holds a document's revision.
const REVISION: &str = "_rev";

/// Documents in the protocol's form, with their conflicts (`src/couch_mrview/src/couch_mrview_updater.erl`).
pub(super) struct Rendered;

impl Render for Rendered {
    fn document(
        &self,
        record: &Record,
        history: Option<&DocumentHistory>,
        options: RenderOptions<'_>,
        out: &mut String,
    ) -> Option<String> {
        let raw = record.document.as_raw();
        let id = ids::text(raw.get("_id").unwrap_or(ValueRef::Null));
        if let Some(members) = options.members.filter(|members| members.iter().all(is_plain)) {
            write_members(record, &id, members, out);
            return Some(id);
        }
        let shown = Shown {
            conflicts: true,
            deleted_conflicts: true,
            local_seq: options.local_sequence,
            ..Shown::default()
        };
        let more = history.map(|history| ShownHistory::of_winner(history, shown));
        outgoing::write(raw, &record.revision(), false, more, out);
        Some(id)
    }

    fn id(&self, id: &Value) -> Option<String> {
        Some(ids::text(id.as_ref()))
    }
}

/// Whether a member needs no more than the record: it is of the body, or an id or revision.
fn is_plain(name: &String) -> bool {
    !name.starts_with('_') || name == "_id" || name == REVISION
}

/// Appends the document with these members alone.
fn write_members(record: &Record, id: &str, members: &[String], out: &mut String) {
    let is_seen = |name: &str| members.iter().any(|member| member == name);
    out.push_str(r#"{"_id":"#);
    write_string(id, out);
    if is_seen(REVISION) {
        out.push_str(r#","_rev":""#);
        outgoing::write_revision(&record.revision(), out);
        out.push('"');
    }
    let is_of_body = |name: &str| {
        let shown = underscored::shown(name);
        !shown.starts_with('_') && is_seen(&shown)
    };
    write_fields(record.document.as_raw(), is_of_body, out);
    out.push('}');
}
