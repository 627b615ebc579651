//! Replication between simulated stores that fail on the way: whatever happens, everything that both checkpoints cover was
//! copied.

mod support;

use proptest::prelude::*;
use replicate::{Options, Peer, Progress, ReplicateError, replicate};
use std::sync::Arc;
use std::time::Duration;
use support::Store;

/// Small batches, so that a run has many places to fail at.
fn options() -> Options {
    Options {
        batches: 3,
        batch_rows: 4,
        checkpoint_interval: Duration::from_millis(1),
        ..Options::default()
    }
}

fn run(
    source: &Arc<Store>,
    target: &Arc<Store>,
    options: &Options,
) -> Result<replicate::Outcome, ReplicateError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let progress = Arc::new(Progress::default());
    // Each direction has its own checkpoints.
    let id = format!("{} to {}", source.name(), target.name());
    let replicating = replicate(source.clone(), target.clone(), &id, options, progress);
    runtime.block_on(replicating)
}

/// One change of a simulated store.
#[derive(Clone, Debug)]
enum Step {
    Edit { document: u8 },
    Conflict { document: u8 },
    Delete { document: u8 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let document = 0u8..12;
    let step = prop_oneof![
        4 => document.clone().prop_map(|document| Step::Edit { document }),
        1 => document.clone().prop_map(|document| Step::Conflict { document }),
        1 => document.prop_map(|document| Step::Delete { document }),
    ];
    prop::collection::vec(step, 0..60)
}

fn apply(store: &Store, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Edit { document } => store.edit(&format!("d{document}"), false),
            Step::Conflict { document } => store.conflict(&format!("d{document}")),
            Step::Delete { document } => store.edit(&format!("d{document}"), true),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_have_the_same_leaves_however_often_a_run_fails(
        here in steps(),
        there in steps(),
        failures in prop::collection::vec(0usize..25, 0..6),
    ) {
        let (a, b) = (Arc::new(Store::new("a")), Arc::new(Store::new("b")));
        apply(&a, &here);
        apply(&b, &there);
        for failure in failures {
            // A crash takes what was not flushed; what a checkpoint says must be there all the same.
            a.fail_after(failure);
            b.fail_after(failure + 3);
            let _ = run(&a, &b, &options());
            a.crash();
            b.crash();
        }
        a.recover();
        b.recover();
        prop_assert!(run(&a, &b, &options()).is_ok());
        prop_assert!(run(&b, &a, &options()).is_ok());
        prop_assert_eq!(a.leaves(), b.leaves());
    }
}

#[test]
fn a_second_run_goes_on_from_the_checkpoint_and_finds_no_changes() {
    let (a, b) = (Arc::new(Store::new("a")), Arc::new(Store::new("b")));
    for number in 0..10 {
        a.edit(&format!("d{number}"), false);
    }
    let first = run(&a, &b, &options()).expect("the first run");
    assert!(!first.no_changes);
    let history = &first.checkpoint["history"][0];
    assert_eq!(history["docs_written"], 10);
    assert_eq!(first.checkpoint["source_last_seq"], 10);
    assert!(run(&a, &b, &options()).expect("the second run").no_changes);
    a.edit("more", false);
    let third = run(&a, &b, &options()).expect("the third run");
    assert_eq!(third.checkpoint["history"].as_array().map(Vec::len), Some(2));
    // The counters go on, as CouchDB's do.
    assert_eq!(third.checkpoint["history"][0]["docs_written"], 11);
    assert_eq!(third.checkpoint["history"][0]["start_last_seq"], 10);
}

#[test]
fn a_change_without_an_id_ends_no_run() {
    let (a, b) = (Arc::new(Store::new("a")), Arc::new(Store::new("b")));
    a.edit("", false);
    for number in 0..10 {
        a.edit(&format!("d{number}"), false);
    }
    let outcome = run(&a, &b, &options()).expect("the run ends well");
    assert_eq!(outcome.checkpoint["source_last_seq"], 11);
    assert_eq!(b.leaves().len(), 10);
}

#[test]
fn documents_for_which_the_target_refuses_all_others_are_counted_alone() {
    let (a, b) = (Arc::new(Store::new("a")), Arc::new(Store::new("b")));
    for n in 10..30 {
        a.edit(&format!("d{n}"), false);
        a.edit(&format!("_invalid{}", n % 2), false);
    }
    let outcome = run(&a, &b, &Options::default()).expect("the run ends well");
    assert_eq!(outcome.checkpoint["history"][0]["doc_write_failures"], 2);
    assert_eq!(outcome.checkpoint["history"][0]["docs_written"], 20);
    assert_eq!(b.leaves().len(), 20);
}

#[test]
fn a_document_that_the_target_refuses_is_counted_and_listed() {
    let (a, b) = (Arc::new(Store::new("a")), Arc::new(Store::new("b")));
    a.edit("good", false);
    a.edit("refused", false);
    let progress = Arc::new(Progress::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let outcome = runtime
        .block_on(replicate(a, b, "id", &options(), progress.clone()))
        .expect("the run ends well");
    assert_eq!(outcome.checkpoint["history"][0]["doc_write_failures"], 1);
    let refusals = progress.snapshot().refusals;
    assert_eq!(refusals.len(), 1);
    assert_eq!(refusals[0].id, "refused");
}

#[test]
fn a_target_that_is_not_there_is_made_only_where_that_is_asked_for() {
    let (a, b) = (Arc::new(Store::new("a")), Arc::new(Store::absent("b")));
    let refused = run(&a, &b, &options());
    assert!(matches!(refused, Err(ReplicateError::NoDatabase(name)) if name == "b"));
    let creating = Options {
        create_target: Some(serde_json::Map::new()),
        ..options()
    };
    assert!(run(&a, &b, &creating).is_ok());
}
