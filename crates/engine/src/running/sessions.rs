//! Sessions of clients: used, ended, and the moments that they read again.

use crate::engine::Engine;
use crate::error::Result;
use crate::tables::sessions::SessionId;
use std::sync::Weak;
use store::Moment;

impl Engine {
    /// Notes that a session is used now, and adds it if it is not known.
    pub fn touch_session(&self, session: SessionId) -> Result<()> {
        self.sessions().touch(session)
    }

    /// Ends a session: its cursors are closed.
    pub fn end_session(&self, session: &SessionId) {
        self.sessions().end(session);
        self.cursors().close_of_session(session);
    }

    /// Ends a session, and what runs in it.
    pub fn kill_session(&self, session: &SessionId) {
        self.operations().kill_of(session);
        self.end_session(session);
    }

    /// The sessions that are known.
    pub fn sessions_in_use(&self) -> Vec<SessionId> {
        self.sessions()
            .all()
            .into_iter()
            .map(|(session, _)| session)
            .collect()
    }

    /// Keeps the present moment under a logical time, for reads of several collections that must agree. It is kept
    /// for [`MOMENT_MS_MAX`](crate::limits::MOMENT_MS_MAX), or until [`MOMENTS_MAX`](crate::limits::MOMENTS_MAX)
    /// newer ones are kept.
    pub async fn keep_moment(&self, time: u64) -> Result<Weak<Moment>> {
        let moment = self.store().moment().await?;
        Ok(self.moments().keep(time, moment))
    }

    /// The moment that was kept under a logical time. Fails with SnapshotTooOld if there is none.
    pub fn moment(&self, time: u64) -> Result<Weak<Moment>> {
        self.moments().find(time)
    }
}
