//! Documents of another server with Elasticsearch's protocol, read by a scroll and put into an index of this one.

mod batch;
mod given;
mod server;

pub(super) use server::Remote;

use super::Run;
use super::progress::{Pace, Progress};
use crate::limits::BULK_COMMIT_MAX;
use batch::{Batch, Hit};
use indices::Index;
use indices::documents::document_of;
use indices::error::{ElasticError, Result};
use indices::write::{Change, Write, write_all};
use rest::tasks::Task;
use search::Held;

/// A copy from another server.
pub(super) struct Copying {
    remote: Remote,
    index: Index,
    creates: bool,
    pace: Pace,
    held: Held,
}

impl Copying {
    pub(super) fn new(remote: Remote, index: Index, creates: bool, pace: Pace, held: Held) -> Copying {
        Copying {
            remote,
            index,
            creates,
            pace,
            held,
        }
    }

    /// Writes the documents of a batch; how many there were, and where the next ones are.
    async fn write(&self, batch: Batch, progress: &mut Progress) -> Result<(usize, Option<String>)> {
        let page = batch.page()?;
        let wanted = progress.take(page.hits.hits.len(), page.total());
        for hits in page.hits.hits[..wanted].chunks(BULK_COMMIT_MAX) {
            let writes = hits
                .iter()
                .map(|hit| self.change(hit))
                .collect::<Result<Vec<_>>>()?;
            let results = write_all(&self.index, &writes).await?;
            progress.wrote(&self.index, &writes, results);
        }
        Ok((wanted, page.scroll))
    }

    fn change(&self, hit: &Hit<'_>) -> Result<Write> {
        let source = hit
            .source
            .ok_or_else(|| ElasticError::illegal(format!("[{}] has no [_source] to be copied", hit.id)))?;
        let document = document_of(source.get().as_bytes())?;
        let create = self.creates;
        Ok(Write {
            id: hit.id.clone(),
            is_new: false,
            routing: hit.routing.clone(),
            change: Change::Put { document, create },
            condition: None,
            version: None,
        })
    }

    /// Copies until there is nothing more; `scroll` is the last one that was heard of.
    async fn copy(&self, task: &Task, progress: &mut Progress, scroll: &mut Option<String>) -> Result<()> {
        let mut batch = self.remote.begin(&self.held, progress).await?;
        loop {
            let (wanted, next) = self.write(batch, progress).await?;
            *scroll = next.or(scroll.take());
            task.set_status(progress.status());
            let Some(scroll) = scroll.as_deref().filter(|_| !progress.is_over(task, wanted)) else {
                return Ok(());
            };
            progress.rest(task, wanted).await;
            batch = self.remote.next(scroll, &self.held, progress).await?;
        }
    }
}

impl Run for Copying {
    fn pace(&self) -> Pace {
        self.pace
    }

    async fn run(self, task: &Task, progress: &mut Progress) -> Result<()> {
        let mut scroll = None;
        // Within a context of its own, so that the scroll is ended although the task has to end.
        let copied = task.context().run(self.copy(task, progress, &mut scroll)).await;
        if let Some(scroll) = scroll {
            self.remote.end(&scroll).await;
        }
        copied
    }
}
