//! The same work through Riak's protocols: loads by each of them, then by HTTP secondary indexes by count and by affiliate, map/reduce
//! over all, and over keys that pass a filter.

use super::{AFFILIATES, Coupon, Found, PARALLEL, RARELY, RUNS, Task, parallel};
use crate::Settings;
use crate::client::{Http, Riak};
use crate::load::{median_ms, run_batches};
use crate::server::Larder;
use crate::workload::scramble;
use anyhow::{Result, ensure};
use std::net::SocketAddr;
use std::time::Instant;

/// Loaders that wait for the answer to each put: more of them than for batches.
const LOADERS: usize = 64;
/// Loaders that send many puts without waiting for answers.
const PIPELINING_LOADERS: usize = 8;
/// How many objects a loader takes at a time, and sends at a time if it does not wait.
const TAKEN: u64 = 100;
/// The beginning, and the end, of keys that filters look for: one of 256.
const PART: &str = "00";

/// What only Riak's protocol has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Details {
    /// The seconds of a load by HTTP, a request and an answer each.
    pub(super) http_load_s: f64,
    /// The same by protocol buffers, a message and an answer each.
    pub(super) waiting_load_s: f64,
    /// The milliseconds of map/reduce over keys by their beginnings.
    pub(super) beginnings_ms: f64,
    /// The same by their ends.
    pub(super) ends_ms: f64,
}

/// How many objects a loader of protocol buffers sends before it waits for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sends {
    Each,
    All,
}

pub(super) fn larder(settings: &Settings, task: Task) -> Result<(Found, Details)> {
    let http_load_s = {
        let folder = settings.folder("coupons-riak-http")?;
        let server = Larder::start(&settings.larder, folder.path(), "256m")?;
        load_by_http(server.riak_address, task)?
    };
    let waiting_load_s = {
        let folder = settings.folder("coupons-riak-waiting")?;
        let server = Larder::start(&settings.larder, folder.path(), "256m")?;
        load(server.riak_buffers_address, task, LOADERS, Sends::Each)?
    };
    let folder = settings.folder("coupons-riak")?;
    let server = Larder::start(&settings.larder, folder.path(), "256m")?;
    let load_s = load(server.riak_buffers_address, task, PIPELINING_LOADERS, Sends::All)?;
    ask(server.riak_address, task).map(|(found, [beginnings_ms, ends_ms])| {
        let details = Details {
            http_load_s,
            waiting_load_s,
            beginnings_ms,
            ends_ms,
        };
        (Found { load_s, ..found }, details)
    })
}

/// The seconds of a load by HTTP.
fn load_by_http(address: SocketAddr, task: Task) -> Result<f64> {
    let started = Instant::now();
    run_batches(
        LOADERS,
        task.coupons,
        TAKEN,
        || Http::connect(address),
        |client, numbers| {
            numbers
                .map(Coupon::new)
                .try_for_each(|coupon| put(client, &coupon))
        },
    )?;
    Ok(started.elapsed().as_secs_f64())
}

/// The seconds of a load by protocol buffers.
fn load(address: SocketAddr, task: Task, loaders: usize, sends: Sends) -> Result<f64> {
    let started = Instant::now();
    run_batches(
        loaders,
        task.coupons,
        TAKEN,
        || Riak::connect(address),
        |client, numbers| {
            for coupon in numbers.map(Coupon::new) {
                let terms = [
                    ("redeemed_int", coupon.redeemed_count.to_string()),
                    ("affiliate_int", coupon.affiliate.to_string()),
                ];
                client.put("coupons", &coupon.code, &coupon.json(), &terms);
                if sends == Sends::Each {
                    client.send()?;
                }
            }
            client.send()
        },
    )?;
    Ok(started.elapsed().as_secs_f64())
}

/// The queries once all is loaded. Returns the milliseconds of the two key filters.
fn ask(address: SocketAddr, task: Task) -> Result<(Found, [f64; 2])> {
    let mut client = Http::connect(address)?;
    let map = format!(
        "function (v) {{ return JSON.parse(v.values[0].data).redeemed_count < {RARELY} ? [v.key] : []; }}"
    );
    let all = job("\"coupons\"", &map);
    let started = Instant::now();
    task.expect(results(&mut client, &all)?)?;
    let cold_ms = started.elapsed().as_secs_f64() * 1e3;
    let rarely = format!("/buckets/coupons/index/redeemed_int/0/{}", RARELY - 1);
    let warm_ms = median_ms(RUNS, || task.expect(keys(&mut client, &rarely)?))?;
    let affiliate = |number: u64| format!("/buckets/coupons/index/affiliate_int/{}", number % AFFILIATES);
    let affiliate_ms = median_ms(RUNS, || task.expect_affiliate(keys(&mut client, &affiliate(1))?))?;
    let filtered_ms = [
        filtered(&mut client, task, "starts_with", |code| code.starts_with(PART))?,
        filtered(&mut client, task, "ends_with", |code| code.ends_with(PART))?,
    ];
    let parallel_rate: [f64; PARALLEL.len()] = parallel(
        task,
        |_| Http::connect(address),
        |client, number| task.expect_affiliate(keys(client, &affiliate(scramble(number)))?),
    )?;
    let found = Found {
        cold_ms,
        warm_ms,
        affiliate_ms,
        parallel_rate,
        ..Found::default()
    };
    Ok((found, filtered_ms))
}

fn put(client: &mut Http, coupon: &Coupon) -> Result<()> {
    let headers = format!(
        "X-Riak-Index-redeemed_int: {}\r\nX-Riak-Index-affiliate_int: {}\r\n",
        coupon.redeemed_count, coupon.affiliate
    );
    let path = format!("/buckets/coupons/keys/{}", coupon.code);
    client.send_with("PUT", &path, &headers, &coupon.json()).map(drop)
}

fn job(inputs: &str, map: &str) -> String {
    format!(r#"{{"inputs":{inputs},"query":[{{"map":{{"language":"javascript","source":"{map}"}}}}]}}"#)
}

/// The milliseconds of a job over the keys of which a filter holds.
fn filtered(client: &mut Http, task: Task, filter: &str, is_wanted: impl Fn(&str) -> bool) -> Result<f64> {
    let wanted = (0..task.coupons)
        .filter(|number| is_wanted(&Coupon::new(*number).code))
        .count();
    let inputs = format!(r#"{{"bucket":"coupons","key_filters":[["{filter}","{PART}"]]}}"#);
    let job = job(&inputs, "function (v) { return [v.key]; }");
    median_ms(RUNS, || {
        let found = results(client, &job)?;
        ensure!(found == wanted, "{found} coupons by {filter} instead of {wanted}");
        Ok(())
    })
}

/// The results of a job, each of which is a key.
fn results(client: &mut Http, job: &str) -> Result<usize> {
    Ok(client.send("POST", "/mapred", job)?.matches('"').count() / 2)
}

/// The keys of an answer, which are named as such.
fn keys(client: &mut Http, path: &str) -> Result<usize> {
    Ok(client.send("GET", path, "")?.matches('"').count() / 2 - 1)
}
