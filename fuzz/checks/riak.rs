//! What must hold for any bytes given to the parsers of the crate `riak`. Each function gives back whether the bytes were
//! accepted, and panics where something does not hold.

use riak::Clock;
use riak::pb::messages::{DtUpdateReq, IndexReq, PutReq, SetBucketReq};
use riak::pb::wire::Message;

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

/// A clock that is accepted comes back from its own bytes, and has seen its own events.
pub fn clock(bytes: &[u8]) -> bool {
    let Some(clock) = Clock::decode(bytes) else {
        return false;
    };
    assert_eq!(Clock::decode(&clock.encode()).as_ref(), Some(&clock));
    assert!(clock.descends(&clock) && clock.dots().all(|dot| clock.covers(&dot)));
    true
}
