//! How a client's body comes in: how fast, and for how much memory.

use crate::BodyError;
use crate::unread::ClientBody;
use bytes::Bytes;
use hyper::body::Frame;
use memory::{Budget, Full, Holder, Share, WAIT_MAX};
use net::Pace;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// A body up to this size is not counted in the budget.
const UNCOUNTED_BYTES: usize = 4 * 1024;
/// How many times its size a body takes that is read whole: itself, and what is made of it.
const BODY_FACTOR: usize = 2;

/// What a request's body is read with.
#[derive(Debug)]
pub(crate) struct Intake {
    budget: Budget,
    pace: Pace,
    held: Held,
}

/// The memory of a body that was read whole, as long as its request is under way.
pub(crate) type Held = Arc<Mutex<Option<Share>>>;

impl Intake {
    pub(crate) fn new(budget: &Budget, idle_time_max: Duration, held: &Held) -> Intake {
        Intake {
            budget: budget.clone(),
            pace: Pace::with_grace(idle_time_max),
            held: held.clone(),
        }
    }

    /// The next frame, unless the body comes too slowly.
    pub(crate) async fn frame(&mut self, body: &mut ClientBody) -> Result<Option<Frame<Bytes>>, BodyError> {
        let held = self.held.lock().await;
        self.pace.begin();
        loop {
            let is_wanted = held.as_ref().is_some_and(Share::is_wanted);
            let wait = self.pace.wait(is_wanted);
            let wait = wait.ok_or_else(|| BodyError::Late(self.pace.grace()))?;
            if let Ok(frame) = timeout(wait, body.frame()).await {
                let frame = frame?;
                let bytes = frame.as_ref().and_then(Frame::data_ref).map_or(0, Bytes::len);
                self.pace.came(bytes);
                return Ok(frame);
            }
        }
    }

    /// Waits for the memory of a body of this length that is to be read whole; 0 if the length is not known.
    pub(crate) async fn announce(&mut self, length: usize) -> Result<(), Full> {
        let bytes = length.saturating_mul(BODY_FACTOR);
        if bytes > UNCOUNTED_BYTES {
            let mut share = self.budget.share(Holder::of_request(bytes));
            share.wait(bytes, WAIT_MAX).await?;
            *self.held.lock().await = Some(share);
            self.pace.restart();
        }
        Ok(())
    }

    /// A body that came without a length has grown to `length` bytes.
    pub(crate) async fn grew(&mut self, length: usize) -> Result<(), Full> {
        let bytes = length.saturating_mul(BODY_FACTOR);
        if bytes <= UNCOUNTED_BYTES {
            return Ok(());
        }
        let mut held = self.held.lock().await;
        let share = held.get_or_insert_with(|| self.budget.share(Holder::LargeRequests));
        match bytes > share.bytes() {
            true => share.set(bytes),
            false => Ok(()),
        }
    }
}
