//! What a job's text is understood as, for tests that try any bytes.

use super::filter::KeyFilter;
use super::inputs::Inputs;
use super::job::Job;

/// What a job says of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyOutline {
    /// Whether its filters want the key.
    pub is_wanted: bool,
    /// Whether the key lies in the range of keys that is read for these filters.
    pub is_read: bool,
}

/// Reads a job, and asks its filters, where it has some, of these keys; `None` where the text is no job.
pub fn outline_job(body: &[u8], keys: &[&str]) -> Option<Vec<KeyOutline>> {
    let job = Job::read(body).ok()?;
    let Inputs::Bucket(_, Some(filter)) = &job.inputs else {
        return Some(Vec::new());
    };
    let of_key = |filter: &KeyFilter, key: &str| KeyOutline {
        is_wanted: filter.matches(key.as_bytes()),
        is_read: filter.range().contains(key.as_bytes()),
    };
    Some(keys.iter().map(|key| of_key(filter, key)).collect())
}
