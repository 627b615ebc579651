//! `larder check`: whether a server is well, as plugins of Nagios say it.
//!
//! One line on standard output: the state, what is behind it, and after a bar the figures with their limits. The exit code is 0
//! (OK), 1 (WARNING), 2 (CRITICAL) or 3 (UNKNOWN).

mod report;

use crate::figures::Figures;
use crate::http_server::{self, StatusServer};
use anyhow::Result;
use clap::Args;
use http::{Client, Method, Reach, StatusCode};
use report::{Bound, CheckState, Report};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What is asked, and from where on it is bad.
#[derive(Clone, Debug, Args)]
pub struct CheckOptions {
    #[command(flatten)]
    from: StatusServer,
    /// How long the server may take for an answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Milliseconds of a flush to the disk from which on there is a warning.
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    flush_warning: u64,
    /// Milliseconds of a flush to the disk from which on it is critical.
    #[arg(long, value_name = "MS", default_value_t = 5_000)]
    flush_critical: u64,
    /// Per cent of the disk; with less free there is a warning.
    #[arg(long, value_name = "PERCENT", default_value_t = 20)]
    disk_warning: u64,
    /// Per cent of the disk; with less free it is critical.
    #[arg(long, value_name = "PERCENT", default_value_t = 10)]
    disk_critical: u64,
    /// Days; where the certificate ends sooner there is a warning.
    #[arg(long, value_name = "DAYS", default_value_t = 21)]
    certificate_warning: u64,
    /// Days; where the certificate ends sooner it is critical.
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    certificate_critical: u64,
    /// Changes that replications have still to bring to their targets from which on there is a warning.
    #[arg(long, value_name = "CHANGES", default_value_t = 100_000)]
    replication_warning: u64,
    /// Changes that replications have still to bring to their targets from which on it is critical.
    #[arg(long, value_name = "CHANGES", default_value_t = 1_000_000)]
    replication_critical: u64,
    /// Changes that a full-text index has not reached from which on there is a warning.
    #[arg(long, value_name = "CHANGES", default_value_t = 1_000_000)]
    index_warning: u64,
    /// Changes that a full-text index has not reached from which on it is critical.
    #[arg(long, value_name = "CHANGES", default_value_t = 10_000_000)]
    index_critical: u64,
    /// A folder of backups, the last of which is to be looked at.
    #[arg(long, value_name = "DIR")]
    backups: Option<PathBuf>,
    /// Hours since the last backup from which on there is a warning.
    #[arg(long, value_name = "HOURS", default_value_t = 26)]
    backup_warning: u64,
    /// Hours since the last backup from which on it is critical.
    #[arg(long, value_name = "HOURS", default_value_t = 50)]
    backup_critical: u64,
}

/// Looks, and says what was seen.
pub async fn run(options: &CheckOptions) -> Result<ExitCode> {
    let mut report = Report::default();
    let client = Client::new(Reach::Anywhere);
    if health(options, &client, &mut report).await {
        figures(options, &client, &mut report).await;
    }
    if let Some(folder) = &options.backups {
        backups(options, folder, &mut report);
    }
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ExitCode::from(report.state().exit_code()))
}

/// Says that nothing could be found out, as when the arguments are wrong.
pub fn unknown(reason: &str) -> ExitCode {
    let mut report = Report::default();
    let first = reason.lines().next().unwrap_or_default();
    report.say(
        CheckState::Unknown,
        first.strip_prefix("error: ").unwrap_or(first).to_owned(),
    );
    // If nobody reads the line, the exit code still tells.
    let _ = writeln!(std::io::stdout(), "{report}");
    ExitCode::from(report.state().exit_code())
}

/// Whether it answers, and writes: its answer waits for a flush. Returns false if it cannot be asked for more.
async fn health(options: &CheckOptions, client: &Client, report: &mut Report) -> bool {
    let began = Instant::now();
    let time_max = Duration::from_secs(options.timeout);
    let answer = options
        .from
        .server
        .answer(client, Method::GET, "/health", time_max)
        .await;
    let (status, body) = match answer {
        Ok(answer) => answer,
        Err(error) => {
            report.say(
                CheckState::Critical,
                format!("{:?} cannot be reached: {error:#}", options.from.server),
            );
            return false;
        }
    };
    if !http_server::is_health(&body) {
        let server = &options.from.server;
        report.say(CheckState::Critical, server.not_its_own(status, &body));
        return false;
    }
    if status != StatusCode::OK {
        report.say(CheckState::Critical, http_server::reason(status, &body));
    }
    let said: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
    let findings = said.as_ref().and_then(|said| said.get("findings")?.as_u64());
    if let Some(findings) = findings {
        report.say(
            CheckState::Critical,
            format!("{findings} pieces of data are damaged"),
        );
    }
    let limits = Bound::AtMost(seconds(options.flush_warning), seconds(options.flush_critical));
    report.measure("flush", "s", began.elapsed().as_secs_f64(), limits);
    true
}

fn seconds(ms: u64) -> f64 {
    Duration::from_millis(ms).as_secs_f64()
}

async fn figures(options: &CheckOptions, client: &Client, report: &mut Report) {
    let read = Figures::of(&options.from.server, client, Duration::from_secs(options.timeout)).await;
    let figures = match read {
        Ok(figures) => figures,
        Err(error) => {
            report.say(
                CheckState::Unknown,
                format!("the figures cannot be read: {error:#}"),
            );
            return;
        }
    };
    if let (Some(free), Some(total)) = (
        figures.get("larder_disk_free_bytes"),
        figures
            .get("larder_disk_total_bytes")
            .filter(|total| *total > 0.0),
    ) {
        let limits = Bound::AtLeast(options.disk_warning as f64, options.disk_critical as f64);
        report.measure("disk_free", "%", 100.0 * free / total, limits);
    }
    if let Some(end) = figures.get("larder_tls_certificate_end_seconds") {
        let limits = Bound::AtLeast(
            options.certificate_warning as f64,
            options.certificate_critical as f64,
        );
        report.measure(
            "certificate_days",
            "",
            (end - now().as_secs_f64()) / 86_400.0,
            limits,
        );
    }
    followers(options, &figures, report);
    for (name, unit, figure) in [
        ("documents", "", "larder_documents"),
        ("data", "B", "larder_disk_bytes"),
        ("resident", "B", "process_resident_memory_bytes"),
        ("operations", "", "larder_operations_running"),
        ("commits", "c", "larder_commits_total"),
    ] {
        if let Some(value) = figures.get(figure) {
            report.measure(name, unit, value, Bound::None);
        }
    }
}

/// How far behind replications and full-text indexes are. A replication that fails is tried again, so it is a warning.
fn followers(options: &CheckOptions, figures: &Figures, report: &mut Report) {
    if let Some(failing) = figures.get("larder_replications_failing") {
        report.measure(
            "replications_failing",
            "",
            failing,
            Bound::AtMost(0.0, f64::INFINITY),
        );
    }
    for (name, figure, warning, critical) in [
        (
            "replication_pending",
            "larder_replication_pending_changes",
            options.replication_warning,
            options.replication_critical,
        ),
        (
            "index_pending",
            "larder_index_pending_changes",
            options.index_warning,
            options.index_critical,
        ),
    ] {
        if let Some(value) = figures.get(figure) {
            report.measure(name, "", value, Bound::AtMost(warning as f64, critical as f64));
        }
    }
}

fn backups(options: &CheckOptions, folder: &Path, report: &mut Report) {
    // The folder is not locked for this: a backup that is under way there goes on, and one may begin meanwhile.
    let readable = backup::readable(folder);
    let last = readable.and_then(|(mut manifests, damaged)| match damaged.into_iter().next() {
        // Nobody can be sure then which backup is the last.
        Some(error) => Err(error),
        None => manifests
            .pop()
            .ok_or_else(|| backup::Error::NoBackups(folder.to_owned())),
    });
    match last {
        Ok(manifest) => {
            let age = now().saturating_sub(Duration::from_millis(manifest.began_ms));
            let limits = Bound::AtMost(options.backup_warning as f64, options.backup_critical as f64);
            report.measure("backup_hours", "", age.as_secs_f64() / 3_600.0, limits);
        }
        Err(error) => report.say(
            CheckState::Critical,
            format!("no backup in {}: {error}", folder.display()),
        ),
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
