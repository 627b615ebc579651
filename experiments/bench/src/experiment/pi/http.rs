//! The same documents through HTTP: read by id, beside nginx serving files of the same bytes; and written one by one.

use super::{TEXT, WRITERS, new_number};
use crate::Settings;
use crate::client::{Http, Wrk, WrkFound};
use crate::load::{self, Load};
use crate::report::{Report, number, ratio};
use crate::server::{Larder, Nginx};
use crate::workload::Ids;
use anyhow::Result;
use std::time::Duration;

const READERS: u32 = 32;
/// Documents that are read, at random; nginx has a file for each.
const READ: u64 = 10_000;
const TURNS: usize = 3;
const RATIO_MIN: f64 = 0.5;
/// The database of the documents that the MongoDB protocol wrote to `bench.notes`.
const DATABASE: &str = "/bench%2Fnotes";

/// What Larder and nginx did.
#[derive(Debug)]
pub(super) struct Found {
    larder: WrkFound,
    nginx: WrkFound,
    writes: [Load; WRITERS.len()],
}

pub(super) fn run(settings: &Settings, server: &Larder, documents: u64, duration: Duration) -> Result<Found> {
    let folder = settings.folder("pi-nginx")?;
    let nginx = Nginx::start(folder.path())?;
    let notes = nginx.root.join("notes");
    std::fs::create_dir_all(&notes)?;
    let ids: Vec<String> = (0..READ.min(documents))
        .map(|number| Ids::Random.id(number))
        .collect();
    let mut client = server.connect_couch()?;
    for id in &ids {
        let body = client.send("GET", &format!("{DATABASE}/{id}"), "")?;
        std::fs::write(notes.join(id), body)?;
    }
    let script = folder.path().join("paths.lua");
    let list = ids.join("\",\"");
    std::fs::write(
        &script,
        format!(
            "local ids = {{\"{list}\"}}\n\
             request = function() return wrk.format('GET', wrk.path .. ids[math.random(#ids)]) end\n"
        ),
    )?;
    let load = Wrk {
        clients: READERS,
        seconds: duration.as_secs(),
        script: Some(&script),
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..if settings.small { 1 } else { TURNS } {
        theirs.push(load.run(nginx.address, "/notes/")?);
        ours.push(load.run(server.couch_address, &format!("{DATABASE}/"))?);
    }
    let json = format!("{{\"text\":\"{}\",\"stars\":5}}", TEXT.repeat(5));
    let write = |round: usize| {
        let connect = |number: usize| Ok((server.connect_couch()?, number as u64));
        let put = |(client, seed): &mut (Http, u64), number: u64| {
            // Rounds of their own, after those of the other protocol.
            let id = Ids::Random.id(new_number(WRITERS.len() + round, *seed, number));
            client.send("PUT", &format!("{DATABASE}/{id}"), &json).map(drop)
        };
        load::run(WRITERS[round], duration, connect, put)
    };
    Ok(Found {
        larder: median(ours),
        nginx: median(theirs),
        writes: [write(0)?, write(1)?],
    })
}

impl Found {
    pub(super) fn put_rows(&self, report: &mut Report) {
        let [few, many] = &self.writes;
        let reads = [number(self.larder.rate), number(self.larder.p99_ms)];
        let writes = [few, many].map(|load| [number(load.rate()), number(load.latency_ms(0.99))]);
        let cells = reads.into_iter().chain(writes.into_iter().flatten());
        report.row(std::iter::once("Larder, HTTP".to_owned()).chain(cells));
        report.bars("Larder, HTTP", &[self.larder.rate, few.rate(), many.rate()]);
        let nginx = [
            "nginx, files of the same bytes".to_owned(),
            number(self.nginx.rate),
        ];
        let rest = [number(self.nginx.p99_ms)]
            .into_iter()
            .chain(std::iter::repeat_n(String::new(), 4));
        report.row(nginx.into_iter().chain(rest));
        report.bars("nginx, files", &[self.nginx.rate, 0.0, 0.0]);
    }

    pub(super) fn put_check(&self, report: &mut Report) {
        report.check(
            format!("HTTP: more than {RATIO_MIN} of what nginx answers for files of the same bytes"),
            ratio(self.larder.rate, self.nginx.rate),
            self.larder.rate > RATIO_MIN * self.nginx.rate,
        );
    }
}

/// The one of the middle, by rate.
fn median(mut found: Vec<WrkFound>) -> WrkFound {
    found.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    found.get(found.len() / 2).copied().unwrap_or_default()
}
