//! The work itself: batch after batch of one snapshot, each document as it was seen or not at all.

use super::Run;
use super::progress::{Pace, Progress};
use crate::documents::{document_of, without_id};
use crate::error::Result;
use crate::index::Index;
use crate::limits::BULK_COMMIT_MAX;
use crate::routing;
use crate::scan::{self, Place};
use crate::scripts::Prepared;
use crate::source::SourceFilter;
use crate::tasks::Task;
use crate::write::{Change, Update, Write, write_all};
use search::{Held, Hit, Request, SortKey};
use serde_json::{Map, Value};

/// What is to be done with documents that are found.
pub(super) struct Job {
    pub(super) places: Vec<Place>,
    pub(super) request: Request,
    pub(super) work: Work,
    pub(super) pace: Pace,
    /// The memory that its batches are of.
    pub(super) held: Held,
}

/// What becomes of a document.
pub(super) enum Work {
    Delete,
    /// It is written again as it is, so that what has changed in the mapping is true of it.
    /// Where there is a script, it changes it.
    Touch {
        script: Option<Prepared>,
    },
    /// It is put into another index.
    Copy {
        index: Index,
        creates: bool,
        filter: SourceFilter,
    },
}

impl Run for Job {
    fn pace(&self) -> Pace {
        self.pace
    }

    async fn run(mut self, task: &Task, progress: &mut Progress) -> Result<()> {
        self.request.size = self.pace.batch;
        loop {
            let show = |_: &Hit, _: &[SortKey], _: &Map<String, Value>| Ok(Value::Null);
            let found = scan::run(&self.request, false, &self.places, None, &self.held, &show)
                .await?
                .outcome;
            let wanted = progress.take(found.hits.len(), found.total);
            let hits = &found.hits[..wanted];
            let Some(last) = hits.last() else { break };
            for part in hits.chunks(BULK_COMMIT_MAX) {
                self.write(part, progress).await?;
            }
            task.set_status(progress.status());
            if progress.is_over(task, wanted) {
                break;
            }
            self.request.after = Some(Box::new(last.place()));
            progress.rest(wanted).await;
        }
        Ok(())
    }
}

impl Job {
    async fn write(&self, hits: &[Hit], progress: &mut Progress) -> Result<()> {
        for (at, place) in self.places.iter().enumerate() {
            let own: Vec<&Hit> = hits.iter().filter(|hit| hit.index == at).collect();
            if own.is_empty() {
                continue;
            }
            let writes = own
                .iter()
                .map(|hit| self.change(hit))
                .collect::<Result<Vec<_>>>()?;
            let index = match &self.work {
                Work::Copy { index, .. } => index,
                Work::Delete | Work::Touch { .. } => &place.index,
            };
            let results = write_all(index, &writes).await?;
            progress.wrote(index, &writes, results);
        }
        Ok(())
    }

    fn change(&self, hit: &Hit) -> Result<Write> {
        let unchanged = Some((hit.sequence, 1));
        let (change, condition) = match &self.work {
            Work::Delete => (Change::Delete, unchanged),
            Work::Touch { script: Some(script) } => {
                let update = Update {
                    script: Some(script.clone()),
                    ..Update::default()
                };
                (Change::Update(update), unchanged)
            }
            Work::Touch { script: None } => {
                let document = without_id(&hit.document);
                let create = false;
                (Change::Put { document, create }, unchanged)
            }
            Work::Copy { creates, filter, .. } => {
                let shown = filter.shown(&hit.document);
                let document = match filter.is_all() {
                    true => without_id(&hit.document),
                    false => document_of(shown.to_string().as_bytes())?,
                };
                let create = *creates;
                (Change::Put { document, create }, None)
            }
        };
        Ok(Write {
            id: hit.id.clone(),
            is_new: false,
            routing: routing::kept(&hit.document).map(str::to_owned),
            change,
            condition,
            version: None,
        })
    }
}
