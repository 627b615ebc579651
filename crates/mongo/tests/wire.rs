//! Messages as clients may send them, right and wrong: none may panic, and wrong ones are refused.

use bytes::Bytes;
use mongo::wire::{Compressor, Header, Message, OpCode, Reply, ReplyForm, WireError};
use value::raw::encode_document;
use value::{Document, doc};

const CHECKSUM_PRESENT: u32 = 1;
const MORE_TO_COME: u32 = 2;

fn message(opcode: i32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&(payload.len() as i32 + 16).to_le_bytes());
    out.extend_from_slice(&7_i32.to_le_bytes());
    out.extend_from_slice(&0_i32.to_le_bytes());
    out.extend_from_slice(&opcode.to_le_bytes());
    out.extend_from_slice(payload);
    out
}

fn body(document: &Document) -> Vec<u8> {
    let mut section = vec![0];
    section.extend_from_slice(&encode_document(document));
    section
}

fn sequence(name: &str, documents: &[Document]) -> Vec<u8> {
    let mut inner = name.as_bytes().to_vec();
    inner.push(0);
    documents
        .iter()
        .for_each(|document| inner.extend_from_slice(&encode_document(document)));
    let mut section = vec![1];
    section.extend_from_slice(&(inner.len() as i32 + 4).to_le_bytes());
    section.extend_from_slice(&inner);
    section
}

fn op_msg(flags: u32, sections: &[Vec<u8>]) -> Vec<u8> {
    let mut payload = flags.to_le_bytes().to_vec();
    sections
        .iter()
        .for_each(|section| payload.extend_from_slice(section));
    message(2013, &payload)
}

fn parse(bytes: &[u8]) -> Result<Message, WireError> {
    let header = Header::parse(bytes.first_chunk().expect("a test message has a header"))?;
    Message::parse(&header, &Bytes::copy_from_slice(bytes), true)
}

fn code_of(bytes: &[u8]) -> Option<i32> {
    match parse(bytes) {
        Err(WireError::Invalid { code, .. }) => Some(code.number()),
        _ => None,
    }
}

fn is_fatal(bytes: &[u8]) -> bool {
    matches!(parse(bytes), Err(WireError::Framing(_)))
}

#[test]
fn a_body_and_its_sequences_are_read() {
    let sections = [
        body(&doc! {"insert": "c", "$db": "d"}),
        sequence("documents", &[doc! {"a": 1}, doc! {"a": 2}]),
    ];
    let parsed = parse(&op_msg(0, &sections)).unwrap();
    assert_eq!(parsed.form, ReplyForm::Msg);
    assert_eq!(
        parsed.request.body.to_document(),
        doc! {"insert": "c", "$db": "d"}
    );
    assert_eq!(parsed.request.sequences.len(), 1);
    assert_eq!(
        parsed.request.sequences[0].documents[1].to_document(),
        doc! {"a": 2}
    );
}

#[test]
fn a_sequence_may_stand_before_the_body() {
    let sections = [sequence("documents", &[]), body(&doc! {"insert": "c"})];
    assert_eq!(
        parse(&op_msg(0, &sections)).unwrap().request.sequences[0].name,
        "documents"
    );
}

#[test]
fn more_to_come_means_no_reply() {
    let parsed = parse(&op_msg(MORE_TO_COME, &[body(&doc! {"insert": "c"})])).unwrap();
    assert_eq!(parsed.form, ReplyForm::None);
}

#[test]
fn a_checksum_is_verified() {
    let mut right = op_msg(CHECKSUM_PRESENT, &[body(&doc! {"ping": 1})]);
    let length = right.len() as i32 + 4;
    right[..4].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32c::crc32c(&right);
    right.extend_from_slice(&checksum.to_le_bytes());
    assert!(parse(&right).is_ok());
    let last = right.len() - 1;
    right[last] ^= 1;
    assert!(is_fatal(&right));
    assert!(is_fatal(&op_msg(CHECKSUM_PRESENT, &[])));
}

#[test]
fn sections_that_contradict_each_other_are_refused() {
    let ping = || body(&doc! {"ping": 1});
    assert_eq!(code_of(&op_msg(0, &[])), Some(40587));
    assert_eq!(code_of(&op_msg(0, &[ping(), ping()])), Some(40430));
    let twice = [ping(), sequence("a", &[]), sequence("a", &[])];
    assert_eq!(code_of(&op_msg(0, &twice)), Some(40431));
    assert_eq!(code_of(&op_msg(0, &[vec![9]])), Some(40432));
    let both = [
        body(&doc! {"insert": "c", "documents": []}),
        sequence("documents", &[]),
    ];
    assert_eq!(code_of(&op_msg(0, &both)), Some(40433));
    let many: Vec<_> = (0..9).map(|n| sequence(&n.to_string(), &[])).collect();
    assert_eq!(code_of(&op_msg(0, &many)), Some(233));
}

#[test]
fn unknown_required_flags_close_the_connection() {
    assert!(is_fatal(&op_msg(1 << 2, &[body(&doc! {"ping": 1})])));
    assert!(parse(&op_msg(1 << 16, &[body(&doc! {"ping": 1})])).is_ok());
}

#[test]
fn lengths_outside_the_limits_are_refused() {
    for length in [i32::MIN, -1, 0, 15, 48_000_001, i32::MAX] {
        let mut bytes = op_msg(0, &[body(&doc! {"ping": 1})]);
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        assert!(Header::parse(bytes.first_chunk().unwrap()).is_err(), "{length}");
    }
}

#[test]
fn other_opcodes_close_the_connection() {
    for opcode in [0, 1, 1000, 2001, 2002, 2005, 2011, -1] {
        assert!(is_fatal(&message(opcode, &[0; 32])), "{opcode}");
    }
}

#[test]
fn an_old_hello_is_read_and_other_old_queries_are_not() {
    let query = |namespace: &str| {
        let mut payload = vec![0; 4];
        payload.extend_from_slice(namespace.as_bytes());
        payload.push(0);
        payload.extend_from_slice(&[0; 8]);
        payload.extend_from_slice(&encode_document(&doc! {"isMaster": 1}));
        message(2004, &payload)
    };
    let parsed = parse(&query("admin.$cmd")).unwrap();
    assert_eq!(parsed.form, ReplyForm::Reply);
    assert!(parsed.request.body.as_raw().get("isMaster").is_some());
    assert_eq!(code_of(&query("shop.orders")), Some(352));
}

#[test]
fn compressed_messages_are_read_and_answered_alike() {
    for compressor in [
        Compressor::Noop,
        Compressor::Snappy,
        Compressor::Zlib,
        Compressor::Zstd,
    ] {
        let plain = op_msg(
            0,
            &[body(
                &doc! {"ping": 1, "text": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
            )],
        );
        let mut payload = Vec::new();
        compressor
            .compress(OpCode::Msg, &plain[16..], &mut payload)
            .unwrap();
        let parsed = parse(&message(2012, &payload)).unwrap();
        assert_eq!(parsed.compressor, Some(compressor));
        let reply = Reply::from(doc! {"ok": 1.0});
        let bytes = reply
            .encode(ReplyForm::Msg, false, parsed.compressor, 1, 7)
            .unwrap();
        let answered = parse(&bytes).unwrap();
        assert_eq!(answered.request.body.to_document(), doc! {"ok": 1.0});
    }
}

#[test]
fn compression_is_refused_where_it_is_not_allowed() {
    let plain = op_msg(0, &[body(&doc! {"ping": 1})]);
    let mut payload = Vec::new();
    Compressor::Zlib
        .compress(OpCode::Msg, &plain[16..], &mut payload)
        .unwrap();
    let bytes = message(2012, &payload);
    let header = Header::parse(bytes.first_chunk().unwrap()).unwrap();
    assert!(Message::parse(&header, &Bytes::from(bytes), false).is_err());
}

#[test]
fn sizes_that_are_lies_are_refused() {
    let plain = op_msg(0, &[body(&doc! {"ping": 1})]);
    for compressor in [
        Compressor::Noop,
        Compressor::Snappy,
        Compressor::Zlib,
        Compressor::Zstd,
    ] {
        for size in [-1, 0, 1, plain.len() as i32, 47_000_000, i32::MAX] {
            let mut payload = Vec::new();
            compressor
                .compress(OpCode::Msg, &plain[16..], &mut payload)
                .unwrap();
            payload[4..8].copy_from_slice(&size.to_le_bytes());
            assert!(is_fatal(&message(2012, &payload)), "{compressor:?} {size}");
        }
    }
    // A snappy stream that claims what it cannot hold.
    let mut payload = 2013_i32.to_le_bytes().to_vec();
    payload.extend_from_slice(&40_000_000_i32.to_le_bytes());
    payload.push(1);
    payload.extend_from_slice(&[0x80, 0xB4, 0x89, 0x13, 0, 0]);
    assert!(is_fatal(&message(2012, &payload)));
}

#[test]
fn a_compressed_message_holds_no_other() {
    let mut payload = 2012_i32.to_le_bytes().to_vec();
    payload.extend_from_slice(&[0, 0, 0, 0, 0]);
    assert!(is_fatal(&message(2012, &payload)));
}

#[test]
fn truncated_messages_are_refused_at_every_length() {
    let sections = [
        body(&doc! {"insert": "c", "$db": "d"}),
        sequence("documents", &[doc! {"a": "text"}]),
    ];
    let whole = op_msg(0, &sections);
    for length in 16..whole.len() {
        let mut cut = whole[..length].to_vec();
        cut[..4].copy_from_slice(&(length as i32).to_le_bytes());
        // Cut between two sections it is a whole message again, only a shorter one.
        if length != 20 + sections[0].len() {
            assert!(parse(&cut).is_err(), "{length}");
        }
    }
}

#[test]
fn flipped_bytes_never_panic() {
    let sections = [
        body(&doc! {"find": "c", "filter": {"a": [1, {"b": 2.5}]}}),
        sequence("x", &[doc! {"a": 1}]),
    ];
    let whole = op_msg(0, &sections);
    for at in 16..whole.len() {
        for value in [0, 1, 0x7F, 0x80, 0xFF] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            let _ = parse(&bytes);
        }
    }
}

#[test]
fn documents_nested_too_deep_are_refused() {
    let mut document = doc! {"a": 1};
    for _ in 0..300 {
        document = doc! {"a": document};
    }
    assert_eq!(code_of(&op_msg(0, &[body(&document)])), Some(15));
}
