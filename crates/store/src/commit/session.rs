//! The executed statements of a session, as they are stored.

use super::{ReplayedKind, ReplayedOutcome, StatementId};
use crate::StoreError;
use crate::seal::{seal, unseal};
use value::{DocumentBuf, RawDocument, Value, varint};

/// The statements that a session has executed under its latest transaction number.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    number: i64,
    /// When it last executed a statement, milliseconds since 1970.
    pub(crate) time_ms: u64,
    /// Sorted by their first statements, so that one of very many is found quickly.
    runs: Vec<Run>,
}

/// One entry for successive statements of the same kind, such as the inserts of one command.
#[derive(Clone, Debug)]
struct Run {
    first: i32,
    count: u32,
    kind: ReplayedKind,
    /// `upserted` and `image`; `None` if there are neither. A run with details has one statement.
    details: Option<DocumentBuf>,
}

impl Session {
    /// A session that has executed nothing; every transaction number is later.
    pub(crate) fn unused() -> Session {
        Session {
            number: i64::MIN,
            time_ms: 0,
            runs: Vec::new(),
        }
    }

    /// What the statement did; `None` if it was not executed. Fails if the session has executed a later transaction number.
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
        let before = self.runs.get(..self.place(statement)).and_then(<[Run]>::last);
        let run = before.filter(|run| i64::from(statement.statement) < run.end());
        Ok(run.map(Run::outcome))
    }

    /// The number of runs that begin at this statement or before it.
    fn place(&self, statement: &StatementId) -> usize {
        self.runs.partition_point(|run| run.first <= statement.statement)
    }

    pub(super) fn note(
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
        let place = self.place(statement);
        if details.is_none()
            && let Some(before) = self.runs.get_mut(..place).and_then(<[Run]>::last_mut)
            && before.details.is_none()
            && before.kind == kind
            && before.end() == i64::from(statement.statement)
        {
            before.count += 1;
            return;
        }
        let run = Run {
            first: statement.statement,
            count: 1,
            kind,
            details,
        };
        self.runs.insert(place, run);
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
        // Earlier versions kept them in the order in which they were executed.
        runs.sort_by_key(|run| run.first);
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

    /// The first statement after it.
    fn end(&self) -> i64 {
        i64::from(self.first) + i64::from(self.count)
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

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    fn statement(statement: i32) -> StatementId {
        StatementId {
            session: [0; 32],
            number: 1,
            statement,
        }
    }

    #[test]
    fn statements_are_found_in_whatever_order_they_were_executed() {
        let mut session = Session::unused();
        let upserted = |id: i32| Some(DocumentBuf::from(&doc! {"upserted": id}));
        for (number, details) in [
            (5, None),
            (6, None),
            (2, upserted(2)),
            (0, None),
            (1, None),
            (9, upserted(9)),
            (7, None),
        ] {
            session.note(&statement(number), ReplayedKind::Inserted, details, 1);
        }
        let read = Session::decode(&session.encode()).expect("what was written");
        for session in [&session, &read] {
            for number in -1..11 {
                let executed = session.executed(&statement(number)).expect("the latest number");
                let known = [0, 1, 2, 5, 6, 7, 9].contains(&number);
                assert_eq!(executed.is_some(), known, "{number}");
                let upserted = executed.and_then(|executed| executed.upserted);
                let expected = [2, 9].contains(&number).then_some(Value::Int32(number));
                assert_eq!(upserted, expected, "{number}");
            }
        }
    }
}
