//! Which backup and which archived files restore a given moment.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use backup::{Archived, File, Manifest, reaching};

fn file(number: u64) -> File {
    File {
        path: format!("_archive/{number:010}.changes"),
        identity: None,
        parts: Vec::new(),
    }
}

/// A backup at a moment, with these files of an archive.
fn manifest(at_ms: u64, archive: u64, files: std::ops::Range<u64>) -> Manifest {
    Manifest {
        name: format!("at {at_ms}"),
        number: at_ms,
        began_ms: at_ms,
        version: String::new(),
        files: Vec::new(),
        archived: Some(Archived {
            archive,
            next: files.end,
            at_ms,
            files: files.map(file).collect(),
        }),
    }
}

fn numbers(files: &[File]) -> Vec<u64> {
    let number = |file: &File| file.path["_archive/".len()..][..10].parse().unwrap();
    files.iter().map(number).collect()
}

/// Backups of one archive, one without, and those of a second archive.
fn manifests() -> Vec<Manifest> {
    let plain = Manifest {
        archived: None,
        ..manifest(250, 0, 0..0)
    };
    vec![
        manifest(100, 7, 1..2),
        manifest(200, 7, 2..4),
        plain,
        // The server had not been told that the last one was kept.
        manifest(300, 7, 2..6),
        manifest(400, 9, 1..2),
        manifest(500, 9, 2..3),
    ]
}

#[test]
fn the_last_backup_before_a_moment_and_the_files_up_to_the_next_one_lead_there() {
    for (until, base, files) in [
        (100, "at 100", vec![]),
        (150, "at 100", vec![2, 3]),
        (260, "at 200", vec![4, 5]),
        (300, "at 300", vec![]),
        (450, "at 400", vec![2]),
        (500, "at 500", vec![]),
    ] {
        let (manifest, found) = reaching(manifests(), until).unwrap();
        assert_eq!((&*manifest.name, numbers(&found)), (base, files), "{until}");
    }
}

#[test]
fn the_error_says_why_a_moment_cannot_be_restored() {
    let refused = |manifests, until| reaching(manifests, until).unwrap_err().to_string();
    assert!(refused(manifests(), 99).contains("before the first backup"));
    // Between the two archives no changes were kept.
    assert!(refused(manifests(), 350).contains("are here until 1970-01-01T00:00:00.300Z"));
    assert!(refused(manifests(), 501).contains("take a backup with --archive"));
    assert!(refused(vec![manifests().remove(2)], 300).contains("no backup was taken with --archive"));
    let mut holed = manifests();
    holed.remove(1);
    holed[2] = manifest(300, 7, 4..6);
    assert!(refused(holed, 150).contains("the file 2 of the archive is in no backup"));
}
