//! Memory for decoded long commands: a filter, a pipeline or an update takes several times the bytes of its message from when it is
//! parsed until it has been carried out. So few of them are decoded at a time.

use crate::error::{CommandError, Result};
use crate::wire::Request;
use code::Code;
use engine::Context;
use memory::{Holder, Share, WAIT_MAX};

/// Shorter commands take what they need without being counted.
const LONG_BYTES_MIN: usize = 1024 * 1024;
/// How many times its bytes a decoded command takes: names are strings of their own, and each value takes 32 bytes and more.
const TIMES: usize = 8;

/// Waits until there is room to decode a command; `None` where it is short. Documents that are inserted stay as they came.
pub(crate) async fn room(command: &str, request: &Request, context: &Context) -> Result<Option<Share>> {
    let bytes = decoded_bytes(command, request);
    if bytes < LONG_BYTES_MIN {
        return Ok(None);
    }
    let limit = context.time_left().map_or(WAIT_MAX, |left| left.min(WAIT_MAX));
    let mut share = context.memory.share(Holder::Commands);
    // A command that is killed, or whose client has gone, stops waiting and leaves the memory to others.
    let waited = context.run(async {
        let waited = share.wait(expected_bytes(command, request), limit).await;
        waited.map_err(|full| CommandError::new(Code::EXCEEDED_MEMORY_LIMIT, full.to_string()))
    });
    waited.await?;
    Ok(Some(share))
}

/// About the bytes of memory that a command takes once it is decoded.
pub(crate) fn expected_bytes(command: &str, request: &Request) -> usize {
    decoded_bytes(command, request).saturating_mul(TIMES)
}

/// The bytes of a command that are decoded.
fn decoded_bytes(command: &str, request: &Request) -> usize {
    if command == "insert" {
        return 0;
    }
    let beside = request.sequences.iter().flat_map(|sequence| &sequence.documents);
    let beside: usize = beside.map(|document| document.bytes().len()).sum();
    request.body.bytes().len() + beside
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory::Budget;
    use value::{Document, DocumentBuf, doc};

    fn request(body: &Document) -> Request {
        Request {
            body: DocumentBuf::from(body),
            sequences: Vec::new(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn long_commands_are_decoded_one_after_another() {
        let mut context = Context::default();
        context.memory = Budget::new(64 * 1024 * 1024);
        let long = request(&doc! {"find": "c", "filter": {"x": "x".repeat(4 * 1024 * 1024)}});
        let short = request(&doc! {"find": "c"});
        let first = room("find", &long, &context).await.unwrap();
        assert!(first.is_some());
        let refused = room("aggregate", &long, &context).await.unwrap_err();
        assert_eq!(refused.code, Code::EXCEEDED_MEMORY_LIMIT);
        assert!(room("find", &short, &context).await.unwrap().is_none());
        assert!(room("insert", &long, &context).await.unwrap().is_none());
        let mut killed = Context::default();
        killed.memory = context.memory.clone();
        killed.kill(Code::INTERRUPTED);
        let ended = room("aggregate", &long, &killed).await.unwrap_err();
        assert_eq!(ended.code, Code::INTERRUPTED);
        drop(first);
        assert!(room("aggregate", &long, &context).await.unwrap().is_some());
    }
}
