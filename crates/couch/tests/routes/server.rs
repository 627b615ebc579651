//! A server in this process on a store in memory.

use engine::Engine;
use kv::{Kv, Simulation};
use std::net::SocketAddr;
use testing::Host;
use testing::http::{Case, case, faults};

/// The server stops when this is dropped.
pub struct Server {
    pub address: SocketAddr,
    pub engine: Engine,
    host: Host,
}

impl Server {
    pub fn start() -> Server {
        Server::on(&Simulation::new(1))
    }

    /// A server on what is left of this store, after a crash if it is still open.
    pub fn on(simulation: &Simulation) -> Server {
        let host = Host::new();
        let engine = host.run(Engine::on(Kv::simulated(simulation))).unwrap();
        let served = engine.clone();
        let address = host
            .serve(|listener, stopped| couch::serve(listener, served, couch::Options::default(), stopped));
        Server {
            address,
            engine,
            host,
        }
    }

    /// Changes the server's store as another protocol would.
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.host.run(future)
    }
}

/// Runs the cases one after another on a server of their own, and fails with a list of all wrong answers.
pub fn run(cases: &[Case]) {
    let faults = faults(Server::start().address, cases);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The first cases if a login is needed: the database of users, and an administrator with the credentials keeper:larder.
pub const KEEPER: [Case; 2] = [
    case("PUT /_users", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /_node/_local/_config/admins/keeper",
        r#""larder""#,
        200,
        r#""""#,
    ),
];

/// The same on a server that has an administrator already.
pub fn run_with_keeper(cases: &[Case]) {
    run(&[&KEEPER[..], cases].concat());
}
