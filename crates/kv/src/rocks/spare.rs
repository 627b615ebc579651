//! Threads that help with long reads, one less than there are processors.

use crate::{Aside, Error};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};

/// The number of look-ups that is worth another thread. Waking one takes as long as some tens of them, but the ids of a batch of
/// inserts, mostly new and ruled out by a filter, are looked up faster without.
const LOOKUPS_MIN: usize = 1024;

/// The threads that help with look-ups and read pages ahead, besides the calling one.
///
/// The threads stay: a new thread begins on the processor of the one that started it, and may wait there for
/// milliseconds although another processor has nothing to do.
#[derive(Clone, Debug)]
pub(super) struct Spare {
    /// `None` if there is one processor.
    pool: Option<Arc<ThreadPool>>,
    idle: Arc<Semaphore>,
}

impl Spare {
    /// Starts a thread for each processor but one. Fails if they cannot be started.
    pub(super) fn start() -> Result<Spare, Error> {
        Spare::with_threads(thread::available_parallelism().map_or(0, |processors| processors.get() - 1))
    }

    fn with_threads(threads: usize) -> Result<Spare, Error> {
        let pool = NonZero::new(threads).map(|threads| {
            let named = |number| format!("read-{number}");
            let builder = ThreadPoolBuilder::new().num_threads(threads.get());
            // Who waits for the work that panicked learns of it, since it has no result.
            let builder = builder.panic_handler(|_| tracing::error!("a thread of the store panicked"));
            builder.thread_name(named).build().map(Arc::new)
        });
        let pool = pool.transpose().map_err(|error| Error::Engine {
            doing: "starting the threads that help with reads",
            cause: error.to_string(),
        })?;
        Ok(Spare {
            pool,
            idle: Arc::new(Semaphore::new(threads)),
        })
    }

    /// Begins to run work on an idle thread; `None` if there is none.
    pub(super) fn aside<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<Aside<T>> {
        let pool = self.pool.as_ref()?;
        let runtime = Handle::try_current().ok()?;
        let busy = self.idle.clone().try_acquire_owned().ok()?;
        let (sender, result) = oneshot::channel();
        pool.spawn(move || {
            // Fails if nobody waits any more.
            let _ = sender.send(runtime.block_on(work));
        });
        Some(Aside::new(result, busy))
    }

    /// Looks up keys in parts, as many at a time as are worthwhile and as there are idle threads.
    pub(super) fn share<K: Sync, V: Send>(
        &self,
        keys: &[K],
        look_up: impl Fn(&[K]) -> Result<Vec<V>, Error> + Sync,
    ) -> Result<Vec<V>, Error> {
        let wanted = (keys.len() / LOOKUPS_MIN).saturating_sub(1);
        let helpers: Vec<_> = (0..wanted).map_while(|_| self.idle.try_acquire().ok()).collect();
        let Some(pool) = self.pool.as_ref().filter(|_| !helpers.is_empty()) else {
            return look_up(keys);
        };
        let (own, others) = keys.split_at(keys.len() / (helpers.len() + 1));
        let parts = others.chunks(others.len().div_ceil(helpers.len()));
        let mut helped: Vec<_> = parts.map(|part| (part, Ok(Vec::new()))).collect();
        let found = pool.in_place_scope(|scope| {
            for (part, found) in &mut helped {
                let look_up = &look_up;
                scope.spawn(move |_| *found = look_up(part));
            }
            look_up(own)
        });
        let mut found = found?;
        for (_, part) in helped {
            found.extend(part?);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_shared_lookups_stay_in_order() {
        let keys: Vec<usize> = (0..5 * LOOKUPS_MIN + 3).collect();
        let spare = Spare::with_threads(3).expect("threads start");
        let found = spare.share(&keys, |part| Ok(part.to_vec()));
        assert_eq!(found.expect("every part is found"), keys);
    }

    #[test]
    fn an_error_of_any_part_is_the_answer() {
        let keys: Vec<usize> = (0..4 * LOOKUPS_MIN).collect();
        let last = keys.len() - 1;
        let spare = Spare::with_threads(2).expect("threads start");
        let found = spare.share(&keys, |part| match part.contains(&last) {
            true => Err(Error::Closed),
            false => Ok(part.to_vec()),
        });
        assert!(found.is_err());
        assert_eq!(spare.idle.available_permits(), 2);
    }

    #[tokio::test]
    async fn work_goes_on_aside_while_a_thread_is_idle() {
        let spare = Spare::with_threads(1).expect("a thread starts");
        let first = spare.aside(async { 1 }).expect("the thread is idle");
        assert!(
            spare.aside(async { 2 }).is_none(),
            "a result that was not taken keeps it busy"
        );
        assert_eq!(first.result().await, Some(1));
        let panicking = spare.aside::<()>(async { panic!("as this test wants") });
        let panicking = panicking.expect("the thread is idle again");
        assert_eq!(panicking.result().await, None);
        let last = spare.aside(async { 3 }).expect("the thread lives on");
        assert_eq!(last.result().await, Some(3));
    }

    #[test]
    fn one_processor_needs_no_help() {
        let keys: Vec<usize> = (0..4 * LOOKUPS_MIN).collect();
        let spare = Spare::with_threads(0).expect("nothing is started");
        let found = spare.share(&keys, |part| Ok(part.to_vec()));
        assert_eq!(found.expect("all is found"), keys);
        assert!(spare.aside(async {}).is_none());
    }
}
