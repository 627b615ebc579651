//! Frames: four bytes of length, big-endian, then a byte that says which message it is, then the message.

use crate::error::RiakError;
use crate::pb::messages::ErrorResp;
use crate::pb::wire::Message;
use bytes::{Buf, Bytes, BytesMut};

/// Which message a frame holds.
#[allow(missing_docs, reason = "the names are Riak's")]
pub mod code {
    pub const ERROR: u8 = 0;
    pub const PING: u8 = 1;
    pub const PING_RESP: u8 = 2;
    pub const GET_CLIENT_ID: u8 = 3;
    pub const GET_CLIENT_ID_RESP: u8 = 4;
    pub const SET_CLIENT_ID: u8 = 5;
    pub const SET_CLIENT_ID_RESP: u8 = 6;
    pub const SERVER_INFO: u8 = 7;
    pub const SERVER_INFO_RESP: u8 = 8;
    pub const GET: u8 = 9;
    pub const GET_RESP: u8 = 10;
    pub const PUT: u8 = 11;
    pub const PUT_RESP: u8 = 12;
    pub const DEL: u8 = 13;
    pub const DEL_RESP: u8 = 14;
    pub const LIST_BUCKETS: u8 = 15;
    pub const LIST_BUCKETS_RESP: u8 = 16;
    pub const LIST_KEYS: u8 = 17;
    pub const LIST_KEYS_RESP: u8 = 18;
    pub const GET_BUCKET: u8 = 19;
    pub const GET_BUCKET_RESP: u8 = 20;
    pub const SET_BUCKET: u8 = 21;
    pub const SET_BUCKET_RESP: u8 = 22;
    pub const MAP_RED: u8 = 23;
    pub const MAP_RED_RESP: u8 = 24;
    pub const INDEX: u8 = 25;
    pub const INDEX_RESP: u8 = 26;
    pub const INDEX_BODY_RESP: u8 = 42;
    pub const RESET_BUCKET: u8 = 29;
    pub const RESET_BUCKET_RESP: u8 = 30;
    pub const GET_TYPE: u8 = 31;
    pub const SET_TYPE: u8 = 32;
    pub const PREFLIST: u8 = 33;
    pub const PREFLIST_RESP: u8 = 34;
    pub const COUNTER_UPDATE: u8 = 50;
    pub const COUNTER_UPDATE_RESP: u8 = 51;
    pub const COUNTER_GET: u8 = 52;
    pub const COUNTER_GET_RESP: u8 = 53;
    pub const DT_FETCH: u8 = 80;
    pub const DT_FETCH_RESP: u8 = 81;
    pub const DT_UPDATE: u8 = 82;
    pub const DT_UPDATE_RESP: u8 = 83;
    pub const AUTH: u8 = 253;
    pub const AUTH_RESP: u8 = 254;
    pub const START_TLS: u8 = 255;
}

/// The bytes of the length.
pub(crate) const LENGTH_BYTES: usize = 4;

/// Why bytes are no frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A frame has a code at least.
    #[error("a frame without a message code")]
    Empty,
    /// More than is taken.
    #[error("a message of {0} bytes, where at most {1} are taken")]
    TooLarge(usize, usize),
}

/// The next frame's bytes with its length, if its length is there; checked against the limit.
pub fn wanted(buffer: &[u8], limit: usize) -> Result<Option<usize>, FrameError> {
    let Some(length) = buffer.first_chunk::<LENGTH_BYTES>() else {
        return Ok(None);
    };
    match u32::from_be_bytes(*length) as usize {
        0 => Err(FrameError::Empty),
        length if length > limit => Err(FrameError::TooLarge(length, limit)),
        length => Ok(Some(LENGTH_BYTES + length)),
    }
}

/// Takes a frame off the buffer, which holds all of it.
pub fn take(buffer: &mut BytesMut, bytes: usize) -> (u8, Bytes) {
    let mut frame = buffer.split_to(bytes).freeze();
    frame.advance(LENGTH_BYTES);
    let code = frame.get_u8();
    (code, frame)
}

/// Appends a frame.
pub fn put(out: &mut Vec<u8>, code: u8, message: &impl Message) {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    out.push(code);
    message.encode(out);
    let length = (out.len() - start - LENGTH_BYTES) as u32;
    out[start..start + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
}

/// Appends a frame without a message.
pub fn put_empty(out: &mut Vec<u8>, code: u8) {
    out.extend_from_slice(&[0, 0, 0, 1, code]);
}

pub(crate) fn put_error(out: &mut Vec<u8>, error: &RiakError) {
    let message = ErrorResp {
        errmsg: error.message.clone().into_bytes(),
        errcode: 0,
    };
    put(out, code::ERROR, &message);
}
