//! What must hold for any bytes that a client of the MongoDB protocol may send before it has logged in. Each function
//! gives back whether the bytes were accepted, and panics where something does not hold.

use auth::{Conversation, Decoy, FirstMessage, Mechanism};
use bytes::Bytes;
use mongo::arguments::{Arguments, Generic, ReadConcern, WriteConcern};
use mongo::wire::{Header, MESSAGE_BYTES_MAX, Message, OpCode};

/// A message, header included, is refused or read whole; no reply is larger than what fits a message.
pub fn message(bytes: &[u8]) -> bool {
    parse(bytes).is_some()
}

/// The payload of a compressed message: never unpacked beyond the limit.
pub fn compressed(bytes: &[u8]) -> bool {
    let mut whole = (bytes.len() as u32 + 16).to_le_bytes().to_vec();
    whole.extend_from_slice(&[0; 8]);
    whole.extend_from_slice(&OpCode::Compressed.number().to_le_bytes());
    whole.extend_from_slice(bytes);
    match parse(&whole) {
        Some(message) => {
            assert!(message.compressor.is_some());
            assert!(message.request.body.bytes().len() <= MESSAGE_BYTES_MAX);
            true
        }
        None => false,
    }
}

fn parse(bytes: &[u8]) -> Option<Message> {
    let mut bytes = bytes.to_vec();
    let length = (bytes.len() as u32).to_le_bytes();
    bytes.get_mut(..4)?.copy_from_slice(&length);
    let header = Header::parse(bytes.first_chunk()?).ok()?;
    Message::parse(&header, &Bytes::from(bytes), true).ok()
}

/// A command: the arguments that all commands take, and those that a hello reads before a login.
pub fn command(bytes: &[u8]) -> bool {
    let Some(message) = parse(bytes) else { return false };
    let request = &message.request;
    let arguments = Arguments::new("hello", request);
    let _ = arguments.document("client");
    let _ = arguments.array("compression");
    let _ = arguments.string("saslSupportedMechs");
    let _ = arguments.documents("documents");
    let _ = arguments.finish();
    for document in request
        .body
        .as_raw()
        .iter()
        .filter_map(|(_, value)| value.as_document())
    {
        let _ = WriteConcern::parse(document);
        let _ = ReadConcern::parse(document);
    }
    Generic::parse("hello", request).is_ok()
}

/// A SASL payload as the first message and as the last: nobody logs in without the password.
pub fn sasl(bytes: &[u8]) -> bool {
    let decoy = Decoy::with_secret([1; 32]);
    for mechanism in Mechanism::ALL {
        let credentials = decoy.credentials(mechanism, "admin", "nobody");
        if let Ok(first) = FirstMessage::parse(bytes) {
            let answered = first.challenge(mechanism, credentials.clone());
            let (_, conversation): (_, Conversation) = answered.expect("the system gives random bytes");
            assert!(conversation.finish(bytes).is_err());
        }
        let first = FirstMessage::parse(b"n,,n=nobody,r=x").expect("a first message");
        let (_, conversation) = first
            .challenge(mechanism, credentials)
            .expect("the system gives random bytes");
        assert!(conversation.finish(bytes).is_err());
    }
    FirstMessage::parse(bytes).is_ok()
}
