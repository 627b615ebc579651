//! Makes a failing case smaller: fewer documents, indexes and writes that still fail.

use crate::check;
use crate::stand::Case;

/// The smallest case that still fails, and how it does.
pub async fn shrink(case: Case, failure: String) -> (Case, String) {
    let mut smallest = (case, failure);
    loop {
        let documents = smallest.0.documents.len();
        // Halves first, then smaller parts.
        let parts = [2, 4, 8, documents];
        let mut candidates: Vec<Case> = Vec::new();
        for part in parts
            .iter()
            .map(|parts| documents.div_ceil((*parts).max(1)).max(1))
        {
            for start in (0..documents).step_by(part) {
                let mut smaller = smallest.0.clone();
                smaller.documents.drain(start..(start + part).min(documents));
                candidates.push(smaller);
            }
        }
        for at in 0..smallest.0.indexes.len() {
            let mut smaller = smallest.0.clone();
            smaller.indexes.remove(at);
            candidates.push(smaller);
        }
        for at in 0..smallest.0.writes.len() {
            let mut smaller = smallest.0.clone();
            smaller.writes.remove(at);
            candidates.push(smaller);
        }
        let mut found = None;
        for candidate in candidates {
            if let Err(failure) = check(&candidate).await {
                found = Some((candidate, failure));
                break;
            }
        }
        match found {
            Some(smaller) => smallest = smaller,
            None => return smallest,
        }
    }
}
