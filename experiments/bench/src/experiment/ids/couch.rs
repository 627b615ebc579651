//! The same documents through the CouchDB protocol: Larder and pouchdb-server.

use super::{BATCH, CLIENTS, Found, MEMORY, SINGLE_DURATION};
use crate::Settings;
use crate::client::Http;
use crate::load::{self, Load, run_batches};
use crate::server::{Larder, PouchServer, folder_bytes};
use crate::workload::{Ids, Reading};
use anyhow::Result;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

const DATABASE: &str = "/readings";
const POLL: Duration = Duration::from_millis(5);

pub(super) fn larder(settings: &Settings, documents: u64, ids: Ids) -> Result<Found> {
    let folder = settings.folder("ids-couch")?;
    let server = Larder::start(&settings.larder, folder.path(), MEMORY)?;
    let (bulk_rate, single) = write(server.couch_address, documents, ids)?;
    let resident_bytes = server.resident_bytes()? as f64;
    let (rewrite_rate, stored) = compact(server.couch_address, documents, &single)?;
    let bytes_per_document = server.stop()? as f64 / stored;
    Ok(Found {
        bulk_rate,
        single_rate: single.rate(),
        bytes_per_document,
        rewrite_rate,
        resident_bytes,
        ..Found::default()
    })
}

pub(super) fn pouch(settings: &Settings, documents: u64, ids: Ids) -> Result<Found> {
    let folder = settings.folder("ids-pouch")?;
    let server = PouchServer::start(folder.path())?;
    let (bulk_rate, single) = write(server.address, documents, ids)?;
    let stored = documents + single.count() as u64;
    drop(server);
    let bytes = folder_bytes(folder.path(), &|_| true)? as f64;
    Ok(Found {
        bulk_rate,
        single_rate: single.rate(),
        bytes_per_document: bytes / stored as f64,
        ..Found::default()
    })
}

/// Documents a second in batches over some connections; then single ones over one.
fn write(address: SocketAddr, documents: u64, ids: Ids) -> Result<(f64, Load)> {
    Http::connect(address)?.send("PUT", DATABASE, "")?;
    let bulk_rate = run_batches(
        CLIENTS,
        documents,
        BATCH,
        || Http::connect(address),
        |client, numbers| {
            let documents = numbers.map(|number| (ids.id(number), Reading::new(number).json()));
            client.bulk_docs(DATABASE, documents)
        },
    )?;
    let single = load::run(
        1,
        SINGLE_DURATION,
        |_| Http::connect(address),
        |client, number| {
            let number = documents + number;
            let path = format!("{DATABASE}/{}", ids.id(number));
            client.send("PUT", &path, &Reading::new(number).json()).map(drop)
        },
    )?;
    Ok((bulk_rate, single))
}

/// Rewrites the database; documents a second, and how many there are.
fn compact(address: SocketAddr, documents: u64, single: &Load) -> Result<(f64, f64)> {
    let mut client = Http::connect(address)?;
    let stored = (documents + single.count() as u64) as f64;
    let started = Instant::now();
    client.send("POST", &format!("{DATABASE}/_compact"), "")?;
    while is_compacting(&mut client)? {
        std::thread::sleep(POLL);
    }
    Ok((stored / started.elapsed().as_secs_f64(), stored))
}

fn is_compacting(client: &mut Http) -> Result<bool> {
    let info = client.send("GET", DATABASE, "")?;
    Ok(info.contains("\"compact_running\":true"))
}
