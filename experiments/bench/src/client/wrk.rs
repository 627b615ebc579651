//! The load generator `wrk`, for what nginx is compared with: it costs less of the machine than threads of ours.

use anyhow::{Context, Result, ensure};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

/// How much is asked for, and how.
#[derive(Clone, Copy, Debug)]
pub struct Wrk<'a> {
    /// Connections that are kept open.
    pub clients: u32,
    /// How long.
    pub seconds: u64,
    /// What makes the path of each request of a given one, in Lua.
    pub script: Option<&'a Path>,
}

/// What it measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct WrkFound {
    /// Requests a second.
    pub rate: f64,
    /// The latency that 99 of 100 requests do not exceed, in milliseconds.
    pub p99_ms: f64,
}

impl Wrk<'_> {
    /// Asks for a path. Errors: wrk is not there, or an answer was not of success.
    pub fn run(&self, address: SocketAddr, path: &str) -> Result<WrkFound> {
        let mut command = Command::new("wrk");
        command.args(["-t1", "--latency", &format!("-c{}", self.clients)]);
        command.arg(format!("-d{}s", self.seconds));
        if let Some(script) = self.script {
            command.arg("-s").arg(script);
        }
        let output = command
            .arg(format!("http://{address}{path}"))
            .output()
            .context("running wrk")?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(!text.contains("Non-2xx"), "{path} was refused:\n{text}");
        let after = |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name));
        let rate = after("Requests/sec:")
            .context("wrk gave no rate")?
            .trim()
            .parse()?;
        let p99_ms = after("99%")
            .and_then(milliseconds)
            .context("wrk gave no latency")?;
        Ok(WrkFound { rate, p99_ms })
    }
}

/// A time as wrk writes it: `310.00us`, `2.91ms`, `1.02s`.
fn milliseconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let in_ms = match &text[number.len()..] {
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * in_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_unit() {
        let times = ["310.00us", " 2.91ms", "1.5s", "7"].map(milliseconds);
        assert_eq!(times, [Some(0.31), Some(2.91), Some(1500.0), None]);
    }
}
