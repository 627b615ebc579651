//! Pipelines whose stages need more than memory and use files.

use language::expression::Variables;
use memory::{Budget, Holder};
use pipeline::{Pipeline, Source, Surroundings};
use query::execute::{Interruption, StreamState};
use query::spill::SpillFolder;
use query::{Code, QueryError};
use std::collections::BTreeSet;
use store::Namespace;
use value::{Document, DocumentBuf, Value, array, doc};

/// Documents whose texts together are more than one stage keeps.
const DOCUMENTS: i32 = 1_200;
const TEXT_BYTES: usize = 100_000;

fn large(number: i32) -> DocumentBuf {
    // The order is not that of the numbers.
    let place = (number * 7) % DOCUMENTS;
    DocumentBuf::from(&doc! {"_id": number, "place": place, "text": "x".repeat(TEXT_BYTES)})
}

fn run(stages: Vec<Value>, surroundings: &Surroundings) -> Result<Vec<Document>, QueryError> {
    let pipeline = Pipeline::parse(&stages, &Variables::new(0), &Namespace::new("db", "coll"))?;
    let source = Source::Documents((0..DOCUMENTS).map(large).collect());
    let mut stream = pipeline.run(source, surroundings, Interruption::default());
    let mut batch = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime without drivers starts");
    while runtime.block_on(stream.fill(&mut batch, usize::MAX, usize::MAX))? == StreamState::More {}
    Ok(batch.iter().map(DocumentBuf::to_document).collect())
}

/// Runs the stages with files, and checks that none is left.
fn run_with_files(stages: Vec<Value>) -> Vec<Document> {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = scratch.path().join("spill");
    let surroundings = Surroundings {
        spill: Some(SpillFolder::open(&path).expect("a folder for files")),
        ..Surroundings::default()
    };
    let results = run(stages, &surroundings).expect("the stages run");
    // The folder is made for the first file.
    let left = std::fs::read_dir(&path).map_or(0, Iterator::count);
    assert_eq!(left, 0, "a temporary file was left");
    results
}

#[test]
fn a_sort_goes_on_in_files() {
    let sorted = run_with_files(array![{"$sort": {"place": 1}}, {"$project": {"_id": 0, "place": 1}}]);
    let places: Vec<Document> = (0..DOCUMENTS).map(|place| doc! {"place": place}).collect();
    assert_eq!(sorted, places);
}

#[test]
fn groups_go_on_where_memory_ends() {
    let groups = run_with_files(array![
        {"$group": {"_id": {"$mod": ["$place", 300]}, "texts": {"$push": "$text"}}},
        {"$project": {"count": {"$size": "$texts"}}},
    ]);
    assert_eq!(groups.len(), 300);
    let whole = groups
        .iter()
        .all(|group| group.get("count") == Some(&Value::Int32(4)));
    assert!(whole, "a document was lost or counted twice");
}

#[test]
fn groups_of_documents_in_memory_and_in_files_go_to_files_while_nobody_asks() {
    let stages = array![
        {"$group": {"_id": {"$mod": ["$place", 300]}, "texts": {"$push": "$text"}}},
        {"$project": {"count": {"$size": "$texts"}}},
    ];
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let surroundings = Surroundings {
        spill: Some(SpillFolder::open(scratch.path().join("spill")).expect("a folder for files")),
        ..Surroundings::default()
    };
    // Cursors have two sixteenths of it: 8 MB, and the stage has more in memory.
    let memory = Budget::new(64 << 20);
    let interruption = Interruption {
        memory: memory.clone(),
        ..Interruption::default()
    };
    let pipeline = Pipeline::parse(&stages, &Variables::new(0), &Namespace::new("db", "coll"))
        .expect("the stages are right");
    let source = Source::Documents((0..DOCUMENTS).map(large).collect());
    let mut stream = pipeline.run(source, &surroundings, interruption);
    let (mut all, mut idle) = (Vec::new(), memory.share(Holder::Cursors));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime without drivers starts");
    loop {
        let mut batch = Vec::new();
        let filled = runtime.block_on(stream.fill(&mut batch, 50, usize::MAX));
        all.append(&mut batch);
        if filled.expect("the stages run") != StreamState::More {
            break;
        }
        idle.charge(0);
        stream.rest(&mut idle).expect("what does not fit goes to files");
    }
    let whole = doc! {"count": 4};
    assert!(
        all.iter()
            .all(|group| group.to_document().get("count") == whole.get("count"))
    );
    let ids: BTreeSet<String> = all
        .iter()
        .map(|group| format!("{:?}", group.to_document().get("_id")))
        .collect();
    assert_eq!((ids.len(), all.len()), (300, 300));
}

#[test]
fn without_files_there_is_mongodbs_error() {
    for stages in [
        array![{"$sort": {"place": 1}}],
        array![{"$group": {"_id": "$place", "text": {"$first": "$text"}}}],
    ] {
        let error = run(stages, &Surroundings::default()).unwrap_err();
        assert_eq!(
            error.code(),
            Code::QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
            "{error}"
        );
    }
}
