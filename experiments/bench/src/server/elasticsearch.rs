//! Elasticsearch 7.10.2, as one process with one node.

use super::{stop, tied_command};
use anyhow::{Context, Result, bail};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Where `experiments/run` puts its archives.
const ARCHIVES: &str = "target/peers/elasticsearch/lib";
const MAIN: &str = "org.codelibs.elasticsearch.runner.ElasticsearchClusterRunner";
const HEAP: &str = "512m";
/// It takes the port behind the one it is given, and none beyond these.
const PORTS: std::ops::Range<u16> = 9210..9290;
const START_TIMEOUT: Duration = Duration::from_secs(180);

/// A running server with a folder of its own.
#[derive(Debug)]
pub struct ElasticsearchServer {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl ElasticsearchServer {
    /// Starts it.
    pub fn start(folder: &Path) -> Result<ElasticsearchServer> {
        let archives = std::path::absolute(ARCHIVES)?;
        let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
        let port = PORTS.clone().find(is_free).context("no port is free")?;
        let mut child = tied_command(Path::new("java"), None)
            .args([format!("-Xms{HEAP}"), format!("-Xmx{HEAP}")])
            .arg("-cp")
            .arg(archives.join("*"))
            .arg(MAIN)
            .arg("-basePath")
            .arg(folder.join("nodes"))
            .args(["-numOfNode", "1", "-baseHttpPort", &(port - 1).to_string()])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("starting Elasticsearch")?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let started = Instant::now();
        while TcpStream::connect(address).is_err() {
            if let Some(status) = child.try_wait()? {
                bail!("Elasticsearch ended with {status}; are its archives in {ARCHIVES}?");
            }
            if started.elapsed() > START_TIMEOUT {
                bail!("Elasticsearch does not listen after {START_TIMEOUT:?}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(ElasticsearchServer { child, address })
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ElasticsearchServer {
    fn drop(&mut self) {
        // As with Larder: nothing is left running.
        let _ = stop(&mut self.child, "-TERM");
    }
}
