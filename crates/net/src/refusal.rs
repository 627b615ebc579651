//! Turning connections away when all places are taken: the client is told, if its protocol has words for it.

use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Clients that are told at once that there is no room; further ones are closed without a word.
const TOLD_AT_ONCE_MAX: usize = 16;

/// How long a client may take to read that there is no room.
const TELLING_TIME_MAX: Duration = Duration::from_secs(1);

/// What is said to those who are turned away.
#[derive(Debug)]
pub(crate) struct Refusal {
    words: &'static [u8],
    places: Arc<Semaphore>,
}

impl Refusal {
    pub(crate) fn new(words: &'static [u8]) -> Refusal {
        Refusal {
            words,
            places: Arc::new(Semaphore::new(TOLD_AT_ONCE_MAX)),
        }
    }

    /// What tells this client; `None` if its connection is closed at once.
    pub(crate) fn tell(&self, stream: TcpStream) -> Option<impl Future<Output = ()> + Send + 'static> {
        let place = self.places.clone().try_acquire_owned().ok();
        let place = place.filter(|_| !self.words.is_empty())?;
        Some(tell(stream, self.words, place))
    }
}

async fn tell(mut stream: TcpStream, words: &'static [u8], _place: OwnedSemaphorePermit) {
    let told = async {
        stream.write_all(words).await?;
        stream.shutdown().await?;
        // If a socket is closed while bytes are unread, its client loses the last answer.
        while stream.read(&mut [0; 1024]).await? > 0 {}
        io::Result::Ok(())
    };
    // A client that does not wait for it has been turned away all the same.
    let _ = timeout(TELLING_TIME_MAX, told).await;
}
