//! From the spool to the sender, for as long as there is something.

use super::Shared;
use crate::config::Server;
use crate::send::Sender;
use std::sync::Arc;
use std::time::Duration;

/// The pause after the spool could not be read.
const RETRY_TIME: Duration = Duration::from_secs(5);

/// Sends what is flushed; ends when nothing more comes and all is sent.
pub async fn run(shared: Arc<Shared>, mut sender: Sender, server: Server) {
    let mut complete = shared.is_complete.subscribe();
    loop {
        // Read before the spool is, so that what is flushed in between is not missed.
        let is_complete = *complete.borrow_and_update();
        let next = shared
            .spool()
            .outgoing(server.batch_records, server.batch_bytes.0 as usize);
        match next {
            Ok(Some(outgoing)) => {
                sender.deliver(outgoing.records).await;
                shared.spool().acknowledge(outgoing.end);
                shared.room.notify_one();
            }
            Ok(None) if is_complete => return,
            Ok(None) => {
                tokio::select! {
                    () = shared.flushed.notified() => {}
                    _ = complete.changed() => {}
                }
            }
            Err(error) => {
                tracing::error!("the spool cannot be read: {error}");
                tokio::time::sleep(RETRY_TIME).await;
            }
        }
    }
}
