//! A document that an index gave: matched against the selector, and written.

use crate::outgoing::{self, Shown, ShownHistory};
use access::error::Result;
use engine::{DocumentHistory, Record, RevisionedSnapshot};
use mango::Selector;
use mango::options::FindOptions;
use value::{Document, Value, ValueRef};

/// What it takes to match a document, in steps of an operation.
pub(crate) const STEPS_PER_ROW: usize = 10;

/// A document with the members that CouchDB adds to it.
pub(crate) struct Candidate<'r> {
    record: &'r Record,
    members: Document,
    history: Option<DocumentHistory>,
}

impl<'r> Candidate<'r> {
    /// Reads what the options want of a document besides.
    pub(crate) async fn read(
        snapshot: &RevisionedSnapshot,
        record: &'r Record,
        options: &FindOptions,
    ) -> Result<Candidate<'r>> {
        let body = record.document.as_raw();
        let mut members = outgoing::members(body, &record.revision(), false)?;
        let history = match options.conflicts && record.has_tree() {
            true => Some(snapshot.history_of(record).await?),
            false => None,
        };
        if let Some(history) = &history {
            outgoing::push_conflicts(history, &mut members);
        }
        Ok(Candidate {
            record,
            members,
            history,
        })
    }

    /// Whether the selector matches it.
    pub(crate) fn matches(&self, selector: &Selector) -> bool {
        selector.matches_with(self.record.document.as_raw().into(), &self.members)
    }

    /// Appends what is wanted of it, after a comma unless it is the first.
    pub(crate) fn write(&self, options: &FindOptions, is_first: bool, text: &mut String) {
        text.push_str(if is_first { "\r\n" } else { ",\r\n" });
        let body = self.record.document.as_raw();
        match &options.fields {
            Some(names) => {
                let extracted = mango::extract(body.into(), &self.members, names);
                json::write(Value::from(extracted).as_ref(), text);
            }
            None => {
                let shown = Shown {
                    conflicts: options.conflicts,
                    ..Shown::default()
                };
                let history = self.history.as_ref();
                let more = history.map(|history| ShownHistory::of_winner(history, shown));
                outgoing::write(body, &self.record.revision(), false, more, text);
            }
        }
    }
}

/// The id of a record, whatever its type.
pub(crate) fn id_of(record: &Record) -> ValueRef<'_> {
    record.document.as_raw().get("_id").unwrap_or(ValueRef::Null)
}
