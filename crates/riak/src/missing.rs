//! What Riak answers and this server does not: its name, so that a client is told more than that something is unknown.

/// Solr's searches.
const SEARCHES: &str = "a search by Solr (search buckets by Elasticsearch's protocol)";
/// The folds over the trees by which clusters compare themselves (`aae_fold`).
const FOLDS: &str = "a fold over the trees of active anti-entropy";
/// Copying to another cluster.
const QUEUES: &str = "a queue of the replication between clusters";

/// What a message of this code asks for.
pub(crate) fn of_message(code: u8) -> Option<&'static str> {
    Some(match code {
        27 | 54 | 56..=58 | 60 => SEARCHES,
        40 => "a fold over the objects of a bucket (RpbCSBucketReq)",
        70 => "a coverage plan",
        90 | 92 | 94 | 96 | 98 | 100 | 104 => "a time series of Riak TS",
        128 | 129 | 200 | 202 | 204 | 206 => QUEUES,
        210..=219 | 223 | 230 | 231 => FOLDS,
        _ => return None,
    })
}

/// What a path that begins so asks for.
pub(crate) fn of_path(first: &[u8]) -> Option<&'static str> {
    Some(match first {
        b"search" | b"solr" => SEARCHES,
        b"cachedtrees" | b"rangetrees" | b"rangerepl" | b"rangerepair" | b"siblings" | b"objectsizes"
        | b"objectstats" | b"tombs" | b"reap" | b"erase" | b"aaebucketlist" => FOLDS,
        b"queuename" | b"membership_request" => QUEUES,
        _ => return None,
    })
}
