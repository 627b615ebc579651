//! Turns of those who read a document for an answer.

use crate::limits::ROOM_MS_MAX;
use memory::{Budget, Full, Holder};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The long documents that are read for answers at the same time. What they take is counted only when they are read, so this is what
/// answers can have beyond their limit.
const LONG_READS_MAX: usize = 4;

/// Who may read now.
#[derive(Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

/// The right to read one document for an answer. To be kept until the answer is made.
#[derive(Debug)]
#[must_use = "the turn ends when it is dropped"]
pub struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns(Arc::new(Semaphore::new(LONG_READS_MAX)))
    }
}

impl Turns {
    /// Waits until answers in memory leave room for another, and until few others read documents that may be long, if this one may be.
    pub(crate) async fn take(&self, may_be_long: bool, memory: &Budget) -> Result<Turn, Full> {
        let limit = Duration::from_millis(ROOM_MS_MAX);
        let mut turn = Turn { _permit: None };
        if may_be_long {
            let permit = tokio::time::timeout(limit, Arc::clone(&self.0).acquire_owned()).await;
            // The semaphore is never closed.
            let permit = permit.ok().and_then(Result::ok);
            turn._permit = Some(permit.ok_or_else(|| memory.share(Holder::Answers).full(0))?);
        }
        memory.room(Holder::Answers, limit).await?;
        Ok(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn few_read_long_documents_at_the_same_time() {
        let (turns, memory) = (Turns::default(), Budget::new(16 << 20));
        let mut taken = Vec::new();
        for _ in 0..LONG_READS_MAX {
            taken.push(turns.take(true, &memory).await.expect("a turn"));
        }
        turns.take(true, &memory).await.expect_err("others read");
        turns.take(false, &memory).await.expect("short ones do not wait");
        taken.pop();
        turns
            .take(true, &memory)
            .await
            .expect("the turn of the one that is done");
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_reads_while_answers_fill_the_memory() {
        let (turns, memory) = (Turns::default(), Budget::new(16 << 20));
        let unsent = memory.charged(Holder::Answers, 2 << 20);
        for may_be_long in [false, true] {
            let full = turns.take(may_be_long, &memory).await.expect_err("no room");
            assert!(full.to_string().contains("--memory"), "{full}");
        }
        drop(unsent);
        turns.take(true, &memory).await.expect("there is room");
    }
}
