//! `larder agent`: sources, spool and sender together, on one thread.

mod deliver;
mod keep;

use crate::config::Config;
use crate::counters::AgentCounters;
use crate::send::{Rejects, Requester, Sender};
use crate::source::{self, SourceContext};
use crate::spool::{Recovery, Spool};
use crate::status;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Batches between sources and the spool.
const BATCHES_WAITING_MAX: usize = 1;
/// How long an orderly end waits for sources and for the spool.
const END_TIME_MAX: Duration = Duration::from_secs(10);
/// How long sending goes on at an orderly end; the rest is sent after the next start.
const SEND_TIME_MAX: Duration = Duration::from_secs(3);
/// How often the figures are written down.
const STATUS_PERIOD: Duration = Duration::from_secs(10);
/// How often they are logged.
const LOG_PERIODS: u32 = 30;
/// Threads for work that may block for long: flushes, look-ups of hosts.
const THREADS_MAX: usize = 4;
const STACK_BYTES: usize = 512 << 10;

/// What the parts share.
pub(crate) struct Shared {
    spool: Mutex<Spool>,
    counters: Arc<AgentCounters>,
    /// Told when something was flushed, or nothing more will be.
    flushed: Notify,
    /// Told when there may be room again.
    room: Notify,
    /// Whether nothing more will be added.
    is_complete: watch::Sender<bool>,
}

impl Shared {
    fn new(spool: Spool, counters: Arc<AgentCounters>) -> Shared {
        Shared {
            spool: Mutex::new(spool),
            counters,
            flushed: Notify::new(),
            room: Notify::new(),
            is_complete: watch::channel(false).0,
        }
    }

    /// The spool. No code that holds it awaits anything.
    pub(crate) fn spool(&self) -> MutexGuard<'_, Spool> {
        self.spool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a round of work ended.
enum Ended {
    /// It was asked to.
    Stopped,
    /// There is another configuration.
    Reload(Box<Config>),
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

/// Gathers and sends until SIGTERM or SIGINT; with `is_once`, until what there is now is with the server.
pub fn run(path: &Path, is_once: bool) -> Result<()> {
    let mut config = Config::read(path)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS_MAX)
        .thread_stack_size(STACK_BYTES)
        .build()
        .context("cannot start the runtime")?;
    let ran = runtime.block_on(async {
        let mut signals = Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        };
        let counters = Arc::new(AgentCounters::default());
        loop {
            match round(path, &config, is_once, &counters, &mut signals).await? {
                Ended::Stopped => return Ok(()),
                Ended::Reload(other) => config = *other,
            }
        }
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    ran
}

/// Works by one configuration.
async fn round(
    path: &Path,
    config: &Config,
    is_once: bool,
    counters: &Arc<AgentCounters>,
    signals: &mut Signals,
) -> Result<Ended> {
    let requester = Requester::new(&config.server, &config.device)?;
    let (spool, recovery) = Spool::open(&config.spool.folder, config.spool.max_bytes.0)?;
    tell(config, recovery);
    let positions = spool.positions().clone();
    let shared = Arc::new(Shared::new(spool, counters.clone()));
    let (stop, stopping) = watch::channel(false);
    let (sender, receiver) = mpsc::channel(BATCHES_WAITING_MAX);
    let context = SourceContext {
        device: config.device.clone(),
        sender,
        stop: stopping.clone(),
        is_once,
        counters: counters.clone(),
    };
    let mut sources = start_sources(config, context, &positions);
    let mut keeping = tokio::spawn(keep::run(
        shared.clone(),
        config.spool.clone(),
        receiver,
        stopping,
    ));
    let rejects = Rejects::new(config.spool.folder.join("rejected.ndjson"));
    let sending = Sender::new(requester, rejects, counters.clone());
    let mut delivering = tokio::spawn(deliver::run(shared.clone(), sending, config.server.clone()));

    let ended = tokio::select! {
        ended = asked(path, config, signals) => Some(ended),
        () = report(&shared, config) => None,
        _ = &mut delivering, if is_once => None,
    };
    let _ = stop.send(true);
    let all = async { while sources.join_next().await.is_some() {} };
    if timeout(END_TIME_MAX, all).await.is_err() {
        tracing::warn!("a source does not end in time");
        sources.abort_all();
    }
    if timeout(END_TIME_MAX, &mut keeping).await.is_err() {
        keeping.abort();
    }
    if !delivering.is_finished() && timeout(SEND_TIME_MAX, &mut delivering).await.is_err() {
        delivering.abort();
        let _ = delivering.await;
    }
    let figures = status::figures(&shared.spool(), counters);
    let _ = status::write(&config.spool.folder, &figures);
    tracing::info!(figures = %serde_json::Value::from(figures), "the agent ends");
    Ok(ended.unwrap_or(Ended::Stopped))
}

/// Runs each source in a task. They alone have the sender then, so that the spool sees when all have ended.
fn start_sources(
    config: &Config,
    context: SourceContext,
    positions: &BTreeMap<String, String>,
) -> JoinSet<()> {
    let mut sources = JoinSet::new();
    for source in &config.sources {
        let own = source::positions_of(&source.name, positions);
        let (source, name, context) = (source.clone(), source.name.clone(), context.clone());
        sources.spawn(async move {
            if let Err(error) = source::run(source, context, own).await {
                tracing::error!(source = name, "a source ended: {error:#}");
            }
        });
    }
    sources
}

fn tell(config: &Config, recovery: Recovery) {
    tracing::info!(
        device = config.device,
        server = config.server.url,
        sources = config.sources.len(),
        waiting = recovery.waiting,
        "the agent gathers"
    );
    if recovery.torn_bytes > 0 {
        tracing::info!(
            bytes = recovery.torn_bytes,
            "a crash left the end of a segment unfinished; it is read again from its source"
        );
    }
    if recovery.damaged_places > 0 {
        tracing::error!(
            places = recovery.damaged_places,
            bytes = recovery.damaged_bytes,
            "the spool is damaged: the records there are lost"
        );
    }
}

/// Waits for a signal that ends this round.
async fn asked(path: &Path, config: &Config, signals: &mut Signals) -> Ended {
    loop {
        tokio::select! {
            _ = signals.terminate.recv() => return Ended::Stopped,
            _ = signals.interrupt.recv() => return Ended::Stopped,
            _ = signals.hangup.recv() => match read_again(path) {
                Ok(other) => {
                    tracing::info!("the configuration was read again");
                    return Ended::Reload(Box::new(other));
                }
                Err(error) => tracing::error!(device = config.device, "the configuration stays as it was: {error:#}"),
            },
        }
    }
}

/// The configuration, if it can be used: the files that it names are there.
fn read_again(path: &Path) -> Result<Config> {
    let config = Config::read(path)?;
    Requester::new(&config.server, &config.device)?;
    Ok(config)
}

/// Writes down the figures, again and again.
async fn report(shared: &Shared, config: &Config) {
    let mut periods = 0;
    loop {
        let figures = status::figures(&shared.spool(), &shared.counters);
        if let Err(error) = status::write(&config.spool.folder, &figures) {
            tracing::debug!(%error, "the figures cannot be written down");
        }
        if periods % LOG_PERIODS == LOG_PERIODS - 1 {
            tracing::info!(figures = %serde_json::Value::from(figures), "figures");
        }
        periods += 1;
        tokio::time::sleep(STATUS_PERIOD).await;
    }
}
