//! Uploads that are resumed, joined from parts, or abandoned.

use super::*;

pub(super) async fn begin(files: &Files, length: impl Into<Option<u64>>) -> ObjectId {
    begin_as(files, length, UploadKind::Whole).await
}

async fn begin_as(files: &Files, length: impl Into<Option<u64>>, kind: UploadKind) -> ObjectId {
    let new = NewUpload {
        file: named("movie"),
        length: length.into(),
        kept_ms: 60_000,
        kind,
        description: Some("name movie".to_owned()),
    };
    files.begin_upload(new).await.unwrap().id
}

/// Ends an upload that has all its bytes, and checks the file.
async fn finish_movie(files: &Files, writer: FileWriter, all: Vec<u8>) {
    assert!(writer.can_finish());
    files
        .finish_upload(writer, &Digests::default(), None)
        .await
        .unwrap();
    assert_eq!(get(files, "movie", -1).await, Some(all));
}

#[tokio::test]
async fn an_upload_may_say_later_how_long_it_will_be() {
    let simulation = Simulation::new(8);
    let all = bytes(3000);
    let files = engine_on(&simulation).await.files(bucket());
    let id = begin(&files, None).await;
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.write(&all[..1000]).await.unwrap();
    assert!(!writer.can_finish());
    let shorter = writer.declare_length(999);
    assert!(matches!(shorter, Err(FileError::TooLong { received: 1000, .. })));
    writer.pause(60_000).await.unwrap();
    assert_eq!(files.upload(id).await.unwrap().unwrap().length, None);
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.declare_length(3000).unwrap();
    writer.pause(60_000).await.unwrap();
    // It is known after a crash too, and stays.
    let files = engine_on(&simulation).await.files(bucket());
    assert_eq!(files.upload(id).await.unwrap().unwrap().length, Some(3000));
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    let other = writer.declare_length(2000);
    assert!(matches!(
        other,
        Err(FileError::OtherLength { declared: 3000, .. })
    ));
    writer.write(&all[1000..]).await.unwrap();
    finish_movie(&files, writer, all).await;
}

#[tokio::test]
async fn an_upload_goes_on_where_it_was_although_the_index_of_chunks_is_gone() {
    let engine = engine_on(&Simulation::new(9)).await;
    let (files, all) = (engine.files(bucket()), bytes(3000));
    let id = begin(&files, 3000).await;
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.write(&all[..1500]).await.unwrap();
    writer.pause(60_000).await.unwrap();
    let chunks = engine::Namespace::new("default", "photos.chunks");
    engine.drop_indexes(&chunks, &Value::from("*")).await.unwrap();
    assert_eq!(files.upload(id).await.unwrap().unwrap().offset, 1500);
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.write(&all[1500..]).await.unwrap();
    finish_movie(&files, writer, all).await;
}

#[tokio::test]
async fn an_upload_goes_on_where_it_was_interrupted_after_a_crash_too() {
    let simulation = Simulation::new(8);
    let all = bytes(10_000);
    let files = engine_on(&simulation).await.files(bucket());
    let id = begin(&files, all.len() as u64).await;
    let mut offset = 0;
    for end in [1, 1000, 2500, 2600, 6000] {
        let mut writer = files.resume_upload(id).await.unwrap().unwrap();
        assert_eq!(writer.length(), offset as u64);
        writer.write(&all[offset..end]).await.unwrap();
        writer.pause(60_000).await.unwrap();
        offset = end;
    }
    // Opening another engine on the same simulation crashes the first.
    let files = engine_on(&simulation).await.files(bucket());
    assert_eq!(files.upload(id).await.unwrap().unwrap().offset, 6000);
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.write(&all[6000..]).await.unwrap();
    finish_movie(&files, writer, all).await;
    assert!(files.upload(id).await.unwrap().is_none());
}

fn movie_of(parts: &[ObjectId], kept_ms: u64) -> NewJoint {
    NewJoint {
        file: named("movie"),
        parts: parts.to_vec(),
        named: format!("{parts:?}"),
        kept_ms,
        description: Some("of parts".to_owned()),
    }
}

async fn part(files: &Files, bytes: &[u8]) -> ObjectId {
    let id = begin_as(files, bytes.len() as u64, UploadKind::Part).await;
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.write(bytes).await.unwrap();
    assert!(!writer.can_finish());
    writer.pause(60_000).await.unwrap();
    id
}

#[tokio::test]
async fn parts_become_one_file_after_a_crash_too() {
    let simulation = Simulation::new(8);
    let all = bytes(5000);
    let files = engine_on(&simulation).await.files(bucket());
    // No part ends where a chunk does, but the last begins another.
    let parts = [&all[..1500], &all[1500..1501], &[], &all[1501..]];
    let mut ids = Vec::new();
    for bytes in parts {
        ids.push(part(&files, bytes).await);
    }
    let engine = engine_on(&simulation).await;
    let files = engine.files(bucket());
    let joined = files.join_uploads(movie_of(&ids, 60_000)).await.unwrap();
    assert_eq!(get(&files, "movie", -1).await, Some(all));
    assert_eq!(count(&engine, "photos.chunks").await, 5);
    // Asked again, also after a crash, it is the same file; nothing can be added to it.
    let files = engine_on(&simulation).await.files(bucket());
    assert_eq!(files.join_uploads(movie_of(&ids, 60_000)).await.unwrap(), joined);
    assert!(matches!(
        files.resume_upload(joined).await,
        Err(FileError::Joined)
    ));
    let missing = files.join_uploads(movie_of(&ids[..1], 60_000)).await;
    assert!(matches!(missing, Err(FileError::PartMissing(id)) if id == ids[0]));
}

#[tokio::test]
async fn the_metadata_of_an_upload_survives_a_crash() {
    let simulation = Simulation::new(8);
    let files = engine_on(&simulation).await.files(bucket());
    let part = part(&files, &bytes(10)).await;
    let said = async |files: &Files, id| files.upload(id).await.unwrap().unwrap().description;
    let files = engine_on(&simulation).await.files(bucket());
    assert_eq!(said(&files, part).await.as_deref(), Some("name movie"));
    let joined = files.join_uploads(movie_of(&[part], 60_000)).await.unwrap();
    let files = engine_on(&simulation).await.files(bucket());
    assert_eq!(said(&files, joined).await.as_deref(), Some("of parts"));
}

#[tokio::test]
async fn only_finished_parts_are_joined() {
    let engine = engine_on(&Simulation::new(8)).await;
    let files = engine.files(bucket());
    let (whole, unfinished) = (
        begin(&files, 0).await,
        begin_as(&files, 9, UploadKind::Part).await,
    );
    let finished = part(&files, &bytes(10)).await;
    let join = async |parts: &[ObjectId]| files.join_uploads(movie_of(parts, 60_000)).await;
    let error = join(&[finished, whole]).await;
    assert!(matches!(error, Err(FileError::PartMissing(id)) if id == whole));
    let error = join(&[finished, unfinished]).await;
    assert!(matches!(
        error,
        Err(FileError::PartUnfinished { received: 0, .. })
    ));
    let writer = files.resume_upload(finished).await.unwrap();
    assert!(matches!(join(&[finished]).await, Err(FileError::Busy)));
    drop(writer);
    let twice = join(&[finished, finished]).await;
    assert!(matches!(twice, Err(FileError::PartTwice(id)) if id == finished));
    assert!(join(&[finished]).await.is_ok());
    assert_eq!(get(&files, "movie", -1).await, Some(bytes(10)));
}

#[tokio::test]
async fn a_file_stays_when_it_is_forgotten_that_it_was_joined() {
    let engine = engine_on(&Simulation::new(8)).await;
    let files = engine.files(bucket());
    let part = part(&files, &bytes(10)).await;
    files.join_uploads(movie_of(&[part], 0)).await.unwrap();
    while count(&engine, "photos.uploads").await > 0 {
        engine.sweep_files().await.unwrap();
    }
    assert_eq!(get(&files, "movie", -1).await, Some(bytes(10)));
}

#[tokio::test]
async fn an_upload_has_one_writer_at_a_time_and_no_more_bytes_than_declared() {
    let files = new_files().await;
    let id = begin(&files, 100).await;
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    assert!(matches!(files.resume_upload(id).await, Err(FileError::Busy)));
    let error = writer.write(&bytes(101)).await.unwrap_err();
    assert!(matches!(
        error,
        FileError::TooLong {
            declared: 100,
            received: 101
        }
    ));
}

#[tokio::test]
async fn an_abandoned_upload_leaves_nothing() {
    let engine = engine_on(&Simulation::new(9)).await;
    let files = engine.files(bucket());
    let id = begin(&files, 10_000).await;
    let mut writer = files.resume_upload(id).await.unwrap().unwrap();
    writer.write(&bytes(5000)).await.unwrap();
    writer.pause(60_000).await.unwrap();
    assert!(files.abandon_upload(id).await.unwrap());
    assert!(!files.abandon_upload(id).await.unwrap());
    assert_eq!(count(&engine, "photos.chunks").await, 0);
}
