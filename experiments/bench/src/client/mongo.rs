//! MongoDB's OP_MSG over a socket.

use anyhow::{Context, Result, bail, ensure};
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use value::raw::DocumentWriter;
use value::{ArrayRef, Document, DocumentRef, RawDocument, ValueRef};

const OP_MSG: i32 = 2013;
const HEADER_BYTES: usize = 16;
/// Header, flags and the byte that says which kind of section follows.
const BODY_AT: usize = HEADER_BYTES + 4 + 1;

/// One connection.
#[derive(Debug)]
pub struct Mongo {
    /// Read through a buffer, as that of PostgreSQL is: one system call for an answer.
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
    reply: Vec<u8>,
}

impl Mongo {
    /// Connects and says hello.
    pub fn connect(address: SocketAddr) -> Result<Mongo> {
        let stream =
            TcpStream::connect(address).with_context(|| format!("connecting to Larder at {address}"))?;
        stream.set_nodelay(true)?;
        let mut client = Mongo {
            stream: BufReader::new(stream),
            request: Vec::new(),
            reply: Vec::new(),
        };
        client.command(&value::doc! {"hello": 1, "$db": "admin"})?;
        Ok(client)
    }

    /// Runs a command given as a document; its answer, which is an error unless `ok` is 1 and no write
    /// failed.
    pub fn command(&mut self, command: &Document) -> Result<RawDocument<'_>> {
        self.send(
            |body| {
                for (name, value) in command.iter() {
                    body.put(name, value.as_ref());
                }
            },
            &[],
        )
    }

    /// Inserts documents that stand one after the other in `documents`, in one message.
    pub fn insert(&mut self, collection: &str, documents: &[u8]) -> Result<()> {
        let answer = self.send(
            |body| {
                body.put("insert", ValueRef::String(collection));
                body.put("$db", ValueRef::String(DATABASE));
            },
            documents,
        )?;
        ensure!(!answer.is_empty(), "no answer to an insert");
        Ok(())
    }

    /// The document with that `_id`.
    pub fn find_by_id(&mut self, collection: &str, id: &str) -> Result<Option<RawDocument<'_>>> {
        let answer = self.send(
            |body| {
                body.put("find", ValueRef::String(collection));
                body.put_document("filter", |filter| filter.put("_id", ValueRef::String(id)));
                body.put("limit", ValueRef::Int32(1));
                body.put("singleBatch", ValueRef::Bool(true));
                body.put("$db", ValueRef::String(DATABASE));
            },
            &[],
        )?;
        match batch_of(answer)?.iter().next() {
            Some(ValueRef::Document(DocumentRef::Raw(found))) => Ok(Some(found)),
            Some(_) => bail!("a batch holds something else than documents"),
            None => Ok(None),
        }
    }

    /// Runs a pipeline, given as Extended JSON, and shows every result to `each`.
    pub fn aggregate(
        &mut self,
        collection: &str,
        pipeline: &str,
        mut each: impl FnMut(DocumentRef<'_>) -> Result<()>,
    ) -> Result<()> {
        let pipeline = value::json::parse(pipeline)?;
        let mut command = value::doc! {
            "aggregate": collection, "pipeline": pipeline, "cursor": {"batchSize": RESULTS_TOGETHER}, "$db": DATABASE,
        };
        loop {
            let answer = self.command(&command)?;
            for result in batch_of(answer)?.iter() {
                each(result.as_document().context("a result that is no document")?)?;
            }
            let cursor = answer.get("cursor").and_then(ValueRef::as_document);
            let id = cursor.and_then(|cursor| cursor.get("id")).map_or(0, as_i64);
            if id == 0 {
                return Ok(());
            }
            command = value::doc! {
                "getMore": id, "collection": collection, "batchSize": RESULTS_TOGETHER, "$db": DATABASE,
            };
        }
    }

    /// Sends a body, and `documents` as the sequence `documents` where there are any.
    fn send(
        &mut self,
        body: impl FnOnce(&mut DocumentWriter<'_>),
        documents: &[u8],
    ) -> Result<RawDocument<'_>> {
        self.request.clear();
        self.request.resize(BODY_AT, 0);
        self.request[12..16].copy_from_slice(&OP_MSG.to_le_bytes());
        let mut writer = DocumentWriter::new(&mut self.request);
        body(&mut writer);
        writer.finish();
        if !documents.is_empty() {
            let name = b"documents\0";
            let size = 4 + name.len() + documents.len();
            self.request.push(1);
            self.request
                .extend_from_slice(&i32::try_from(size)?.to_le_bytes());
            self.request.extend_from_slice(name);
            self.request.extend_from_slice(documents);
        }
        let size = i32::try_from(self.request.len())?;
        self.request[..4].copy_from_slice(&size.to_le_bytes());
        self.stream.get_mut().write_all(&self.request)?;
        self.receive()
    }

    fn receive(&mut self) -> Result<RawDocument<'_>> {
        let mut header = [0; BODY_AT];
        self.stream.read_exact(&mut header)?;
        let size = i32::from_le_bytes([header[0], header[1], header[2], header[3]]);
        let rest = usize::try_from(size)?
            .checked_sub(BODY_AT)
            .context("an answer without a body")?;
        self.reply.resize(rest, 0);
        self.stream.read_exact(&mut self.reply)?;
        let answer = RawDocument::new(&self.reply).context("an answer that is not BSON")?;
        let ok = answer.get("ok").map_or(0, as_i64);
        ensure!(ok == 1, "the server refused: {:?}", answer.to_document());
        ensure!(
            answer.get("writeErrors").is_none(),
            "a write failed: {:?}",
            answer.to_document()
        );
        Ok(answer)
    }
}

/// The results that a pipeline is asked for at a time.
const RESULTS_TOGETHER: i32 = 10_000;

/// The database that the experiments use.
pub const DATABASE: &str = "bench";

/// The documents of an answer with a cursor.
pub fn batch_of(answer: RawDocument<'_>) -> Result<ArrayRef<'_>> {
    let cursor = answer
        .get("cursor")
        .and_then(ValueRef::as_document)
        .context("an answer without a cursor")?;
    let batch = cursor
        .get("firstBatch")
        .or_else(|| cursor.get("nextBatch"))
        .and_then(ValueRef::as_array);
    batch.context("a cursor without a batch")
}

/// A number of any kind as an integer.
pub fn as_i64(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Int32(number) => i64::from(number),
        ValueRef::Int64(number) => number,
        ValueRef::Double(number) => number as i64,
        _ => 0,
    }
}

/// A number of any kind as a double.
pub fn as_f64(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Int32(number) => Some(f64::from(number)),
        ValueRef::Int64(number) => Some(number as f64),
        ValueRef::Double(number) => Some(number),
        _ => None,
    }
}
