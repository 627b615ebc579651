//! Messages and frames of arbitrary bytes.

use bytes::{Bytes, BytesMut};
use proptest::prelude::*;
use riak::pb::frame::{self, FrameError};
use riak::pb::messages::{Content, Link, Pair, PutReq};
use riak::pb::wire::{Message, WireError};

#[test]
fn a_message_comes_back_from_its_bytes() {
    let pair = Pair {
        key: b"field_bin".to_vec(),
        value: Some(b"term".to_vec()),
    };
    let link = Link {
        bucket: Some(b"b".to_vec()),
        key: Some(b"k".to_vec()),
        tag: None,
    };
    let message = PutReq {
        bucket: b"readings".to_vec(),
        key: Some(b"k".to_vec()),
        content: Content {
            value: Bytes::from_static(b"{}"),
            content_type: Some(b"application/json".to_vec()),
            links: vec![link.clone(), link],
            indexes: vec![pair],
            ..Content::default()
        },
        w: Some(u32::MAX - 1),
        return_body: Some(true),
        ..PutReq::default()
    };
    let mut bytes = Vec::new();
    message.encode(&mut bytes);
    assert_eq!(PutReq::decode(&bytes), Ok(message));
    assert_eq!(PutReq::decode(&bytes[..bytes.len() - 1]), Err(WireError::CutOff));
}

#[test]
fn unknown_fields_are_skipped_and_wrong_ones_named() {
    // Field 60: a varint, then one of eight bytes.
    let unknown = [0xE0, 0x03, 0x05, 0xE1, 0x03, 1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!(Pair::decode(&unknown), Ok(Pair::default()));
    assert_eq!(Pair::decode(&[0x08, 0x01]), Err(WireError::WrongType));
    assert_eq!(Pair::decode(&[0x0B]), Err(WireError::WrongType));
}

#[test]
fn a_frame_has_a_length_that_is_taken() {
    assert_eq!(frame::wanted(&[0, 0, 0], 100), Ok(None));
    assert_eq!(frame::wanted(&[0, 0, 0, 0], 100), Err(FrameError::Empty));
    assert_eq!(
        frame::wanted(&[0, 0, 0, 101], 100),
        Err(FrameError::TooLarge(101, 100))
    );
    let mut out = Vec::new();
    frame::put_empty(&mut out, 1);
    let wanted = frame::wanted(&out, 100).unwrap().unwrap();
    assert_eq!(
        frame::take(&mut BytesMut::from(&out[..]), wanted),
        (1, Bytes::new())
    );
}

proptest! {
    #[test]
    fn any_bytes_are_a_message_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(message) = PutReq::decode(&bytes) {
            let mut again = Vec::new();
            message.encode(&mut again);
            prop_assert_eq!(PutReq::decode(&again), Ok(message));
        }
    }
}
