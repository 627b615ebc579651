//! `files`: files of three sizes served to 1, 32 and 100 clients, beside nginx serving the same files: hot ones, and many
//! that are far more than the memory budget.

use crate::Settings;
use crate::client::{Http, Wrk};
use crate::report::{Report, number, ratio};
use crate::server::{Larder, Nginx};
use crate::workload::scramble;
use anyhow::Result;
use std::process::Command;

const SIZES: [(&str, u64); 3] = [("1 kB", 1 << 10), ("100 kB", 100 << 10), ("1 MB", 1 << 20)];
const CLIENTS: [u32; 3] = [1, 32, 100];
/// Turns that each server has at each point; the median counts, since the machine's other work comes and goes.
const TURNS: usize = 5;
const RATIO_MIN: f64 = 0.9;
/// Budget and files of 1 MB where the files do not fit the budget.
const SMALL_MEMORY: &str = "64m";
const MANY_FILES: u64 = 2_000;

pub fn run(settings: &Settings) -> Result<Report> {
    let seconds = settings.size(2, 1);
    let folders = (settings.folder("files-larder")?, settings.folder("files-nginx")?);
    let larder = Larder::start(&settings.larder, folders.0.path(), "512m")?;
    let nginx = Nginx::start(folders.1.path())?;
    let mut client = Http::connect(larder.http_address)?;
    for (at, (_, bytes)) in SIZES.iter().enumerate() {
        let body: Vec<u8> = (0..*bytes).map(|byte| scramble(byte) as u8).collect();
        client.put(&format!("/files/bench/{at}.bin"), &body)?;
        std::fs::write(nginx.root.join(format!("{at}.bin")), &body)?;
    }
    let mut report = Report::new(
        "files",
        "files served to 1, 32 and 100 clients",
        &["", "Larder, requests/s", "nginx, requests/s", "Larder / nginx"],
    );
    report.chart("requests/s", &["Larder", "nginx"]);
    let turns = if settings.small { 1 } else { TURNS };
    for (at, (size, _)) in SIZES.iter().enumerate() {
        for clients in CLIENTS {
            let load = Wrk {
                clients,
                seconds,
                script: None,
            };
            let file = format!("{at}.bin");
            let found = both(&larder, &nginx, &file, load, turns)?;
            tell(&mut report, format!("{size}, {clients} clients"), found);
        }
    }
    drop(larder);
    many(settings, &nginx, seconds, turns.min(3), &mut report)?;
    Ok(report)
}

/// Files of 1 MB, asked for at random, of which the budget holds few. The system's memory may hold all of them.
fn many(settings: &Settings, nginx: &Nginx, seconds: u64, turns: usize, report: &mut Report) -> Result<()> {
    let files = settings.size(MANY_FILES, 200);
    let folder = settings.folder("files-many")?;
    let larder = Larder::start(&settings.larder, folder.path(), SMALL_MEMORY)?;
    let mut client = Http::connect(larder.http_address)?;
    std::fs::create_dir_all(nginx.root.join("many"))?;
    for file in 0..files {
        // Words, not bytes: 2 GB of them should not take longer to make than to send.
        let words = (0..1 << 17).map(|word| scramble(file << 17 | word).to_le_bytes());
        let body: Vec<u8> = words.flatten().collect();
        client.put(&format!("/files/bench/many/{file}"), &body)?;
        std::fs::write(nginx.root.join(format!("many/{file}")), &body)?;
    }
    Command::new("sync").status()?;
    let script = folder.path().with_extension("lua");
    std::fs::write(
        &script,
        format!(
            "request = function() return wrk.format('GET', wrk.path .. math.random(0, {})) end\n",
            files - 1
        ),
    )?;
    for clients in CLIENTS {
        let load = Wrk {
            clients,
            seconds,
            script: Some(&script),
        };
        let found = both(&larder, nginx, "many/", load, turns)?;
        tell(report, format!("{files} files of 1 MB, {clients} clients"), found);
    }
    std::fs::remove_file(&script)?;
    let resident = larder.resident_peak_bytes()? >> 20;
    report.check(
        format!("{files} files of 1 MB with --memory {SMALL_MEMORY}: at most {RESIDENT_MB_MAX} MB of memory"),
        format!("{resident} MB at the most"),
        resident <= RESIDENT_MB_MAX,
    );
    Ok(())
}

/// Code, stacks and the pieces on their way to 100 clients come on top of the budget.
const RESIDENT_MB_MAX: u64 = 256;

fn tell(report: &mut Report, name: String, (ours, theirs): (f64, f64)) {
    report.row([name.clone(), number(ours), number(theirs), ratio(ours, theirs)]);
    report.bars(name.clone(), &[ours, theirs]);
    let wanted = format!("{name}: at least {RATIO_MIN} of nginx");
    report.check(wanted, ratio(ours, theirs), ours >= RATIO_MIN * theirs);
}

/// The requests a second of both, measured in turns.
fn both(larder: &Larder, nginx: &Nginx, file: &str, load: Wrk<'_>, turns: usize) -> Result<(f64, f64)> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..turns {
        theirs.push(load.run(nginx.address, &format!("/{file}"))?.rate);
        ours.push(
            load.run(larder.http_address, &format!("/files/bench/{file}"))?
                .rate,
        );
    }
    let median = |mut rates: Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    Ok((median(ours), median(theirs)))
}
