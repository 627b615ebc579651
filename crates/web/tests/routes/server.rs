//! A server in this process on a folder of its own.

use engine::Engine;
use kv::{Kv, OpenOptions};
use std::net::SocketAddr;
use std::time::Duration;
use tempfile::TempDir;
use testing::Host;
use testing::http::{Case, faults};

/// The server stops when this is dropped.
pub struct Server {
    pub address: SocketAddr,
    // Before its folder, so that it has ended when that is removed.
    host: Host,
    _folder: TempDir,
}

impl Server {
    pub fn start() -> Server {
        let host = Host::new();
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions {
            folder: folder.path().to_owned(),
            memory_bytes: 64 << 20,
        };
        let (engine, options) = host.run(async {
            let engine = Engine::on(Kv::open(&options).unwrap()).await.unwrap();
            let mongo_options = mongo::Options {
                places: net::Places::new(100),
                test_commands: false,
                read_time_max: Duration::ZERO,
            };
            let mongo = mongo::Protocol::new(engine.clone(), mongo_options).unwrap();
            let couch = couch::Protocol::new(engine.clone(), None, host.stopped())
                .await
                .unwrap();
            let elastic = elastic::Protocol::new(engine.clone(), &elastic::Options::default());
            let options = web::Options {
                mounts: crate::mounts::mounts(&mongo, &couch, &elastic, &host.stopped()),
                ..web::Options::default()
            };
            (engine, options)
        });
        let address = host.serve(|listener, stopped| web::serve(listener, engine, options, stopped));
        Server {
            address,
            host,
            _folder: folder,
        }
    }

    /// Tells it to stop.
    pub fn stop(&self) {
        self.host.stop();
    }
}

/// Runs the cases one after another on a server of their own, and fails with a list of all wrong answers.
pub fn run(cases: &[Case]) {
    let faults = faults(Server::start().address, cases);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
