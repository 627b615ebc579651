//! Executed statements of retryable writes, kept by session, so that a retry is answered and not executed again. The note
//! is in the same commit as the change: after a crash both are there or neither is.

use super::group::Group;
use super::request::Operation;
use super::session::Session;
use super::{Image, Outcome, ReplayedKind, ReplayedOutcome, StatementId};
use crate::{StoreError, keys};
use value::{Document, DocumentBuf};

impl Group<'_> {
    /// What the statement did; `None` if it was executed neither before nor in this batch.
    pub(super) async fn replayed(
        &mut self,
        statement: &StatementId,
    ) -> Result<Option<ReplayedOutcome>, StoreError> {
        if !self.overlay.sessions.contains_key(&statement.session) {
            let bytes = self.snapshot.get(&keys::session(&statement.session)).await?;
            let session = bytes.map(|bytes| Session::decode(&bytes)).transpose();
            let session = session
                .map_err(|what| self.corrupt(what))?
                .unwrap_or_else(Session::unused);
            self.overlay.sessions.insert(statement.session, (session, false));
        }
        self.overlay
            .sessions
            .get(&statement.session)
            .map_or(Ok(None), |(session, _)| session.executed(statement))
    }

    /// Notes a statement that has changed something. Others are not noted, since executing them again does no harm.
    pub(super) fn note_executed(
        &mut self,
        statement: &StatementId,
        operation: &Operation,
        outcome: &Outcome,
        image: Image,
    ) {
        let (kind, before, after) = match outcome {
            Outcome::Inserted { record } => {
                let inserted = self.overlay.records.get(record).and_then(Option::as_ref);
                (
                    ReplayedKind::Inserted,
                    None,
                    inserted.map(|record| &record.document),
                )
            }
            Outcome::Updated { before, after } => (ReplayedKind::Updated, Some(before), Some(after)),
            Outcome::Deleted { before } => (ReplayedKind::Deleted, Some(before), None),
            _ => return,
        };
        let upserted = match operation {
            Operation::Modify { .. } if kind == ReplayedKind::Inserted => after,
            _ => None,
        };
        let image = match image {
            Image::None => None,
            Image::Before => before,
            Image::After => after,
        };
        let mut details = Document::new();
        if let Some(document) = upserted {
            details.push("upserted", keys::id_of(document.as_raw()));
        }
        if let Some(document) = image {
            details.push("image", document.to_document());
        }
        let details = (!details.is_empty()).then(|| DocumentBuf::from(&details));
        if let Some((session, dirty)) = self.overlay.sessions.get_mut(&statement.session) {
            session.note(statement, kind, details, self.now_ms);
            *dirty = true;
        }
    }

    /// Puts the sessions that have executed something into the batch.
    pub(super) fn put_sessions(&mut self) {
        for (digest, (session, dirty)) in &self.overlay.sessions {
            if *dirty {
                self.batch.put(&keys::session(digest), &session.encode());
            }
        }
    }
}
