//! Executed statements of retryable writes, kept by session, so that a retry is answered and not done again.

use super::group::Group;
use super::request::Operation;
use super::{Image, Outcome, ReplayedKind, ReplayedOutcome, StatementId, modify};
use crate::seal::{seal, unseal};
use crate::{StoreError, keys, varint};
use value::{Document, DocumentBuf, RawDocument, Value};

/// What a session has executed under its latest transaction number.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    number: i64,
    /// When it last executed a statement, milliseconds since 1970.
    pub(crate) time_ms: u64,
    runs: Vec<Run>,
}

/// Successive statements that did the same.
#[derive(Clone, Debug)]
struct Run {
    first: i32,
    count: u32,
    kind: ReplayedKind,
    /// `upserted` and `image` where there are any; then the run has one statement.
    details: Option<DocumentBuf>,
}

impl Session {
    /// A session that has executed nothing, before every transaction number.
    pub(crate) fn unused() -> Session {
        Session {
            number: i64::MIN,
            time_ms: 0,
            runs: Vec::new(),
        }
    }

    /// What the statement did, if it was executed. An error where the session has gone on.
    pub(crate) fn executed(&self, statement: &StatementId) -> Result<Option<ReplayedOutcome>, StoreError> {
        if statement.number < self.number {
            return Err(StoreError::TransactionTooOld {
                number: statement.number,
                present: self.number,
            });
        }
        if statement.number > self.number {
            return Ok(None);
        }
        let offset = |run: &Run| i64::from(statement.statement) - i64::from(run.first);
        let run = self
            .runs
            .iter()
            .find(|run| (0..i64::from(run.count)).contains(&offset(run)));
        Ok(run.map(Run::outcome))
    }

    fn note(
        &mut self,
        statement: &StatementId,
        kind: ReplayedKind,
        details: Option<DocumentBuf>,
        now_ms: u64,
    ) {
        if statement.number != self.number {
            self.number = statement.number;
            self.runs.clear();
        }
        self.time_ms = now_ms;
        if details.is_none()
            && let Some(last) = self.runs.last_mut()
            && last.details.is_none()
            && last.kind == kind
            && i64::from(last.first) + i64::from(last.count) == i64::from(statement.statement)
        {
            last.count += 1;
            return;
        }
        self.runs.push(Run {
            first: statement.statement,
            count: 1,
            kind,
            details,
        });
    }

    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![0; 4];
        out.extend_from_slice(&self.number.to_le_bytes());
        varint::put(self.time_ms, &mut out);
        for run in &self.runs {
            out.extend_from_slice(&run.first.to_le_bytes());
            varint::put(u64::from(run.count), &mut out);
            out.push(run.kind as u8);
            let details = run.details.as_ref().map_or(&[][..], |details| details.bytes());
            varint::put(details.len() as u64, &mut out);
            out.extend_from_slice(details);
        }
        seal(&mut out);
        out
    }

    /// Reads what was stored.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Session, &'static str> {
        let fault = "executed statements whose checksum or form is wrong";
        Session::read(unseal(bytes).ok_or(fault)?).ok_or(fault)
    }

    fn read(bytes: &[u8]) -> Option<Session> {
        let (number, mut rest) = bytes.split_first_chunk::<8>()?;
        let time_ms = varint::take(&mut rest)?;
        let mut runs = Vec::new();
        while !rest.is_empty() {
            runs.push(Run::read(&mut rest)?);
        }
        Some(Session {
            number: i64::from_le_bytes(*number),
            time_ms,
            runs,
        })
    }
}

impl Run {
    fn read(bytes: &mut &[u8]) -> Option<Run> {
        let (first, rest) = bytes.split_first_chunk::<4>()?;
        *bytes = rest;
        let count = u32::try_from(varint::take(bytes)?).ok()?;
        let kind = match varint::take(bytes)? {
            1 => ReplayedKind::Inserted,
            2 => ReplayedKind::Updated,
            3 => ReplayedKind::Deleted,
            _ => return None,
        };
        let size = usize::try_from(varint::take(bytes)?).ok()?;
        let (details, rest) = bytes.split_at_checked(size)?;
        *bytes = rest;
        let details = match details {
            [] => None,
            some => Some(RawDocument::new(some).ok()?.to_buf()),
        };
        Some(Run {
            first: i32::from_le_bytes(*first),
            count,
            kind,
            details,
        })
    }

    fn outcome(&self) -> ReplayedOutcome {
        let details = self.details.as_ref().map(DocumentBuf::as_raw);
        let image = details.and_then(|details| details.get("image")?.as_document());
        ReplayedOutcome {
            kind: self.kind,
            upserted: details
                .and_then(|details| details.get("upserted"))
                .map(Value::from),
            image: image.map(|image| DocumentBuf::from(&image.to_document())),
        }
    }
}

impl Group<'_> {
    /// What the statement did, if it was executed before, in this batch too.
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

    /// Notes a statement that has changed something; one that has not may as well be executed again.
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
            details.push("upserted", modify::id_of(document.as_raw()));
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

    /// Puts the sessions that have executed something.
    pub(super) fn put_sessions(&mut self) {
        for (digest, (session, dirty)) in &self.overlay.sessions {
            if *dirty {
                self.batch.put(&keys::session(digest), &session.encode());
            }
        }
    }
}
