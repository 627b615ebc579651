//! The parameters with which a document is read (`src/chttpd/src/chttpd_db.erl`, `parse_doc_query`).

use crate::attachments::Wanted;
use crate::incoming::parse_revision;
use crate::outgoing::Shown;
use crate::query::{self, Query};
use access::error::{CouchError, Result};
use engine::{DocumentHistory, Revision};
use value::Value;

/// What is read of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadOptions {
    pub(crate) shown: Shown,
    pub(crate) revision: Option<Revision>,
    pub(crate) open: Option<OpenRevisions>,
    /// Leaves that follow the revisions asked for, in their place.
    pub(crate) latest: bool,
    /// The deletion of a document that is deleted.
    pub(crate) deleted: bool,
    /// Attachments in full, not as stubs.
    pub(crate) attachments: bool,
    /// How attachments are stored.
    pub(crate) encoding: bool,
    /// The revisions that the client has: attachments that came later are given in full.
    pub(crate) attachments_since: Option<Vec<Revision>>,
}

/// Which revisions `open_revs` opens.
#[derive(Clone, Debug)]
pub(crate) enum OpenRevisions {
    /// All leaves.
    All,
    /// These.
    These(Vec<Revision>),
}

impl ReadOptions {
    /// Reads the parameters; those that are not known mean nothing.
    pub(crate) fn parse(query: &Query) -> Result<ReadOptions> {
        let mut options = ReadOptions::default();
        for (name, value) in query.iter() {
            options.set(name, value)?;
        }
        Ok(options)
    }

    /// Shows no more revisions of a branch than the database remembers: it may remember fewer than when they were written.
    pub(crate) fn limit_revisions(&mut self, kept: usize) {
        self.shown.revs = self.shown.revs.map(|_| kept);
    }

    /// Whether the winning revision with stubs of its attachments is not enough.
    pub(crate) fn needs_more(&self) -> bool {
        self.shown.needs_history() || self.wants_attachments() || self.encoding || self.deleted
    }

    /// Whether attachments are asked for in full.
    pub(crate) fn wants_attachments(&self) -> bool {
        self.attachments || self.attachments_since.is_some()
    }

    /// The attachments of a revision that are given in full: all, or those that came after the newest revision that the
    /// client has of the same branch.
    pub(crate) fn wanted_attachments(&self, history: &DocumentHistory, at: usize) -> Wanted {
        Wanted {
            since: self
                .wants_attachments()
                .then(|| self.known_generation(history, at)),
            encoding: self.encoding,
        }
    }

    /// The generation of the newest revision of a branch that the client has; 0 where it has none.
    pub(crate) fn known_generation(&self, history: &DocumentHistory, at: usize) -> i64 {
        let Some(known) = &self.attachments_since else {
            return 0;
        };
        let nodes = history.tree.nodes();
        let mut path = history.tree.path(at).map(|place| &nodes[place].revision);
        let newest = path.find(|revision| known.contains(revision));
        newest.map_or(0, |newest| i64::try_from(newest.generation).unwrap_or(i64::MAX))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match (name, value) {
            ("attachments", "true") => self.attachments = true,
            ("att_encoding_info", "true") => self.encoding = true,
            ("meta", "true") => {
                self.shown.revs_info = true;
                self.shown.conflicts = true;
                self.shown.deleted_conflicts = true;
            }
            ("revs", "true") => self.shown.revs = Some(usize::MAX),
            ("local_seq", "true") => self.shown.local_seq = true,
            ("revs_info", "true") => self.shown.revs_info = true,
            ("conflicts", "true") => self.shown.conflicts = true,
            ("deleted_conflicts", "true") => self.shown.deleted_conflicts = true,
            ("latest", "true") => self.latest = true,
            ("deleted", "true") => self.deleted = true,
            ("rev", text) => self.revision = Some(parse_revision(text)?),
            ("open_revs", "all") => self.open = Some(OpenRevisions::All),
            ("open_revs", text) => {
                let asked = revisions(&query::json(text)?)?;
                // No revisions are none asked for, as in CouchDB.
                self.open = (!asked.is_empty()).then_some(OpenRevisions::These(asked));
            }
            ("atts_since", text) => self.attachments_since = Some(revisions(&query::json(text)?)?),
            _ => {}
        }
        Ok(())
    }
}

/// Reads an array of revisions.
pub(crate) fn revisions(value: &Value) -> Result<Vec<Revision>> {
    let Value::Array(texts) = value else {
        return Err(CouchError::bad_request("Invalid list of revisions"));
    };
    let revision = |text: &Value| match text {
        Value::String(text) => parse_revision(text),
        _ => Err(CouchError::bad_request("Invalid rev format")),
    };
    texts.iter().map(revision).collect()
}
