//! Every plan must return what a simple model of the query language returns: random documents, indexes and operations, with
//! each index as a hint, with no hint, and with no index.
//!
//! `LARDER_SEED` repeats one seed. `LARDER_DIFFERENTIAL_SECONDS` runs for that time, from a seed that the clock gives. A
//! mismatch is shown with as few documents and indexes as it needs.

mod generate;
mod model;
mod reads;
mod shown;
mod shrink;
mod stand;
mod writes;

use generate::Random;
use generate::documents::documents;
use generate::indexes::indexes;
use generate::operations::{Operation, Reach, Write, operation, write};
use shown::listed;
use stand::{Case, Plan, Stand};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use value::Document;

/// How long the test runs where nothing else is asked.
const SECONDS: u64 = 20;
/// The operations on each collection.
const OPERATIONS: usize = 60;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[tokio::test]
async fn every_plan_gives_what_the_model_gives() {
    if let Some(seed) = testing::seed() {
        return round(seed).await;
    }
    let asked = variable("LARDER_DIFFERENTIAL_SECONDS");
    let clock = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock after 1970");
    let first = asked.map_or(1, |_| clock.as_millis() as u64);
    let end = Instant::now() + Duration::from_secs(asked.unwrap_or(SECONDS));
    let mut seed = first;
    while Instant::now() < end {
        round(seed).await;
        seed += 1;
    }
    println!("{} seeds from {first}", seed - first);
}

/// One collection and the operations on it.
async fn round(seed: u64) {
    let mut random = Random::new(seed);
    let mut case = Case {
        documents: documents(&mut random),
        indexes: indexes(&mut random),
        writes: (0..random.below(3)).map(|_| change(&mut random)).collect(),
        operation: operation(&mut random),
    };
    let stand = match Stand::new(&case).await {
        Ok(stand) => stand,
        Err(failure) => return report(seed, case, failure).await,
    };
    for _ in 0..OPERATIONS {
        case.operation = operation(&mut random);
        if let Err(failure) = check_on(&stand, &case.operation).await {
            report(seed, case.clone(), failure).await;
        }
    }
}

/// A change of all documents that match.
fn change(random: &mut Random) -> Write {
    loop {
        let write = write(random);
        if write.update.is_some() && !write.replaces() {
            return Write {
                reach: Reach::All,
                ..write
            };
        }
    }
}

/// Runs a case from its beginning.
async fn check(case: &Case) -> Result<(), String> {
    let stand = Stand::new(case).await?;
    check_on(&stand, &case.operation).await
}

async fn check_on(stand: &Stand, operation: &Operation) -> Result<(), String> {
    let apart = match operation {
        Operation::Pipeline { filter, stages } => reads::stage_by_stage(stand, filter, stages).await,
        _ => Ok(Vec::new()),
    };
    for plan in Plan::all(&stand.indexes) {
        let outcome = match operation {
            Operation::Find(find) => reads::find(stand, find, &plan).await,
            Operation::Count(find) => reads::count(stand, find, &plan).await,
            Operation::Distinct { field, filter } => reads::distinct(stand, field, filter, &plan).await,
            Operation::Pipeline { filter, stages } => {
                reads::pipeline(stand, filter, stages, &apart, &plan).await
            }
            Operation::Write(write) => writes::write(stand, write, &plan).await,
        };
        outcome.map_err(|failure| format!("{plan:?}: {failure}"))?;
    }
    Ok(())
}

async fn report(seed: u64, case: Case, failure: String) {
    let (case, failure) = shrink::shrink(case, failure).await;
    let writes: Vec<Document> = case.writes.iter().map(Write::described).collect();
    panic!(
        "LARDER_SEED={seed} fails.\ndocuments\n{}indexes\n{}writes\n{}operation\n{}{failure}",
        listed(&case.documents),
        listed(&case.indexes),
        listed(&writes),
        listed(&[case.operation.described()]),
    );
}
