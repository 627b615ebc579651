//! Many clients at once, each on a thread and a connection of its own, and how long they waited.

use anyhow::{Context, Result, anyhow};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What came of a run: every request's latency.
#[derive(Debug)]
pub struct Load {
    latencies: Vec<Duration>,
    elapsed: Duration,
}

impl Load {
    /// Requests a second, by all clients together.
    pub fn rate(&self) -> f64 {
        self.latencies.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The number of requests.
    pub fn count(&self) -> usize {
        self.latencies.len()
    }

    /// The latency in milliseconds that `share` of the requests do not exceed.
    pub fn latency_ms(&self, share: f64) -> f64 {
        let at = ((self.latencies.len() as f64 * share) as usize).min(self.latencies.len().saturating_sub(1));
        self.latencies
            .get(at)
            .map_or(0.0, |latency| latency.as_secs_f64() * 1e3)
    }
}

/// Lets `clients` send requests for a while, each as soon as it has the answer to its last. `connect` makes a client of a
/// number; `request` sends its n-th request.
pub fn run<C: Send>(
    clients: usize,
    duration: Duration,
    connect: impl Fn(usize) -> Result<C> + Sync,
    request: impl Fn(&mut C, u64) -> Result<()> + Sync,
) -> Result<Load> {
    drive(clients, duration, None, connect, request)
}

/// Like [`run`], at `rate` requests a second by all clients together. A latency counts from the time at which its request
/// was due, so that a request that was sent late because the one before it took long does not look quick.
pub fn run_paced<C: Send>(
    clients: usize,
    duration: Duration,
    rate: f64,
    connect: impl Fn(usize) -> Result<C> + Sync,
    request: impl Fn(&mut C, u64) -> Result<()> + Sync,
) -> Result<Load> {
    drive(clients, duration, Some(rate), connect, request)
}

fn drive<C: Send>(
    clients: usize,
    duration: Duration,
    rate: Option<f64>,
    connect: impl Fn(usize) -> Result<C> + Sync,
    request: impl Fn(&mut C, u64) -> Result<()> + Sync,
) -> Result<Load> {
    let (ready, stop) = (Barrier::new(clients + 1), AtomicBool::new(false));
    let client = |number: usize| -> Result<Vec<Duration>> {
        let connected = connect(number);
        ready.wait();
        let started = Instant::now();
        let mut client = connected?;
        let mut latencies = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let due = match rate {
                Some(rate) => {
                    let turn = (latencies.len() * clients + number) as f64;
                    started + Duration::from_secs_f64(turn / rate)
                }
                None => Instant::now(),
            };
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            request(&mut client, latencies.len() as u64)?;
            latencies.push(due.elapsed());
        }
        Ok(latencies)
    };
    std::thread::scope(|scope| {
        let client = &client;
        let threads: Vec<_> = (0..clients)
            .map(|number| scope.spawn(move || client(number)))
            .collect();
        ready.wait();
        let started = Instant::now();
        std::thread::sleep(duration);
        stop.store(true, Ordering::Relaxed);
        let elapsed = started.elapsed();
        let mut latencies = Vec::new();
        for thread in threads {
            let finished = thread.join().map_err(|_| anyhow!("a client panicked"))?;
            latencies.extend(finished.context("a client failed")?);
        }
        latencies.sort_unstable();
        Ok(Load { latencies, elapsed })
    })
}

/// Divides the numbers below `total` into batches, which `clients` send as fast as they can. Items a second.
pub fn run_batches<C: Send>(
    clients: usize,
    total: u64,
    batch: u64,
    connect: impl Fn() -> Result<C> + Sync,
    send: impl Fn(&mut C, std::ops::Range<u64>) -> Result<()> + Sync,
) -> Result<f64> {
    let next = std::sync::atomic::AtomicU64::new(0);
    let client = || -> Result<()> {
        let mut client = connect()?;
        loop {
            let start = next.fetch_add(batch, Ordering::Relaxed);
            if start >= total {
                return Ok(());
            }
            send(&mut client, start..(start + batch).min(total))?;
        }
    };
    let started = Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
        for thread in threads {
            thread
                .join()
                .map_err(|_| anyhow!("a client panicked"))?
                .context("a client failed")?;
        }
        anyhow::Ok(())
    })?;
    Ok(total as f64 / started.elapsed().as_secs_f64())
}

/// The median time of several runs in milliseconds.
pub fn median_ms(runs: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..runs {
        let started = Instant::now();
        work()?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok(times[runs / 2].as_secs_f64() * 1e3)
}
