//! Uploads that have all their bytes, although no request ended them.

use engine::Engine;
use engine::files::{Bucket, FileEntry, Files, NewFile, NewUpload, UploadKind};
use kv::{Kv, Simulation};
use std::sync::Arc;
use value::{ObjectId, Value};

async fn engine_on(simulation: &Simulation) -> Engine {
    Engine::on(Kv::simulated(simulation)).await.unwrap()
}

fn files_of(engine: &Engine) -> Files {
    engine.files(Bucket::parse("photos").unwrap())
}

/// Begins an upload and writes to it.
async fn begin(files: &Files, length: u64, bytes: &[u8]) -> ObjectId {
    let new = NewUpload {
        file: NewFile {
            name: "movie".to_owned(),
            ..NewFile::default()
        },
        length: Some(length),
        kept_ms: 60_000,
        kind: UploadKind::Whole,
        description: None,
    };
    let id = files.begin_upload(new).await.unwrap().id;
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.write(bytes).await.unwrap();
    writer.pause(60_000).await.unwrap();
    id
}

/// An upload with all its bytes, after a crash.
async fn unended() -> (Engine, ObjectId) {
    let simulation = Simulation::new(8);
    let id = begin(&files_of(&engine_on(&simulation).await), 5, b"hello").await;
    (engine_on(&simulation).await, id)
}

async fn file(files: &Files, id: ObjectId) -> Option<Arc<FileEntry>> {
    files.find_id(&Value::ObjectId(id)).await.unwrap()
}

#[tokio::test]
async fn an_upload_that_has_all_its_bytes_becomes_a_file_when_it_is_asked_for() {
    let (engine, id) = unended().await;
    let files = files_of(&engine);
    files.finish_if_whole(id).await.unwrap();
    assert_eq!(file(&files, id).await.unwrap().length, 5);
    assert!(files.upload(id).await.unwrap().is_none());
}

#[tokio::test]
async fn the_sweep_makes_files_of_uploads_that_have_all_their_bytes() {
    let (engine, id) = unended().await;
    let files = files_of(&engine);
    while file(&files, id).await.is_none() {
        engine.sweep_files().await.unwrap();
    }
    assert!(files.upload(id).await.unwrap().is_none());
}

#[tokio::test]
async fn an_upload_that_lacks_bytes_or_is_written_to_stays_one() {
    let engine = engine_on(&Simulation::new(8)).await;
    let files = files_of(&engine);
    let id = begin(&files, 5, b"hell").await;
    files.finish_if_whole(id).await.unwrap();
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.write(b"o").await.unwrap();
    files.finish_if_whole(id).await.unwrap();
    assert!(file(&files, id).await.is_none());
}
