//! What must hold for any bytes given to the parsers of the crate `riak`. Each function gives back whether the bytes were
//! accepted, and panics where something does not hold.

use riak::pb::messages::{DtUpdateReq, IndexReq, PutReq, SetBucketReq};
use riak::pb::wire::Message;
use riak::{Clock, outline_job};

/// A message that is accepted comes back from its own bytes. The first byte says which it is.
pub fn message(bytes: &[u8]) -> bool {
    let Some((code, rest)) = bytes.split_first() else {
        return false;
    };
    match code {
        11 => comes_back::<PutReq>(rest),
        21 => comes_back::<SetBucketReq>(rest),
        25 => comes_back::<IndexReq>(rest),
        82 => comes_back::<DtUpdateReq>(rest),
        _ => false,
    }
}

fn comes_back<M: Message + PartialEq + std::fmt::Debug>(bytes: &[u8]) -> bool {
    let Ok(message) = M::decode(bytes) else {
        return false;
    };
    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(M::decode(&again).as_ref(), Ok(&message));
    true
}

/// A job that is accepted reads every key that its filters want. The keys are what lies between quotation marks, which are those that
/// its filters name, and some beside them.
pub fn job(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut keys: Vec<String> = text.split('"').take(50).map(str::to_owned).collect();
    keys.extend(["", "a", "K-7", "2024-12-31", "\u{10ffff}", "%41+b"].map(str::to_owned));
    let behind: Vec<String> = keys.iter().map(|key| format!("{key}0")).collect();
    let keys: Vec<&str> = keys.iter().chain(&behind).map(String::as_str).collect();
    let Some(outlines) = outline_job(bytes, &keys) else {
        return false;
    };
    for (key, outline) in keys.iter().zip(outlines) {
        assert!(
            outline.is_read || !outline.is_wanted,
            "{key:?} is wanted and not read"
        );
    }
    true
}

/// A clock that is accepted comes back from its own bytes, and has seen its own events.
pub fn clock(bytes: &[u8]) -> bool {
    let Some(clock) = Clock::decode(bytes) else {
        return false;
    };
    assert_eq!(Clock::decode(&clock.encode()).as_ref(), Some(&clock));
    assert!(clock.descends(&clock) && clock.dots().all(|dot| clock.covers(&dot)));
    true
}
