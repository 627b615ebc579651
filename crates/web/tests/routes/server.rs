//! A server in this process on a folder of its own.

use engine::Engine;
use kv::{Kv, OpenOptions};
use std::net::SocketAddr;
use std::time::Duration;
use tempfile::TempDir;
use testing::http::{Case, faults};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// Ends with the value.
pub struct Server {
    pub address: SocketAddr,
    runtime: Option<Runtime>,
    _stop: watch::Sender<bool>,
    _folder: TempDir,
}

impl Server {
    pub fn start() -> Server {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let (stop, stopped) = watch::channel(false);
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions {
            folder: folder.path().to_owned(),
            memory_bytes: 64 << 20,
        };
        let address = runtime.block_on(async {
            let engine = Engine::on(Kv::open(&options).unwrap()).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let mongo_options = mongo::Options {
                places: net::Places::new(100),
                test_commands: false,
                read_time_max: Duration::ZERO,
            };
            let mongo = mongo::Protocol::new(engine.clone(), mongo_options).unwrap();
            let couch = couch::Protocol::new(engine.clone(), None, stopped.clone())
                .await
                .unwrap();
            let elastic = elastic::Protocol::new(engine.clone(), &elastic::Options::default());
            let options = web::Options {
                mounts: crate::mounts::mounts(&mongo, &couch, &elastic),
                ..web::Options::default()
            };
            tokio::spawn(web::serve(listener, engine, options, stopped));
            address
        });
        Server {
            address,
            runtime: Some(runtime),
            _stop: stop,
            _folder: folder,
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
