//! Files: writing, reading ranges, versions, deleting, sweeping.

mod uploads;

use engine::files::{
    Bucket, Condition, DigestKind, Digests, FileEntry, FileError, FileReader, FileWriter, Files, ListRequest,
    NewFile, NewJoint, NewUpload, UploadKind,
};
use engine::{Context, DeleteStatement, Engine, InsertReply, UpdateStatement, WriteOptions};
use kv::{Kv, Simulation};
use std::sync::Arc;
use uploads::begin;
use value::{Binary, Document, DocumentBuf, ObjectId, Value, doc};

async fn new_files() -> Files {
    engine_on(&Simulation::new(1)).await.files(bucket())
}

async fn engine_on(simulation: &Simulation) -> Engine {
    Engine::on(Kv::simulated(simulation)).await.unwrap()
}

fn bucket() -> Bucket {
    Bucket::parse("photos").unwrap()
}

/// Bytes that differ from chunk to chunk.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at / 7 + at / 1021) as u8).collect()
}

fn named(name: &str) -> NewFile {
    NewFile {
        name: name.to_owned(),
        chunk_bytes: Some(1000),
        ..NewFile::default()
    }
}

async fn put(files: &Files, name: &str, bytes: &[u8]) -> FileEntry {
    let mut writer = files.create(named(name)).await.unwrap();
    writer.write(bytes).await.unwrap();
    writer.finish(&Digests::default(), None).await.unwrap()
}

async fn read(mut reader: FileReader) -> Result<Vec<u8>, FileError> {
    let mut all = Vec::new();
    while let Some(piece) = reader.next().await? {
        all.extend_from_slice(&piece);
    }
    Ok(all)
}

async fn get(files: &Files, name: &str, version: i64) -> Option<Vec<u8>> {
    let entry = files.find(name, version).await.unwrap()?;
    Some(read(files.open(&entry, 0..u64::MAX).unwrap()).await.unwrap())
}

async fn count(engine: &Engine, collection: &str) -> u64 {
    let namespace = engine::Namespace::new("default", collection);
    engine
        .count(&Context::default(), &namespace, &engine::CountRequest::default())
        .await
        .unwrap()
}

async fn insert(engine: &Engine, collection: &str, document: Document) -> InsertReply {
    let namespace = engine::Namespace::new("default", collection);
    let documents = vec![DocumentBuf::from(&document)];
    let (context, options) = (Context::default(), WriteOptions::default());
    engine
        .insert(&context, &namespace, documents, &options)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_file_whose_entry_could_not_be_flushed_is_there_as_a_whole() {
    let simulation = Simulation::new(1);
    let files = engine_on(&simulation).await.files(bucket());
    put(&files, "before", &bytes(10)).await;
    let mut writer = files.create(named("a")).await.unwrap();
    writer.write(&bytes(2500)).await.unwrap();
    simulation.fill_at_next_flush();
    writer.finish(&Digests::default(), None).await.unwrap_err();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(get(&files, "a", -1).await, Some(bytes(2500)));
}

#[tokio::test]
async fn a_file_comes_back_as_it_was_written_whatever_its_length() {
    let files = new_files().await;
    for length in [0, 1, 999, 1000, 1001, 2000, 12_345] {
        let name = format!("{length} bytes");
        let entry = put(&files, &name, &bytes(length)).await;
        assert_eq!(entry.length, length as u64);
        assert_eq!(get(&files, &name, -1).await, Some(bytes(length)));
    }
}

#[tokio::test]
async fn ranges_give_their_part_of_the_file() {
    let files = new_files().await;
    let all = bytes(5500);
    put(&files, "a", &all).await;
    let entry = files.find("a", -1).await.unwrap().unwrap();
    for range in [0..1, 999..1001, 1000..2000, 500..5500, 5499..9000, 0..0] {
        let found = read(files.open(&entry, range.clone()).unwrap()).await.unwrap();
        let expected = &all[range.start as usize..(range.end as usize).min(5500)];
        assert_eq!(found, expected, "{range:?}");
    }
}

#[tokio::test]
async fn versions_are_counted_from_both_ends() {
    let files = new_files().await;
    for version in ["first", "second", "third"] {
        put(&files, "a", version.as_bytes()).await;
    }
    let mut found = Vec::new();
    for version in [0, 1, 2, 3, -1, -2, -3, -4] {
        let bytes = get(&files, "a", version).await;
        found.push(bytes.map(|bytes| String::from_utf8(bytes).unwrap()));
    }
    let text = |text: &str| Some(text.to_owned());
    let (first, second, third) = (text("first"), text("second"), text("third"));
    let up = [first.clone(), second.clone(), third.clone(), None];
    let down = [third, second, first, None];
    assert_eq!(found, [up, down].concat());
}

#[tokio::test]
async fn changes_by_a_driver_are_seen_at_once() {
    let files = new_files().await;
    let engine = engine_on(&Simulation::new(2)).await;
    let files = Files::clone(&engine.files(files.bucket().clone()));
    let entry = put(&files, "a", b"before").await;
    assert_eq!(get(&files, "a", -1).await.unwrap(), b"before");
    let data = Value::Binary(Binary {
        subtype: 0,
        bytes: b"behind".to_vec(),
    });
    let statement = |filter: Document, set: Document| UpdateStatement {
        filter,
        update: Some(Value::Document(doc! {"$set": set})),
        ..UpdateStatement::default()
    };
    let chunk = statement(doc! {"files_id": entry.id.clone()}, doc! {"data": data});
    let without_digest = statement(doc! {}, doc! {"metadata": doc! {}});
    for (namespace, statement) in [
        (files.bucket().chunks(), chunk),
        (files.bucket().files(), without_digest),
    ] {
        let (context, options) = (Context::default(), WriteOptions::default());
        engine
            .update(&context, &namespace, vec![statement], &options)
            .await
            .unwrap();
    }
    assert_eq!(get(&files, "a", -1).await.unwrap(), b"behind");
    let everything = DeleteStatement::default();
    let (context, options) = (Context::default(), WriteOptions::default());
    engine
        .delete(&context, &files.bucket().files(), vec![everything], &options)
        .await
        .unwrap();
    assert_eq!(get(&files, "a", -1).await, None);
}

#[tokio::test]
async fn bytes_that_do_not_have_the_files_digest_are_not_given_to_the_end() {
    let engine = engine_on(&Simulation::new(3)).await;
    let files = engine.files(bucket());
    put(&files, "a", &bytes(2500)).await;
    let data = Value::Binary(Binary {
        subtype: 0,
        bytes: vec![0; 1000],
    });
    let statement = UpdateStatement {
        filter: doc! {"n": 0},
        update: Some(Value::Document(doc! {"$set": doc! {"data": data}})),
        ..UpdateStatement::default()
    };
    let (context, options) = (Context::default(), WriteOptions::default());
    engine
        .update(&context, &files.bucket().chunks(), vec![statement], &options)
        .await
        .unwrap();
    let entry = files.find("a", -1).await.unwrap().unwrap();
    let error = read(files.open(&entry, 0..u64::MAX).unwrap()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("its bytes do not have its blake3 digest"),
        "{error}"
    );
}

#[tokio::test]
async fn a_missing_chunk_is_an_error_that_names_it() {
    let engine = engine_on(&Simulation::new(4)).await;
    let files = engine.files(bucket());
    let entry = put(&files, "a", &bytes(2500)).await;
    let statement = DeleteStatement {
        filter: doc! {"n": 1},
        ..DeleteStatement::default()
    };
    let (context, options) = (Context::default(), WriteOptions::default());
    engine
        .delete(&context, &files.bucket().chunks(), vec![statement], &options)
        .await
        .unwrap();
    let error = read(files.open(&Arc::new(entry), 0..2500).unwrap())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("chunk 1 is missing"), "{error}");
}

#[tokio::test]
async fn a_wrong_declared_digest_keeps_nothing() {
    let engine = engine_on(&Simulation::new(5)).await;
    let files = engine.files(bucket());
    let new = NewFile {
        digests: vec![DigestKind::Sha256],
        ..named("a")
    };
    let mut writer = files.create(new).await.unwrap();
    writer.write(&bytes(5000)).await.unwrap();
    let mut declared = Digests::default();
    declared.set(DigestKind::Sha256, [7; 32]);
    let error = writer.finish(&declared, None).await.unwrap_err();
    assert!(matches!(error, FileError::DigestMismatch(DigestKind::Sha256)));
    wait_for_no_chunks(&engine).await;
    assert_eq!(get(&files, "a", -1).await, None);
}

async fn wait_for_no_chunks(engine: &Engine) {
    while count(engine, "photos.chunks").await > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_writer_that_is_dropped_leaves_nothing() {
    let engine = engine_on(&Simulation::new(6)).await;
    let files = engine.files(bucket());
    let mut writer = files.create(NewFile::default()).await.unwrap();
    writer.write(&bytes(3 << 20)).await.unwrap();
    drop(writer);
    wait_for_no_chunks(&engine).await;
}

#[tokio::test]
async fn a_condition_that_does_not_hold_keeps_the_file_away() {
    let files = new_files().await;
    let first = put(&files, "a", b"1").await;
    let attempt = async |condition: Condition| {
        let mut writer = files.create(named("a")).await.unwrap();
        writer.write(b"2").await.unwrap();
        writer.finish(&Digests::default(), Some(&condition)).await
    };
    let refused = attempt(Condition::Absent).await;
    assert!(matches!(refused, Err(FileError::ConditionFailed)));
    attempt(Condition::Newest(first.id.clone())).await.unwrap();
    let refused = attempt(Condition::Newest(first.id)).await;
    assert!(matches!(refused, Err(FileError::ConditionFailed)));
}

#[tokio::test]
async fn deleting_a_name_deletes_all_versions_and_their_chunks() {
    let engine = engine_on(&Simulation::new(7)).await;
    let files = engine.files(bucket());
    put(&files, "a", &bytes(5000)).await;
    put(&files, "a", &bytes(10)).await;
    put(&files, "b", &bytes(10)).await;
    let newest = files.find("a", -1).await.unwrap().unwrap();
    assert_eq!(files.delete_name("a", &newest).await.unwrap(), 2);
    assert_eq!(get(&files, "a", -1).await, None);
    assert_eq!(count(&engine, "photos.chunks").await, 1);
}

#[tokio::test]
async fn a_version_that_was_put_after_the_newest_was_asked_for_stays_when_the_name_is_deleted() {
    let files = new_files().await;
    put(&files, "a", b"1").await;
    put(&files, "a", b"2").await;
    let newest = files.find("a", -1).await.unwrap().unwrap();
    put(&files, "a", b"3").await;
    assert_eq!(files.delete_name("a", &newest).await.unwrap(), 2);
    assert_eq!(get(&files, "a", -1).await.as_deref(), Some(&b"3"[..]));
    assert_eq!(get(&files, "a", -2).await, None);
}

#[tokio::test]
async fn a_listing_gives_every_version_once_in_pages() {
    let files = new_files().await;
    for name in ["b", "a", "c", "a", "ab", "B"] {
        put(&files, name, name.as_bytes()).await;
    }
    let list = async |prefix: &str, limit: usize| {
        let mut names = Vec::new();
        let mut request = ListRequest {
            prefix: prefix.to_owned(),
            after: None,
            limit,
        };
        loop {
            let page = files.list(&request).await.unwrap();
            names.extend(page.files.into_iter().map(|file| file.name.unwrap()));
            match page.next {
                Some(next) => request.after = Some(next),
                None => return names.join(" "),
            }
        }
    };
    assert_eq!(list("", 2).await, "B a a ab b c");
    assert_eq!(list("a", 1).await, "a a ab");
    assert_eq!(list("a", 100).await, "a a ab");
    assert_eq!(list("x", 100).await, "");
}

#[tokio::test]
async fn the_sweep_removes_what_a_crash_left_and_nothing_that_lives() {
    let simulation = Simulation::new(10);
    let engine = engine_on(&simulation).await;
    let files = engine.files(bucket());
    put(&files, "whole", &bytes(3000)).await;
    let mut interrupted = files.create(named("interrupted")).await.unwrap();
    interrupted.write(&bytes(2 << 20)).await.unwrap();
    let resumable = begin(&files, 9000).await;
    let mut writer = files.resume_upload(resumable).await.unwrap().unwrap();
    writer.write(&bytes(5000)).await.unwrap();
    writer.pause(60_000).await.unwrap();
    engine.flush().await.unwrap();
    let of_driver = doc! {"files_id": 1, "n": 0, "data": Binary { subtype: 0, bytes: vec![1] }};
    insert(&engine, "photos.chunks", of_driver).await;
    // The chunks of a live upload are not touched.
    assert_eq!(engine.sweep_files().await.unwrap(), 0);

    std::mem::forget(interrupted);
    let engine = engine_on(&simulation).await;
    let files = engine.files(bucket());
    engine.sweep_files().await.unwrap();
    assert_eq!(count(&engine, "photos.chunks").await, 3 + 5 + 1);
    assert_eq!(get(&files, "whole", -1).await, Some(bytes(3000)));
    assert_eq!(files.upload(resumable).await.unwrap().unwrap().offset, 5000);
}

#[tokio::test]
async fn a_new_version_is_the_newest_although_the_clock_went_back() {
    let engine = engine_on(&Simulation::new(1)).await;
    let files = engine.files(bucket());
    put(&files, "a", b"old").await;
    let later = UpdateStatement {
        filter: doc! {},
        update: Some(Value::Document(
            doc! {"$set": doc! {"uploadDate": Value::DateTime(4_000_000_000_000)}},
        )),
        ..UpdateStatement::default()
    };
    let namespace = engine::Namespace::new("default", "photos.files");
    engine
        .update(
            &Context::default(),
            &namespace,
            vec![later],
            &WriteOptions::default(),
        )
        .await
        .unwrap();
    put(&files, "a", b"new").await;
    put(&files, "a", b"newest").await;
    assert_eq!(get(&files, "a", -1).await.unwrap(), b"newest");
    assert_eq!(get(&files, "a", -2).await.unwrap(), b"new");
    assert_eq!(get(&files, "a", 0).await.unwrap(), b"old");
}
