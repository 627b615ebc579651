//! A connection to a server as a client: OP_MSG one request after the other, with a SCRAM-SHA-256 login.

use super::Refused;
use super::uri::{ServerUri, Tls};
use anyhow::{Context, Result, bail};
use auth::ClientLogin;
use engine::Namespace;
use http::{Trust, connect_secure};
use std::fmt::Debug;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use value::raw::DocumentWriter;
use value::{ArrayRef, Document, DocumentBuf, DocumentRef, RawDocument, Value, ValueRef, doc};

const OP_MSG: u32 = 2013;
const MESSAGE_BYTES_MAX: usize = 48_000_000;
/// What the error says if reading or writing fails.
const BROKE: &str = "the connection broke";

/// What goes over the network, plain or through TLS.
trait Wire: AsyncRead + AsyncWrite + Debug + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Debug + Send + Unpin> Wire for T {}

/// A connection that has logged in.
#[derive(Debug)]
pub struct Connection {
    stream: Box<dyn Wire>,
    request: u32,
}

impl Connection {
    /// Connects and logs in.
    pub async fn open(server: &ServerUri) -> Result<Connection> {
        let stream = wire(server)
            .await
            .with_context(|| format!("cannot connect to {}; is the server running?", server.address))?;
        let mut connection = Connection { stream, request: 0 };
        if let Some((user, password)) = &server.login {
            let source = &server.auth_source;
            connection
                .log_in(user, password, source)
                .await
                .with_context(|| format!("cannot log in as {user}"))?;
        }
        Ok(connection)
    }

    async fn log_in(&mut self, user: &str, password: &str, source: &str) -> Result<()> {
        let mut login = ClientLogin::new(user, password)?;
        let start = doc! {
            "saslStart": 1,
            "mechanism": "SCRAM-SHA-256",
            "payload": payload(login.first()),
            "options": doc! {"skipEmptyExchange": true},
            "$db": source,
        };
        let mut reply = self.command(&start, None).await?;
        loop {
            let Some(Value::Binary(challenge)) = reply.get("payload").cloned() else {
                bail!("a reply without payload")
            };
            let is_done = matches!(reply.get("done"), Some(Value::Bool(true)));
            let answer = match (login.answer(&challenge.bytes)?, is_done) {
                (None, true) => return Ok(()),
                (Some(_), true) => bail!("the server did not prove that it knows the user"),
                // It has proved that, and still waits for an answer.
                (None, false) => {
                    self.proceed(&reply, Vec::new(), source).await?;
                    return Ok(());
                }
                (Some(answer), false) => answer,
            };
            reply = self.proceed(&reply, answer, source).await?;
        }
    }

    /// The next step of a login.
    async fn proceed(&mut self, reply: &Document, answer: Vec<u8>, source: &str) -> Result<Document> {
        let id = reply.get("conversationId").cloned().unwrap_or(Value::Int32(1));
        let next = doc! {"saslContinue": 1, "conversationId": id, "payload": payload(answer), "$db": source};
        self.command(&next, None).await
    }

    /// Inserts documents unordered. Returns those that were refused.
    pub async fn insert(&mut self, into: &Namespace, documents: &[DocumentBuf]) -> Result<Vec<Refused>> {
        let command = doc! {"insert": &into.collection, "ordered": false, "$db": &into.database};
        let reply = self.command(&command, Some(documents)).await?;
        let Some(Value::Array(errors)) = reply.get("writeErrors") else {
            return Ok(Vec::new());
        };
        Ok(errors.iter().filter_map(refused).collect())
    }

    /// The first batch of a find, and its cursor.
    pub async fn find(&mut self, from: &Namespace, filter: &Document) -> Result<(Vec<DocumentBuf>, i64)> {
        let command = doc! {"find": &from.collection, "filter": filter.clone(), "$db": &from.database};
        cursor(&self.exchange(&command, None).await?, "firstBatch")
    }

    /// The next batch.
    pub async fn get_more(&mut self, from: &Namespace, id: i64) -> Result<(Vec<DocumentBuf>, i64)> {
        let command = doc! {"getMore": id, "collection": &from.collection, "$db": &from.database};
        cursor(&self.exchange(&command, None).await?, "nextBatch")
    }

    async fn command(&mut self, command: &Document, documents: Option<&[DocumentBuf]>) -> Result<Document> {
        Ok(self.exchange(command, documents).await?.to_document())
    }

    /// Sends a command, with documents as a sequence, and reads the reply; one that is not ok is an error.
    async fn exchange(
        &mut self,
        command: &Document,
        documents: Option<&[DocumentBuf]>,
    ) -> Result<DocumentBuf> {
        self.request += 1;
        let message = message(self.request, command, documents);
        self.stream.write_all(&message).await.context(BROKE)?;
        let reply = self.read().await?;
        let ok = reply.as_raw().get("ok").and_then(ValueRef::as_f64);
        if ok != Some(1.0) {
            let reason = reply
                .as_raw()
                .get("errmsg")
                .and_then(ValueRef::as_str)
                .unwrap_or("no reason given");
            bail!("the server refused: {reason}");
        }
        Ok(reply)
    }

    async fn read(&mut self) -> Result<DocumentBuf> {
        let mut header = [0; 16];
        self.stream.read_exact(&mut header).await.context(BROKE)?;
        let [a, b, c, d, ..] = header;
        if &[a, b, c, d] == b"HTTP" {
            bail!(
                "the server speaks HTTP there: name the port of MongoDB's protocol (--mongo-listen, by default 27017)"
            );
        }
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if !(26..=MESSAGE_BYTES_MAX + 16_384).contains(&length) {
            bail!("a reply of {length} bytes: the server speaks another protocol there than MongoDB's");
        }
        let mut body = vec![0; length - 16];
        self.stream.read_exact(&mut body).await.context(BROKE)?;
        // Four bytes of flags and the kind of the one section stand before the document.
        let document = body.split_off(5);
        DocumentBuf::new(document.into()).context("the reply is not a document")
    }
}

fn payload(bytes: Vec<u8>) -> Value {
    Value::Binary(value::Binary { subtype: 0, bytes })
}

fn refused(error: &Value) -> Option<Refused> {
    let error = error.as_ref().as_document()?;
    let index = error.get("index")?.as_f64()? as usize;
    let reason = error.get("errmsg")?.as_str()?.to_owned();
    let pattern = error.get("keyPattern").and_then(ValueRef::as_document);
    Some(Refused::new(index, reason, pattern))
}

/// The documents and the id of a cursor reply.
fn cursor(reply: &DocumentBuf, batch: &str) -> Result<(Vec<DocumentBuf>, i64)> {
    let cursor = reply
        .as_raw()
        .get("cursor")
        .and_then(ValueRef::as_document)
        .context("a reply without cursor")?;
    let Some(ValueRef::Int64(id)) = cursor.get("id") else {
        bail!("a cursor without id")
    };
    let Some(ValueRef::Array(ArrayRef::Raw(batch))) = cursor.get(batch) else {
        bail!("a cursor without batch")
    };
    let documents = batch.iter().filter_map(|element| match element {
        ValueRef::Document(DocumentRef::Raw(document)) => Some(RawDocument::to_buf(document)),
        _ => None,
    });
    Ok((documents.collect(), id))
}

async fn wire(server: &ServerUri) -> Result<Box<dyn Wire>> {
    let trust = match &server.tls {
        Tls::Off => {
            let stream = TcpStream::connect(&server.address).await?;
            stream.set_nodelay(true)?;
            return Ok(Box::new(stream));
        }
        Tls::TrustingSystem => Trust::System,
        Tls::Trusting(file) => Trust::of_file(file)?,
    };
    Ok(Box::new(connect_secure(&server.address, trust).await?))
}

/// OP_MSG: a body section, and a document sequence named `documents` (MongoDB wire protocol, "OP_MSG").
fn message(request: u32, command: &Document, documents: Option<&[DocumentBuf]>) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    for word in [0, request, 0, OP_MSG, 0] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.push(0);
    let mut writer = DocumentWriter::new(&mut out);
    for (name, value) in command.iter() {
        writer.put(name, value.as_ref());
    }
    writer.finish();
    if let Some(documents) = documents {
        const NAME: &[u8] = b"documents\0";
        let size = documents
            .iter()
            .map(|document| document.bytes().len())
            .sum::<usize>()
            + NAME.len()
            + 4;
        out.push(1);
        out.extend_from_slice(&(size as u32).to_le_bytes());
        out.extend_from_slice(NAME);
        documents
            .iter()
            .for_each(|document| out.extend_from_slice(document.bytes()));
    }
    let length = (out.len() as u32).to_le_bytes();
    out.splice(..4, length);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use auth::{Credentials, FirstMessage, Mechanism};
    use tokio::io::DuplexStream;

    fn connection(stream: DuplexStream) -> Connection {
        Connection {
            stream: Box::new(stream),
            request: 0,
        }
    }

    /// The other end of a login: the server.
    struct Peer(Connection);

    impl Peer {
        async fn asked(&mut self) -> Document {
            self.0.read().await.unwrap().to_document()
        }

        async fn answer(&mut self, answer: Vec<u8>, is_done: bool) {
            let body = doc! {"conversationId": 7, "done": is_done, "payload": payload(answer), "ok": 1.0};
            self.0.stream.write_all(&message(1, &body, None)).await.unwrap();
        }

        /// Runs a login to its end, which comes at once or after another, empty exchange.
        async fn log_in(mut self, is_done_at_once: bool) {
            let credentials = Credentials::new(Mechanism::ScramSha256, "ann", "secret").unwrap();
            let first = FirstMessage::parse(&payload_of(&self.asked().await)).unwrap();
            let (challenge, conversation) = first.challenge(Mechanism::ScramSha256, credentials).unwrap();
            self.answer(challenge.into_bytes(), false).await;
            let proof = conversation.finish(&payload_of(&self.asked().await)).unwrap();
            self.answer(proof.into_bytes(), is_done_at_once).await;
            if !is_done_at_once {
                assert!(payload_of(&self.asked().await).is_empty());
                self.answer(Vec::new(), true).await;
            }
        }
    }

    fn payload_of(command: &Document) -> Vec<u8> {
        match command.get("payload") {
            Some(Value::Binary(binary)) => binary.bytes.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_login_goes_on_until_the_server_is_done() {
        for is_done_at_once in [true, false] {
            let (ours, theirs) = tokio::io::duplex(4_096);
            let peer = tokio::spawn(Peer(connection(theirs)).log_in(is_done_at_once));
            connection(ours).log_in("ann", "secret", "admin").await.unwrap();
            peer.await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_server_that_proves_nothing_is_not_logged_in_to() {
        let (ours, theirs) = tokio::io::duplex(4_096);
        let peer = tokio::spawn(async move {
            let mut peer = Peer(connection(theirs));
            let credentials = Credentials::new(Mechanism::ScramSha256, "ann", "secret").unwrap();
            let first = FirstMessage::parse(&payload_of(&peer.asked().await)).unwrap();
            let (challenge, _) = first.challenge(Mechanism::ScramSha256, credentials).unwrap();
            peer.answer(challenge.into_bytes(), true).await;
        });
        let error = connection(ours)
            .log_in("ann", "secret", "admin")
            .await
            .unwrap_err();
        assert!(error.to_string().contains("did not prove"), "{error}");
        peer.await.unwrap();
    }

    #[tokio::test]
    async fn another_protocol_is_told_by_what_it_answers() {
        for (answer, said) in [
            (b"HTTP/1.1 400 Bad Request\r\n".as_slice(), "speaks HTTP"),
            (b"\0\0\0D\0\nclose now, please".as_slice(), "another protocol"),
        ] {
            let (ours, mut theirs) = tokio::io::duplex(4_096);
            theirs.write_all(answer).await.unwrap();
            let error = connection(ours).read().await.unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}
