//! Branches of a document's history: edits, edits from other servers, winners, purges.
use crate::support::{by_id, delete_op, insert_op, new_collection, one, put_op, run};
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{
    ChangeKind, Collection, DocumentHistory, Edit, EditOrigin, Notes, Outcome, PageLimit, Resolve, Revision,
    RevisionHash, RevisionPath, Sequence, WriteOp,
};
use value::{Document, DocumentBuf, Value, doc};

fn edit(document: Document, origin: EditOrigin) -> WriteOp {
    let deleted = document.contains("deleted");
    WriteOp::Edit(Edit {
        document: DocumentBuf::from(&document),
        deleted,
        origin,
    })
}

/// An edit that another store made: its revisions as `3-c`, then the older hashes.
fn given(document: Document, generation: u64, hashes: &[&str]) -> WriteOp {
    let hashes = hashes.iter().map(|hash| RevisionHash::parse(hash)).collect();
    edit(document, EditOrigin::Given(RevisionPath { generation, hashes }))
}

fn revision(text: &str) -> Revision {
    Revision::parse(text).unwrap()
}

#[test]
fn no_generation_is_taken_that_nothing_could_follow() {
    assert_eq!(revision("9223372036854775807-x").generation, i64::MAX as u64);
    for wrong in [
        "9223372036854775808-x",
        "18446744073709551615-x",
        "-1-x",
        "+1-x",
        "1",
    ] {
        assert_eq!(Revision::parse(wrong), None, "{wrong}");
    }
}

async fn written(collection: &Arc<Collection>, operation: WriteOp) -> Revision {
    match one(collection, operation).await.unwrap() {
        Outcome::Edited { revision } => revision,
        other => panic!("{other:?}"),
    }
}

async fn history(collection: &Arc<Collection>) -> DocumentHistory {
    let snapshot = collection.snapshot().await.unwrap();
    snapshot
        .history(Value::from("a").as_ref())
        .await
        .unwrap()
        .unwrap()
}

async fn winner(collection: &Arc<Collection>) -> Revision {
    let history = history(collection).await;
    history.tree.nodes()[history.winner].revision.clone()
}

/// The leaves, the winner first, each with the field `n` of its body, and a `!` where it is deleted.
async fn leaves(collection: &Arc<Collection>) -> Vec<String> {
    let history = history(collection).await;
    let snapshot = collection.snapshot().await.unwrap();
    let mut shown = Vec::new();
    for leaf in history.tree.leaves() {
        let node = &history.tree.nodes()[leaf];
        let body = snapshot.body(&history, leaf).await.unwrap().unwrap();
        let n = body.to_document().get("n").cloned();
        let mark = if node.deleted { "!" } else { "" };
        let n = n.map_or(String::new(), |n| format!("={n:?}"));
        shown.push(format!("{}{n}{mark}", node.revision));
    }
    let report = collection.validate(true).await.unwrap();
    assert!(report.is_valid(), "{:?}", report.findings);
    shown
}

#[tokio::test]
async fn an_edit_follows_the_leaf_that_it_names_and_no_other() {
    let (_store, collection) = new_collection().await;
    let first = written(
        &collection,
        edit(doc! {"_id": "a", "n": 1}, EditOrigin::After(None)),
    )
    .await;
    assert_eq!(first.generation, 1);
    let again = edit(doc! {"_id": "a", "n": 2}, EditOrigin::After(None));
    assert!(matches!(one(&collection, again).await, Ok(Outcome::Conflict)));
    let second = edit(doc! {"_id": "a", "n": 2}, EditOrigin::After(Some(first.clone())));
    let second = written(&collection, second).await;
    let stale = edit(doc! {"_id": "a", "n": 3}, EditOrigin::After(Some(first)));
    assert!(matches!(one(&collection, stale).await, Ok(Outcome::Conflict)));
    assert_eq!(leaves(&collection).await, [format!("{second}=Int32(2)")]);
}

#[tokio::test]
async fn the_higher_revision_wins_on_every_node() {
    let edits = || {
        [
            given(doc! {"_id": "a", "n": 1}, 1, &["x"]),
            given(doc! {"_id": "a", "n": 2}, 2, &["b", "x"]),
            given(doc! {"_id": "a", "n": 3}, 2, &["c", "x"]),
            given(doc! {"_id": "a", "n": 4}, 1, &["z"]),
        ]
    };
    for backward in [false, true] {
        let (_store, collection) = new_collection().await;
        let mut edits: Vec<_> = edits().into_iter().collect();
        if backward {
            edits.reverse();
        }
        for edit in edits {
            written(&collection, edit).await;
        }
        assert_eq!(
            leaves(&collection).await,
            ["2-c=Int32(3)", "2-b=Int32(2)", "1-z=Int32(4)"]
        );
    }
}

#[tokio::test]
async fn an_edit_that_is_known_changes_nothing() {
    let (_store, collection) = new_collection().await;
    for _ in 0..2 {
        written(&collection, given(doc! {"_id": "a", "n": 1}, 2, &["b", "x"])).await;
    }
    assert_eq!(collection.changes(&Sequence::START, 9).await.unwrap().len(), 1);
    assert_eq!(collection.snapshot().await.unwrap().head().to_string(), "1");
}

#[tokio::test]
async fn the_other_branch_is_seen_once_the_winner_is_deleted() {
    let (_store, collection) = new_collection().await;
    written(&collection, given(doc! {"_id": "a", "n": 1}, 1, &["x"])).await;
    written(&collection, given(doc! {"_id": "a", "n": 2}, 1, &["y"])).await;
    let deletion = edit(
        doc! {"_id": "a", "deleted": true},
        EditOrigin::After(Some(revision("1-y"))),
    );
    let deletion = written(&collection, deletion).await;
    assert_eq!(
        leaves(&collection).await,
        ["1-x=Int32(1)".to_owned(), format!("{deletion}!")]
    );
    assert_eq!(collection.stats().count, 1);
    let last = edit(
        doc! {"_id": "a", "deleted": true, "n": 5},
        EditOrigin::After(Some(revision("1-x"))),
    );
    let last = written(&collection, last).await;
    assert_eq!(collection.stats().count, 0);
    assert!(leaves(&collection).await.contains(&format!("{last}=Int32(5)!")));
    let changes = collection.changes(&Sequence::START, 9).await.unwrap();
    assert!(matches!(&changes[..], [change] if matches!(change.kind, ChangeKind::Deleted { .. })));
}

#[tokio::test]
async fn an_update_without_revisions_continues_the_winning_branch() {
    let (_store, collection) = new_collection().await;
    written(&collection, given(doc! {"_id": "a", "n": 1}, 1, &["x"])).await;
    written(&collection, given(doc! {"_id": "a", "n": 2}, 1, &["y"])).await;
    one(&collection, put_op("a", doc! {"_id": "a", "n": 3}))
        .await
        .unwrap();
    let history = history(&collection).await;
    let winner = &history.tree.nodes()[history.winner];
    assert_eq!(winner.revision.generation, 2);
    assert_eq!(
        history.tree.nodes()[winner.parent.unwrap()].revision,
        revision("1-y")
    );
    assert_eq!(leaves(&collection).await.len(), 2);
}

#[tokio::test]
async fn a_delete_without_revisions_ends_every_branch() {
    let (_store, collection) = new_collection().await;
    written(&collection, given(doc! {"_id": "a", "n": 1}, 1, &["x"])).await;
    written(&collection, given(doc! {"_id": "a", "n": 2}, 1, &["y"])).await;
    one(&collection, delete_op("a")).await.unwrap();
    assert_eq!(collection.stats().count, 0);
    assert!(leaves(&collection).await.iter().all(|leaf| leaf.ends_with('!')));
    one(&collection, insert_op(doc! {"_id": "a", "n": 9}))
        .await
        .unwrap();
    let seen = leaves(&collection).await;
    assert!(
        seen[0].starts_with("3-") && seen[0].ends_with("=Int32(9)"),
        "{seen:?}"
    );
}

#[tokio::test]
async fn a_purged_leaf_was_never_there() {
    let (_store, collection) = new_collection().await;
    written(&collection, given(doc! {"_id": "a", "n": 1}, 1, &["x"])).await;
    written(&collection, given(doc! {"_id": "a", "n": 2}, 2, &["y", "x"])).await;
    written(&collection, given(doc! {"_id": "a", "n": 3}, 2, &["z", "x"])).await;
    let purge = |revisions: &[&str]| WriteOp::Purge {
        id: Value::from("a"),
        revisions: revisions.iter().map(|text| revision(text)).collect(),
    };
    one(&collection, purge(&["2-z", "1-x"])).await.unwrap();
    assert_eq!(leaves(&collection).await, ["2-y=Int32(2)"]);
    one(&collection, purge(&["2-y"])).await.unwrap();
    let snapshot = collection.snapshot().await.unwrap();
    assert!(
        snapshot
            .history(Value::from("a").as_ref())
            .await
            .unwrap()
            .is_none()
    );
    assert!(collection.changes(&Sequence::START, 9).await.unwrap().is_empty());
    let newest = snapshot.newest_purges(1).await.unwrap();
    let all = snapshot.purges(&Sequence::START, &snapshot.head()).await.unwrap();
    assert_eq!(newest[..], all[1..]);
    let wholes: Vec<bool> = all.iter().map(|purge| purge.is_whole).collect();
    assert_eq!(wholes, [false, true]);
    assert_eq!(
        (&all[0].id, &all[0].revisions[..]),
        (&Value::from("a"), &[revision("2-z")][..])
    );
    assert_eq!(all[1].sequence, snapshot.head());
    assert!(
        snapshot
            .purges(&all[1].sequence, &Sequence::END)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn branches_are_cut_to_the_revisions_that_are_kept() {
    let (store, collection) = new_collection().await;
    let kept = async |kept: i64| {
        let namespace = crate::support::ns();
        let modified = store.modify(&namespace, move |options| {
            options.properties.set("revisionsKept", kept);
            Ok(())
        });
        modified.await.unwrap();
    };
    kept(30).await;
    one(&collection, insert_op(doc! {"_id": "a", "n": 0}))
        .await
        .unwrap();
    for n in 1..100 {
        one(&collection, put_op("a", doc! {"_id": "a", "n": n}))
            .await
            .unwrap();
    }
    let long = history(&collection).await;
    assert_eq!(long.tree.path(long.winner).count(), 30);
    kept(1).await;
    for n in 100..103 {
        one(&collection, put_op("a", doc! {"_id": "a", "n": n}))
            .await
            .unwrap();
    }
    let short = history(&collection).await;
    assert_eq!(short.tree.nodes()[short.winner].revision.generation, 103);
    assert!(short.tree.path(short.winner).count() <= 2);
}

#[tokio::test]
async fn a_local_document_is_in_no_log() {
    let (_store, collection) = new_collection().await;
    let put = |document: Option<Document>| WriteOp::Local {
        name: "checkpoint".to_owned(),
        document: document.map(|document| DocumentBuf::from(&document)),
    };
    one(&collection, put(Some(doc! {"n": 1}))).await.unwrap();
    let read = async || {
        collection
            .snapshot()
            .await
            .unwrap()
            .local("checkpoint")
            .await
            .unwrap()
    };
    assert_eq!(read().await.unwrap().to_document(), doc! {"n": 1});
    assert!(collection.changes(&Sequence::START, 9).await.unwrap().is_empty());
    one(&collection, put(None)).await.unwrap();
    assert!(read().await.is_none());
}

#[tokio::test]
async fn superseded_bodies_are_kept_until_they_are_compacted() {
    let (_store, collection) = new_collection().await;
    let first = written(
        &collection,
        edit(doc! {"_id": "a", "n": 0}, EditOrigin::After(None)),
    )
    .await;
    let mut last = first.clone();
    for n in 1..15 {
        let next = edit(doc! {"_id": "a", "n": n}, EditOrigin::After(Some(last.clone())));
        last = written(&collection, next).await;
    }
    let kept = async || {
        let history = history(&collection).await;
        let snapshot = collection.snapshot().await.unwrap();
        let mut kept = 0;
        for at in history.tree.path(history.winner) {
            kept += usize::from(snapshot.body(&history, at).await.unwrap().is_some());
        }
        kept
    };
    assert_eq!(kept().await, store::SUPERSEDED_BODIES_MAX + 1);
    one(&collection, WriteOp::ForgetSuperseded(Value::from("a")))
        .await
        .unwrap();
    assert_eq!(kept().await, 1);
    assert_eq!(leaves(&collection).await, [format!("{last}=Int32(14)")]);
}

/// The revisions are added to the tree together: if each walked through the earlier ones, this would take many times as long.
#[tokio::test]
async fn many_conflicts_of_one_document_are_written_in_one_request() {
    const CONFLICTS: usize = 20_000;
    let (_store, collection) = new_collection().await;
    let conflict = |n: usize| given(doc! {"_id": "a", "n": n as i32}, 2, &[&format!("{n:032x}"), "0a"]);
    let began = Instant::now();
    let outcomes = run(&collection, (0..CONFLICTS).map(conflict).collect()).await;
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Outcome::Edited { .. }))
    );
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
    let shown = leaves(&collection).await;
    assert_eq!(shown.len(), CONFLICTS);
    assert_eq!(
        shown[0],
        format!("2-{:032x}=Int32({})", CONFLICTS - 1, CONFLICTS - 1)
    );
    assert_eq!(shown[CONFLICTS - 1], format!("2-{:032x}=Int32(0)", 0));
}

#[tokio::test]
async fn branches_of_one_long_trunk_are_cut_each_to_its_length() {
    let (store, collection) = new_collection().await;
    let namespace = crate::support::ns();
    let modified = store.modify(&namespace, |options| {
        options.properties.set("revisionsKept", 4_i64);
        Ok(())
    });
    modified.await.unwrap();
    // A trunk 1-a … 6-f, and a branch that leaves it at 3-c.
    let trunk = ["f0", "e0", "d0", "c0", "b0", "a0"];
    written(&collection, given(doc! {"_id": "a", "n": 6}, 6, &trunk)).await;
    written(
        &collection,
        given(doc! {"_id": "a", "n": 4}, 4, &["d1", "c0", "b0", "a0"]),
    )
    .await;
    let history = history(&collection).await;
    let lengths = |leaf: usize| history.tree.path(leaf).count();
    let lengths: Vec<usize> = history.tree.leaves().into_iter().map(lengths).collect();
    // What the shorter branch keeps of the trunk, the longer one has as well.
    assert_eq!(lengths[1], 4);
    assert!(lengths[0] >= 4);
}

/// Adding revisions in one commit has the same result as adding them one by one.
#[tokio::test]
async fn revisions_from_elsewhere_come_to_the_same_in_one_commit() {
    let made = || {
        vec![
            given(doc! {"_id": "a", "n": 1}, 1, &["aa"]),
            given(doc! {"_id": "a", "n": 2}, 2, &["bb", "aa"]),
            given(doc! {"_id": "a", "n": 3}, 2, &["cc", "aa"]),
            given(doc! {"_id": "a", "n": 3}, 2, &["cc", "aa"]),
            given(doc! {"_id": "a", "n": 4, "deleted": true}, 3, &["dd", "cc", "aa"]),
            given(doc! {"_id": "a", "n": 5}, 4, &["ee", "ff"]),
        ]
    };
    let (_store, together) = new_collection().await;
    run(&together, made()).await;
    let (_other, apart) = new_collection().await;
    for operation in made() {
        written(&apart, operation).await;
    }
    assert_eq!(leaves(&together).await, leaves(&apart).await);
    assert_eq!(history(&together).await.tree, history(&apart).await.tree);
}

#[tokio::test]
async fn a_refused_revision_among_others_refuses_itself_alone() {
    let (_store, collection) = new_collection().await;
    let good = |n: i32, hash: &str| given(doc! {"_id": "a", "n": n}, 1, &[hash]);
    let large = || "x".repeat(17 * 1024 * 1024);
    let bad = given(doc! {"_id": "a", "n": large()}, 1, &["bb"]);
    let outcomes = run(
        &collection,
        vec![good(1, "aa"), good(2, "ab"), bad, good(3, "cc")],
    )
    .await;
    // An ordered commit stops after a refused edit.
    assert!(matches!(
        outcomes[..],
        [
            Outcome::Edited { .. },
            Outcome::Edited { .. },
            Outcome::Failed(_),
            Outcome::Skipped
        ]
    ));
    assert_eq!(leaves(&collection).await.len(), 2);
}

#[tokio::test]
async fn a_document_that_is_begun_with_notes_has_the_given_hash_and_its_terms_alone() {
    let (_store, collection) = new_collection().await;
    let resolve = |leaves: Vec<Revision>, n: i32, hash: &str, term: &str| {
        let document = DocumentBuf::from(&doc! {"_id": "a", "n": n});
        let notes = Notes {
            content: DocumentBuf::from(&doc! {"n": n}),
            terms: vec![("t".to_owned(), Value::from(term))],
        };
        WriteOp::Resolve(Resolve {
            id: Value::from("a"),
            ended: leaves.clone(),
            leaves,
            document: Some((document, RevisionHash::parse(hash))),
            notes: Some(notes),
        })
    };
    let (first, second) = ("9".repeat(32), "8".repeat(32));
    let begun = written(&collection, resolve(Vec::new(), 1, &first, "x")).await;
    assert_eq!(begun, revision(&format!("1-{first}")));
    let again = one(&collection, resolve(Vec::new(), 2, &second, "y")).await;
    assert!(matches!(again, Ok(Outcome::Conflict)));
    let next = written(&collection, resolve(vec![begun.clone()], 2, &second, "y")).await;
    assert_eq!(next, revision(&format!("2-{second}")));
    assert_eq!(leaves(&collection).await, [format!("{next}=Int32(2)")]);
    let terms = |collection: Arc<Collection>| async move {
        let snapshot = collection.snapshot().await.unwrap();
        let all = (Bound::Unbounded, Bound::Unbounded);
        let found = snapshot.terms("t", all, None, PageLimit::default()).await;
        let (found, is_ended) = found.unwrap();
        assert!(is_ended);
        found.into_iter().map(|(term, _)| term).collect::<Vec<_>>()
    };
    assert_eq!(terms(collection.clone()).await, [Value::from("y")]);
    // Within one commit, and after a purge.
    let purge = WriteOp::Purge {
        id: Value::from("a"),
        revisions: vec![next],
    };
    run(&collection, vec![purge, resolve(Vec::new(), 3, &first, "z")]).await;
    assert_eq!(leaves(&collection).await, [format!("{begun}=Int32(3)")]);
    assert_eq!(terms(collection.clone()).await, [Value::from("z")]);
}

#[tokio::test]
async fn integers_stay_as_wide_as_they_were() {
    let (_store, collection) = new_collection().await;
    let wide = |a: i64, b: i64| doc! {"_id": "a", "n": 1, "a": a, "in": {"b": [b, 1.5, {"c": b}], "s": "x"}};
    one(&collection, insert_op(wide(7, 7))).await.unwrap();
    let first = winner(&collection).await;
    let narrow = doc! {"_id": "a", "n": 2, "in": {"b": [8, 9, {"c": 8}], "s": 5}, "a": 9};
    let second = written(&collection, edit(narrow, EditOrigin::After(Some(first)))).await;
    let kept = doc! {"_id": "a", "n": 2, "in": {"b": [8_i64, 9, {"c": 8_i64}], "s": 5}, "a": 9_i64};
    assert_eq!(by_id(&collection, "a").await, Some(kept.clone()));
    assert_eq!(second, winner(&collection).await);
    // The width of an integer does not change the revision, because other stores compute it from JSON.
    let (_other, elsewhere) = new_collection().await;
    one(
        &elsewhere,
        insert_op(doc! {"_id": "a", "n": 1, "a": 7, "in": {"b": [7, 1.5, {"c": 7}], "s": "x"}}),
    )
    .await
    .unwrap();
    let parent = winner(&elsewhere).await;
    assert_eq!(
        written(&elsewhere, edit(kept, EditOrigin::After(Some(parent)))).await,
        second
    );
}
