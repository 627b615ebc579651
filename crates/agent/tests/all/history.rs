//! Random histories of a spool: appends, flushes, deliveries with and without an acknowledgement, crashes.

use crate::spooled::{batch, flush, open, segments};
use agent::spool::Batch;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};

#[derive(Clone, Debug)]
enum Step {
    Append(usize),
    Flush,
    /// Sends a batch; its answer may be lost.
    Send {
        is_answered: bool,
    },
    /// A kill: unflushed bytes at the end may be lost, and so may the note of what was sent.
    Crash {
        lost: usize,
        forgets: bool,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..5_usize).prop_map(Step::Append),
        2 => Just(Step::Flush),
        3 => any::<bool>().prop_map(|is_answered| Step::Send { is_answered }),
        1 => (0..200_usize, any::<bool>()).prop_map(|(lost, forgets)| Step::Crash { lost, forgets }),
    ]
}

/// Records whose text is their position in the source; a segment holds several of them.
fn records(from: u64, count: usize) -> Batch {
    let mut batch = batch("", from + count as u64);
    batch.records = (from..)
        .take(count)
        .map(|at| format!("{at:>9000}").into_bytes().into())
        .collect();
    batch
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    /// A source continues where the spool says, and the server keeps the first record of each id. In the end the server has every
    /// record once.
    #[test]
    fn each_record_arrives_once(steps in proptest::collection::vec(step(), 1..60)) {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = open(folder.path());
        let mut durable = (segments(folder.path()).pop().unwrap(), spool.bytes());
        let mut position = 0;
        let mut server: BTreeMap<(u64, u64), Vec<u8>> = BTreeMap::new();
        let finish = [Step::Append(3), Step::Flush].into_iter().chain(vec![Step::Send { is_answered: true }; 400]);
        for step in steps.into_iter().chain(finish) {
            match step {
                Step::Append(count) => {
                    spool.append(&records(position, count)).unwrap();
                    position += count as u64;
                }
                Step::Flush => {
                    flush(&mut spool);
                    let newest = segments(folder.path()).pop().unwrap();
                    let bytes = newest.metadata().unwrap().len();
                    durable = (newest, bytes);
                }
                Step::Send { is_answered } => {
                    if let Some(outgoing) = spool.outgoing(7, 1 << 20).unwrap() {
                        for record in outgoing.records {
                            server.entry((record.epoch, record.number)).or_insert(record.document.to_vec());
                        }
                        if is_answered {
                            spool.acknowledge(outgoing.end);
                        }
                    }
                }
                Step::Crash { lost, forgets } => {
                    drop(spool);
                    let newest = segments(folder.path()).pop().unwrap();
                    let bytes = newest.metadata().unwrap().len();
                    let kept = if newest == durable.0 { durable.1 } else { bytes };
                    let file = std::fs::OpenOptions::new().write(true).open(&newest).unwrap();
                    file.set_len(bytes.saturating_sub(lost as u64).max(kept)).unwrap();
                    if forgets {
                        let _ = std::fs::remove_file(folder.path().join("sent"));
                    }
                    spool = open(folder.path());
                    let newest = segments(folder.path()).pop().unwrap();
                    durable = (newest.clone(), newest.metadata().unwrap().len());
                    position = spool.positions().get("file").map_or(0, |text| text.parse().unwrap());
                }
            }
        }
        prop_assert_eq!(spool.waiting(), 0);
        let texts: Vec<u64> = server.values().map(|text| std::str::from_utf8(text).unwrap().trim().parse().unwrap()).collect();
        let distinct: HashSet<u64> = texts.iter().copied().collect();
        prop_assert_eq!(distinct.len() as u64, position);
        prop_assert_eq!(texts.len(), distinct.len());
        prop_assert!(texts.is_sorted(), "ids sort as records came");
    }
}
