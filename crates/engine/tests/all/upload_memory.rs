//! An upload needs only the memory of its current pieces.

use engine::Engine;
use engine::files::{Bucket, Digests, NewFile};
use kv::{Kv, Simulation};
use memory::{Budget, Holder, Usage};
use std::time::Duration;
use value::Value;

const CHUNK_BYTES: u32 = 255 * 1024;

fn uploads(budget: &Budget) -> Usage {
    let all = budget.usage();
    all.into_iter()
        .find(|usage| usage.holder == Holder::Uploads)
        .unwrap()
}

fn named(name: &str) -> NewFile {
    NewFile {
        id: Some(Value::from(name)),
        name: name.to_owned(),
        chunk_bytes: Some(CHUNK_BYTES),
        ..NewFile::default()
    }
}

#[tokio::test]
async fn large_uploads_wait_for_the_memory_of_a_piece_and_small_ones_do_not() {
    // Uploads have three sixteenths of the memory: room for three chunks.
    let budget = Budget::new(4_400 * 1024);
    let kv = Kv::simulated(&Simulation::new(1));
    let engine = Engine::on_within(kv, budget.clone()).await.unwrap();
    let files = engine.files(Bucket::new("app", "fs"));
    let piece = vec![7; 100_000];
    let mut writers = Vec::new();
    for name in ["a", "b", "c"] {
        let mut writer = files.create(named(name)).await.unwrap();
        writer.write(&piece).await.unwrap();
        writers.push(writer);
    }
    let held = uploads(&budget);
    assert!(held.held_bytes >= 3 * CHUNK_BYTES as usize, "{held:?}");

    // A small file does not have to wait.
    let mut small = files.create(named("small")).await.unwrap();
    small.write(b"few").await.unwrap();
    small.finish(&Digests::default(), None).await.unwrap();

    // Another large one waits until one of them is done.
    let mut fourth = files.create(named("d")).await.unwrap();
    let early = tokio::time::timeout(Duration::from_millis(200), fourth.write(&piece)).await;
    assert!(early.is_err());
    assert_eq!(fourth.length(), 0);
    let done = writers.pop().unwrap();
    done.finish(&Digests::default(), None).await.unwrap();
    fourth.write(&piece).await.unwrap();

    let held = uploads(&budget);
    assert!(held.held_bytes_max <= held.limit_bytes, "{held:?}");
    drop((writers, fourth));
    assert_eq!(uploads(&budget).held_bytes, 0);
}
