//! What the simulated engine loses and keeps in a crash, and how failures stop it.
use crate::common::*;
use kv::{CommitError, Durability, Error, Kv, Simulation};

async fn commit_soon(kv: &Kv, sequence: u64) {
    let name = format!("{sequence:03}");
    let batch = puts([(name.as_str(), "1"), ("newest", name.as_str())]);
    kv.commit(SHARD, sequence - 1, head(sequence), batch, Durability::Soon)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_crash_loses_only_the_newest_unflushed_commits_and_no_half_of_one() {
    let mut kept_counts = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let simulation = Simulation::new(seed);
        let kv = Kv::simulated(&simulation);
        for sequence in 1..=5 {
            commit_soon(&kv, sequence).await;
        }
        kv.flush().await.unwrap();
        for sequence in 6..=10 {
            commit_soon(&kv, sequence).await;
        }
        simulation.crash();
        assert!(matches!(kv.head(SHARD).await, Err(Error::Closed)));

        let kv = Kv::simulated(&simulation);
        let kept = kv.head(SHARD).await.unwrap().sequence;
        assert!((5..=10).contains(&kept));
        let mut expected: Vec<String> = (1..=kept).map(|sequence| format!("{sequence:03}")).collect();
        assert_eq!(get(&kv, SHARD, "newest").await.as_ref(), expected.last());
        expected.push("newest".into());
        assert_eq!(names(&kv, SHARD).await, expected);
        kept_counts.insert(kept);
    }
    assert_eq!(kept_counts.len(), 6, "every outcome occurs: {kept_counts:?}");
}

#[tokio::test]
async fn the_same_seed_crashes_the_same_way() {
    let mut outcomes = Vec::new();
    for _ in 0..2 {
        let simulation = Simulation::new(42);
        let kv = Kv::simulated(&simulation);
        for sequence in 1..=50 {
            commit_soon(&kv, sequence).await;
        }
        simulation.crash();
        outcomes.push(Kv::simulated(&simulation).head(SHARD).await.unwrap());
    }
    assert_eq!(outcomes[0], outcomes[1]);
}

#[tokio::test]
async fn a_crash_at_any_step_keeps_what_was_acknowledged() {
    for step in 1..=20 {
        let simulation = Simulation::new(step);
        simulation.crash_at_step(step);
        let kv = Kv::simulated(&simulation);
        let mut acknowledged = 0;
        while commit(&kv, SHARD, puts([("a", "1")])).await.is_ok() {
            acknowledged += 1;
        }
        assert_eq!(acknowledged, (step - 1) / 2, "a flushed commit takes two steps");
        assert_eq!(simulation.steps(), step);
        let kept = Kv::simulated(&simulation).head(SHARD).await.unwrap().sequence;
        assert!(kept == acknowledged || kept == acknowledged + 1);
    }
}

#[tokio::test]
async fn after_a_failed_write_or_flush_nothing_is_written_until_a_restart() {
    for fail in [Simulation::fail_next_write, Simulation::fail_next_flush] {
        let simulation = Simulation::new(3);
        let kv = Kv::simulated(&simulation);
        commit(&kv, SHARD, puts([("a", "1")])).await.unwrap();
        fail(&simulation);
        for _ in 0..2 {
            let refused = commit(&kv, SHARD, puts([("b", "1")])).await;
            assert!(matches!(
                refused,
                Err(CommitError::Engine(Error::Poisoned { .. }))
            ));
        }
        assert!(matches!(kv.flush().await, Err(Error::Poisoned { .. })));
        assert_eq!(get(&kv, SHARD, "a").await.as_deref(), Some("1"), "reads go on");
        assert_eq!(
            get(&kv, SHARD, "b").await,
            None,
            "nobody knows whether it is on the disk"
        );
        assert_eq!(kv.head(SHARD).await.unwrap().sequence, 1);
        assert!(matches!(kv.close().await, Err(Error::Poisoned { .. })));

        let kv = Kv::simulated(&simulation);
        commit(&kv, SHARD, puts([("c", "1")])).await.unwrap();
        assert_eq!(get(&kv, SHARD, "c").await.as_deref(), Some("1"));
    }
}

#[tokio::test]
async fn no_crash_takes_back_what_a_durable_moment_shows() {
    for seed in 0..50 {
        let simulation = Simulation::new(seed);
        let kv = Kv::simulated(&simulation);
        for sequence in 1..=3 {
            commit_soon(&kv, sequence).await;
        }
        let moment = kv.durable_moment().await.unwrap();
        let shown = moment.snapshot(SHARD).await.unwrap().head().await.unwrap();
        assert_eq!(shown.sequence, 3);
        commit_soon(&kv, 4).await;
        simulation.crash();
        let kept = Kv::simulated(&simulation).head(SHARD).await.unwrap();
        assert!(kept.sequence >= shown.sequence, "{kept:?}");
    }
}

#[tokio::test]
async fn after_a_failed_flush_the_durable_moment_is_the_last_that_was_flushed() {
    let simulation = Simulation::new(1);
    let kv = Kv::simulated(&simulation);
    commit_soon(&kv, 1).await;
    kv.flush().await.unwrap();
    commit_soon(&kv, 2).await;
    simulation.fail_next_flush();
    for _ in 0..2 {
        let moment = kv.durable_moment().await.unwrap();
        let shown = moment.snapshot(SHARD).await.unwrap().head().await.unwrap();
        assert_eq!(shown.sequence, 1);
    }
}
