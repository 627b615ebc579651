//! A runtime that serves in the process of a test.

use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How long the last tasks may take.
const END_TIME_MAX: Duration = Duration::from_secs(20);

/// Serves on ports of the system's choosing; all that it runs ends with the value.
#[derive(Debug)]
pub struct Host {
    runtime: Option<Runtime>,
    stop: watch::Sender<bool>,
}

impl Host {
    /// A host that serves nothing yet.
    ///
    /// # Panics
    ///
    /// Without threads.
    #[expect(clippy::new_without_default, reason = "it starts threads")]
    pub fn new() -> Host {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
        Host {
            runtime: Some(runtime.expect("a runtime has threads")),
            stop: watch::channel(false).0,
        }
    }

    /// Runs a future to its end.
    ///
    /// # Panics
    ///
    /// Where the future does.
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime().block_on(future)
    }

    /// Runs a future beside what is served.
    ///
    /// # Panics
    ///
    /// Never while the host is there.
    pub fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.runtime().spawn(future)
    }

    /// Serves what `serve` makes of a listener and of the news that it must stop; gives the address.
    ///
    /// # Panics
    ///
    /// Where no port is free.
    pub fn serve<S>(&self, serve: impl FnOnce(TcpListener, watch::Receiver<bool>) -> S) -> SocketAddr
    where
        S: Future<Output: Send> + Send + 'static,
    {
        let listener = self.run(TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        self.runtime().spawn(serve(listener, self.stopped()));
        address
    }

    /// Tells all that is served to stop.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Becomes true when the host ends.
    pub fn stopped(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("taken only at the end")
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waited for: what is served must not be closed while the process ends.
            runtime.shutdown_timeout(END_TIME_MAX);
        }
    }
}
