//! `hostInfo`.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::date::now_ms;
use value::{Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(doc! {
        "system": {
            "currentTime": Value::DateTime(now_ms()),
            "hostname": engine::host_name(),
            "cpuAddrSize": usize::BITS as i32,
            "memSizeMB": memory_mb(),
            "memLimitMB": memory_mb(),
            "numCores": cores as i32,
            "numCoresAvailableToProcess": cores as i32,
            "cpuArch": std::env::consts::ARCH,
            "numaEnabled": false,
        },
        "os": {
            "type": std::env::consts::OS,
            "name": std::env::consts::OS,
            "version": read_line("/proc/sys/kernel/osrelease").unwrap_or_default(),
        },
        "extra": {},
    }
    .into())
}

fn read_line(path: &str) -> Option<String> {
    std::fs::read_to_string(path)
        .ok()
        .map(|text| text.trim().to_owned())
}

fn memory_mb() -> i64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<i64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
