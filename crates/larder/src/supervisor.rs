//! Telling systemd how the server is (`sd_notify`): that it is ready, stops, and is still alive. If no variable asks for it,
//! nothing is told.

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The program that started this one and wants to hear of it.
#[derive(Clone, Debug)]
pub struct Supervisor(Option<Arc<NotifySocket>>);

#[derive(Debug)]
struct NotifySocket {
    socket: UnixDatagram,
    address: SocketAddr,
}

impl Supervisor {
    /// The one that the variable `NOTIFY_SOCKET` names.
    pub fn from_environment() -> Supervisor {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET") else {
            return Supervisor(None);
        };
        match NotifySocket::at(name.as_bytes()) {
            Ok(told) => Supervisor(Some(Arc::new(told))),
            Err(error) => {
                tracing::warn!(%error, socket = ?name, "the supervisor cannot be told anything");
                Supervisor(None)
            }
        }
    }

    /// The server listens.
    pub fn ready(&self) {
        self.tell("READY=1\nSTATUS=serving");
    }

    /// The server ends what is under way, and then itself.
    pub fn stopping(&self) {
        self.tell("STOPPING=1\nSTATUS=stopping");
    }

    /// Tells again and again that the program's threads run, if `WATCHDOG_USEC` asks this process for it: twice in that time.
    pub fn watch(&self) {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let is_other = number("WATCHDOG_PID").is_some_and(|process| process != u64::from(std::process::id()));
        let Some(micros) = number("WATCHDOG_USEC").filter(|micros| *micros > 0 && !is_other) else {
            return;
        };
        if self.0.is_none() {
            return;
        }
        let supervisor = self.clone();
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(Duration::from_micros(micros.div_ceil(2)));
            loop {
                ticks.tick().await;
                supervisor.tell("WATCHDOG=1");
            }
        });
    }

    fn tell(&self, message: &str) {
        if let Some(told) = &self.0
            && let Err(error) = told.socket.send_to_addr(message.as_bytes(), &told.address)
        {
            tracing::debug!(%error, message, "the supervisor was not told");
        }
    }
}

impl NotifySocket {
    /// An address that begins with `@` is a name without a file.
    fn at(name: &[u8]) -> io::Result<NotifySocket> {
        let address = match name.strip_prefix(b"@") {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(Path::new(std::ffi::OsStr::from_bytes(name)))?,
        };
        let socket = UnixDatagram::unbound()?;
        // A supervisor that does not listen is not waited for.
        socket.set_nonblocking(true)?;
        Ok(NotifySocket { socket, address })
    }
}
