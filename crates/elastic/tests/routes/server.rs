//! A server in this process on a store in memory.

use engine::Engine;
use kv::{Kv, Simulation};
use memory::Budget;
use std::net::SocketAddr;
use testing::Host;
use testing::http::{Case, faults};

/// The server stops when this is dropped.
pub struct Server {
    pub address: SocketAddr,
    pub engine: Engine,
    pub host: Host,
}

impl Server {
    pub fn start() -> Server {
        Server::on(&Simulation::new(1))
    }

    /// A server on the contents of a disk.
    pub fn on(disk: &Simulation) -> Server {
        Server::within(disk, Budget::default())
    }

    /// The same, with this much memory for requests.
    pub fn within(disk: &Simulation, memory: Budget) -> Server {
        Server::with(disk, memory, elastic::Options::default())
    }

    /// The same, with these options of serving.
    pub fn with(disk: &Simulation, memory: Budget, options: elastic::Options) -> Server {
        let host = Host::new();
        let engine = host.run(Engine::on_within(Kv::simulated(disk), memory)).unwrap();
        let serving = engine.clone();
        let address = host.serve(|listener, stopped| elastic::serve(listener, serving, options, stopped));
        Server {
            address,
            engine,
            host,
        }
    }
}

/// Runs the cases one after another on a server of their own, and fails with a list of all wrong answers.
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
