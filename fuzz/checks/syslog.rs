//! What must hold for any bytes that a sender of syslog writes. Gives back whether they are messages, and panics where something does
//! not hold.

use bytes::Bytes;
use logline::{Format, Parser};

/// The messages of a stream are parts of it, and each can be read as a line.
pub fn stream(bytes: &[u8]) -> bool {
    let Some(messages) = syslog::messages(bytes) else {
        return false;
    };
    let length: usize = messages.iter().map(Bytes::len).sum();
    assert!(length <= bytes.len());
    let parser = Parser::new(Format::Syslog);
    for message in messages {
        assert!(message.len() <= syslog::MESSAGE_BYTES_MAX);
        // What has no form of syslog is kept as it is.
        let _ = parser.parse(&String::from_utf8_lossy(&message), 1_700_000_000_000);
    }
    true
}
