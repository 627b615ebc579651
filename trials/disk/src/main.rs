//! A disk that forgets what was not flushed when its power is cut, that can be full, and that can fail.
//!
//!     disk MOUNTPOINT
//!
//! takes commands from its standard input, a line each, and answers each with a line: `ok`, or what was asked.
//!
//!     cut SEED                      the power goes and comes back
//!     limit BYTES | limit none      how much it holds
//!     fail OPERATION PATTERN AFTER  an I/O error at the next `read`, `write` or `sync` of a file with such a name, after AFTER others
//!     mend                          no more errors
//!     used                          bytes that files take
//!
//! It unmounts itself when its standard input ends.

mod chance;
mod content;
mod disk;
mod faults;
mod mount;

use crate::chance::Chance;
use crate::disk::Disk;
use crate::faults::Operation;
use crate::mount::Mount;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

fn main() -> ExitCode {
    let Some(mountpoint) = std::env::args_os().nth(1) else {
        eprintln!("usage: disk MOUNTPOINT");
        return ExitCode::from(2);
    };
    let disk = Arc::new(Mutex::new(Disk::new()));
    let session = match fuser::spawn_mount(Mount(Arc::clone(&disk)), &mountpoint, &fuser::Config::default()) {
        Ok(session) => session,
        Err(error) => {
            eprintln!("cannot mount {}: {error}", mountpoint.to_string_lossy());
            return ExitCode::FAILURE;
        }
    };
    println!("ok");
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let answer = obey(&mut disk.lock().unwrap_or_else(PoisonError::into_inner), &line);
        println!("{}", answer.unwrap_or_else(|| format!("not understood: {line}")));
        if io::stdout().flush().is_err() {
            break;
        }
    }
    drop(session);
    ExitCode::SUCCESS
}

fn obey(disk: &mut Disk, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["cut", seed] => disk.cut(&mut Chance(seed.parse().ok()?)),
        ["limit", "none"] => disk.limit = None,
        ["limit", bytes] => disk.limit = Some(bytes.parse().ok()?),
        ["fail", operation, pattern, after] => {
            let operation = match operation {
                "read" => Operation::Read,
                "write" => Operation::Write,
                "sync" => Operation::Sync,
                _ => return None,
            };
            disk.faults.expect(operation, pattern, after.parse().ok()?);
        }
        ["holes", "none"] => disk.knows_no_holes = true,
        ["mend"] => disk.faults.clear(),
        ["used"] => return Some(disk.used().to_string()),
        _ => return None,
    }
    Some("ok".to_owned())
}
