//! The same work through the CouchDB protocol, by Larder and by pouchdb-server: a view by count, a view by affiliate.

use super::{AFFILIATES, BATCH, Coupon, Found, LOADERS, PARALLEL, RARELY, RUNS, Task, parallel};
use crate::Settings;
use crate::client::Http;
use crate::load::{median_ms, run_batches};
use crate::server::{Larder, PouchServer};
use crate::workload::scramble;
use anyhow::Result;
use std::net::SocketAddr;
use std::time::Instant;

pub(super) fn larder(settings: &Settings, task: Task) -> Result<Found> {
    let folder = settings.folder("coupons-couch")?;
    let server = Larder::start(&settings.larder, folder.path(), "256m")?;
    run(server.couch_address, task)
}

pub(super) fn pouch(settings: &Settings, task: Task) -> Result<Found> {
    let folder = settings.folder("coupons-pouch")?;
    let server = PouchServer::start(folder.path())?;
    run(server.address, task)
}

fn run(address: SocketAddr, task: Task) -> Result<Found> {
    let mut client = Http::connect(address)?;
    client.send("PUT", "/coupons", "")?;
    let started = Instant::now();
    run_batches(
        LOADERS,
        task.coupons,
        BATCH,
        || Http::connect(address),
        |client, numbers| {
            let members = |coupon: Coupon| (coupon.code.clone(), coupon.json());
            client.bulk_docs("/coupons", numbers.map(Coupon::new).map(members))
        },
    )?;
    let load_s = started.elapsed().as_secs_f64();

    let rarely = format!("/coupons/_design/redeemed/_view/all?endkey={}", RARELY - 1);
    let started = Instant::now();
    design(&mut client, "redeemed", "doc.redeemed_count")?;
    task.expect(count(&mut client, &rarely)?)?;
    let cold_ms = started.elapsed().as_secs_f64() * 1e3;
    let warm_ms = median_ms(RUNS, || task.expect(count(&mut client, &rarely)?))?;
    design(&mut client, "affiliate", "doc.affiliate_id")?;
    let affiliate = |number: u64| format!("/coupons/_design/affiliate/_view/all?key={}", number % AFFILIATES);
    let affiliate_ms = median_ms(RUNS, || task.expect_affiliate(count(&mut client, &affiliate(1))?))?;
    let parallel_rate: [f64; PARALLEL.len()] = parallel(
        task,
        |_| Http::connect(address),
        |client, number| task.expect_affiliate(count(client, &affiliate(scramble(number)))?),
    )?;
    Ok(Found {
        load_s,
        cold_ms,
        warm_ms,
        affiliate_ms,
        parallel_rate,
    })
}

fn design(client: &mut Http, name: &str, key: &str) -> Result<()> {
    let body = format!(r#"{{"views":{{"all":{{"map":"function (doc) {{ emit({key}, null); }}"}}}}}}"#);
    client
        .send("PUT", &format!("/coupons/_design/{name}"), &body)
        .map(drop)
}

/// The rows of an answer, each of which names a document.
fn count(client: &mut Http, path: &str) -> Result<usize> {
    Ok(client.send("GET", path, "")?.matches("\"id\":").count())
}
