//! nginx from the system's packages, as file server and as taker of PUTs (dav).

use super::{free_address, stop, tied_command, wait_until_listening};
use anyhow::{Context, Result};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// A running server with a folder of its own.
#[derive(Debug)]
pub struct Nginx {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// What it serves; `PUT /dav/NAME` writes below it.
    pub root: PathBuf,
}

impl Nginx {
    /// Starts it with Debian's settings, but without its log of requests and for any number of them a connection.
    pub fn start(folder: &Path) -> Result<Nginx> {
        let address = free_address()?;
        let root = folder.join("root");
        std::fs::create_dir_all(root.join("dav"))?;
        let at = folder.display();
        // Run by root, the workers need to be root to write there.
        let settings = format!(
            "user root; daemon off; pid {at}/pid; error_log {at}/error.log; worker_processes auto;\n\
             events {{ worker_connections 1024; }}\n\
             http {{ sendfile on; tcp_nopush on; access_log off; keepalive_requests 100000000; client_max_body_size 0;\n\
             client_body_temp_path {at}/body;\n\
             server {{ listen {address}; root {at}/root; location /dav/ {{ dav_methods PUT; }} }} }}\n"
        );
        let file = folder.join("nginx.conf");
        std::fs::write(&file, settings)?;
        let mut child = tied_command(Path::new("nginx"), None)
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("starting nginx")?;
        wait_until_listening(&mut child, address).context("starting nginx")?;
        Ok(Nginx { child, address, root })
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // As with Larder: nothing is left running.
        let _ = stop(&mut self.child, "-TERM");
    }
}
