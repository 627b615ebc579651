//! A server in this process on a store in memory.

use engine::Engine;
use kv::{Kv, Simulation};
use memory::Budget;
use std::net::SocketAddr;
use std::time::Duration;
use testing::http::{Case, faults};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// Ends with the value.
pub struct Server {
    pub address: SocketAddr,
    runtime: Option<Runtime>,
    _stop: watch::Sender<bool>,
}

impl Server {
    pub fn start() -> Server {
        Server::on(&Simulation::new(1))
    }

    /// A server on what a disk has.
    pub fn on(disk: &Simulation) -> Server {
        Server::within(disk, Budget::default())
    }

    /// The same; what clients ask comes out of this memory.
    pub fn within(disk: &Simulation, memory: Budget) -> Server {
        let disk = disk.clone();
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let (stop, stopped) = watch::channel(false);
        let address = runtime.block_on(async move {
            let engine = Engine::on_within(Kv::simulated(&disk), memory).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            tokio::spawn(elastic::serve(
                listener,
                engine,
                elastic::Options::default(),
                stopped,
            ));
            address
        });
        Server {
            address,
            runtime: Some(runtime),
            _stop: stop,
        }
    }
}

/// How long the last tasks may take.
const END_TIME_MAX: Duration = Duration::from_secs(10);

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waited for: the engine must not be closed while the process ends.
            runtime.shutdown_timeout(END_TIME_MAX);
        }
    }
}

/// Runs the cases one after another on a server of their own, and fails with all that went wrong.
pub fn run(cases: &[Case]) {
    let faults = faults(Server::start().address, cases);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Runs the first cases, then the others on a server that starts after the first one has ended.
pub fn run_restarted(before: &[Case], after: &[Case]) {
    let disk = Simulation::new(1);
    for cases in [before, after] {
        let faults = faults(Server::on(&disk).address, cases);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
