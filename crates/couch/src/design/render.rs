//! Documents as map functions see them.

use crate::ids;
use crate::outgoing::{self, Shown};
use engine::design::{Render, RenderOptions};
use engine::{DocumentHistory, Record};
use value::{Value, ValueRef};

/// Documents in the protocol's form, with their conflicts (`src/couch_mrview/src/couch_mrview_updater.erl`).
pub(super) struct Rendered;

impl Render for Rendered {
    fn document(
        &self,
        record: &Record,
        history: Option<&DocumentHistory>,
        options: RenderOptions,
        out: &mut String,
    ) -> Option<String> {
        let raw = record.document.as_raw();
        let shown = Shown {
            conflicts: true,
            deleted_conflicts: true,
            local_seq: options.local_sequence,
            ..Shown::default()
        };
        let more = history.map(|history| (history, history.winner, shown));
        outgoing::write(raw, &record.revision(), false, more, out);
        Some(ids::text(raw.get("_id").unwrap_or(ValueRef::Null)))
    }

    fn id(&self, id: &Value) -> Option<String> {
        Some(ids::text(id.as_ref()))
    }
}
