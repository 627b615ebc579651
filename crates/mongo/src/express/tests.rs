#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use super::*;
use crate::connection::Login;
use crate::dispatch::{self, Outcome};
use crate::server::Options;
use crate::wire::{Message, ReplyForm};
use engine::{AtHand, Engine, ProfileChange, ProfileLevel};
use kv::{Kv, Simulation};
use std::sync::Arc;
use value::raw::encode_document;
use value::{Document, DocumentBuf, Value, doc};

struct Client {
    server: Arc<Server>,
    connection: Connection,
}

impl Client {
    async fn new(test_commands: bool) -> Client {
        let options = Options {
            places: net::Places::new(1),
            test_commands,
            read_time_max: Duration::ZERO,
        };
        let engine = Engine::on(Kv::simulated(&Simulation::new(1))).await.unwrap();
        Client {
            server: Arc::new(Server::new(engine, options).unwrap()),
            connection: Connection {
                id: 1,
                peer: ([127, 0, 0, 1], 1).into(),
                client: None,
                certified: None,
                metadata: None,
                compressors: Vec::new(),
                login: Login::default(),
                shown_user: None,
                at_hand: AtHand::default(),
            },
        }
    }

    /// One with a collection of documents that were all read once.
    async fn with_documents() -> Client {
        let mut client = Client::new(false).await;
        let documents = ids().map(|id| doc! {"_id": id, "text": "ä".repeat(20)});
        client
            .run(&doc! {"insert": "c", "documents": documents.to_vec(), "$db": "d"})
            .await;
        for id in ids() {
            let reply = client.run(&find(id)).await;
            assert_eq!(reply.get("ok"), Some(&Value::Double(1.0)), "{reply:?}");
        }
        client
    }

    async fn raw(&mut self, command: &Document) -> Vec<u8> {
        let (header, bytes) = message(command);
        let parsed = Message::parse(&header, &bytes.into(), true).unwrap();
        let outcome = dispatch::run(&self.server, &mut self.connection, &parsed).await;
        let Outcome::Reply(reply) = outcome else {
            panic!("closed")
        };
        reply.encode(ReplyForm::Msg, false, None, 0, 0).unwrap()
    }

    async fn run(&mut self, command: &Document) -> Document {
        document(&self.raw(command).await)
    }

    async fn express(&mut self, command: &Document) -> Option<Vec<u8>> {
        let (header, bytes) = message(command);
        let answer = answer(&self.server, &mut self.connection, &header, &bytes).await;
        answer.map(|answer| answer.bytes)
    }
}

fn ids() -> [Value; 6] {
    let uuid = value::Binary {
        subtype: 4,
        bytes: vec![7; 16],
    };
    [
        Value::from("a"),
        Value::Int32(1),
        Value::Int64(1 << 40),
        Value::Binary(uuid),
        Value::ObjectId(value::ObjectId::from_bytes([9; 12])),
        Value::DateTime(5),
    ]
}

fn find(id: Value) -> Document {
    doc! {"find": "c", "filter": {"_id": id}, "limit": 1, "singleBatch": true, "$db": "d"}
}

fn message(command: &Document) -> (Header, Vec<u8>) {
    let mut bytes = vec![0; HEAD_BYTES];
    bytes.extend(encode_document(command));
    let header = Header {
        length: bytes.len(),
        request_id: 9,
        response_to: 0,
        opcode: OpCode::Msg,
    };
    header.write_at_front(&mut bytes);
    (header, bytes)
}

fn document(reply: &[u8]) -> Document {
    let bytes = reply[HEAD_BYTES..].to_vec();
    DocumentBuf::new(bytes.into()).unwrap().as_raw().to_document()
}

#[tokio::test]
async fn an_answer_is_that_of_the_command() {
    let mut client = Client::with_documents().await;
    for id in ids() {
        let known = client.raw(&find(id.clone())).await;
        let answer = client
            .express(&find(id.clone()))
            .await
            .unwrap_or_else(|| panic!("{id:?} is not in memory"));
        assert_eq!(answer[HEADER_BYTES..], known[HEADER_BYTES..]);
        assert_eq!(answer[..4], (answer.len() as i32).to_le_bytes());
        assert_eq!(answer[8..12], 9_i32.to_le_bytes());
    }
}

#[tokio::test]
async fn a_document_that_is_not_in_memory_is_read() {
    let mut client = Client::new(false).await;
    let document = doc! {"_id": "a", "text": "x"};
    client
        .run(&doc! {"insert": "c", "documents": vec![document.clone()], "$db": "d"})
        .await;
    let id = Value::from("a");
    let engine = &client.server.engine;
    let collection = engine.plain_collection(&mut AtHand::default(), "d", "c").unwrap();
    let is_at_hand = collection.copy_at_hand(id.as_ref(), &mut Vec::new());
    assert!(!is_at_hand, "nobody read it");
    let answer = client.express(&find(id.clone())).await.expect("it is there");
    let known = client.raw(&find(id)).await;
    assert_eq!(answer[HEADER_BYTES..], known[HEADER_BYTES..]);
}

#[tokio::test]
async fn a_name_is_looked_up_again_once_it_may_mean_another_collection() {
    let mut client = Client::with_documents().await;
    let asked = find(Value::from("a"));
    let old = client.express(&asked).await.expect("it is in memory");
    client
        .run(&doc! {"renameCollection": "d.c", "to": "d.other", "$db": "admin"})
        .await;
    assert!(client.express(&asked).await.is_none(), "its name is another");
    let new = doc! {"_id": "a", "text": "another"};
    client
        .run(&doc! {"insert": "c", "documents": vec![new], "$db": "d"})
        .await;
    let answer = client.express(&asked).await.expect("it can be read");
    assert_ne!(answer[HEADER_BYTES..], old[HEADER_BYTES..]);
    assert_eq!(answer[HEADER_BYTES..], client.raw(&asked).await[HEADER_BYTES..]);
    client.run(&doc! {"drop": "c", "$db": "d"}).await;
    assert!(client.express(&asked).await.is_none(), "it is gone");
}

#[tokio::test]
async fn options_that_change_nothing_are_taken() {
    let mut client = Client::with_documents().await;
    let options = doc! {
        "skip": 0, "batchSize": 3, "maxTimeMS": 5, "comment": {"a": 1},
        "$readPreference": {"mode": "primaryPreferred"}, "readConcern": {"level": "majority"},
    };
    for (name, value) in options.iter() {
        let command = find(Value::from("a")).with(name, value.clone());
        assert!(client.express(&command).await.is_some(), "{name}");
    }
}

#[tokio::test]
async fn a_reply_within_a_session_has_its_time() {
    let mut client = Client::with_documents().await;
    let session = value::Binary {
        subtype: 4,
        bytes: vec![3; 16],
    };
    let command = find(Value::from("a")).with("lsid", doc! {"id": session});
    let known = client.run(&command).await;
    let reply = document(&client.express(&command).await.expect("in memory"));
    let names = |document: &Document| {
        document
            .iter()
            .map(|(name, _)| name.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&reply), names(&known));
    let signature = |document: &Document| match document.get("$clusterTime") {
        Some(Value::Document(time)) => time.get("signature").cloned(),
        _ => None,
    };
    assert_eq!(signature(&reply), signature(&known));
    let time = |document: &Document| match document.get("operationTime") {
        Some(Value::Timestamp(time)) => Some((time.seconds, time.increment)),
        _ => None,
    };
    assert!(time(&reply) > time(&known));
    assert_eq!(client.server.engine.sessions_in_use().len(), 1);
}

#[tokio::test]
async fn any_other_form_of_a_find_becomes_a_command() {
    let mut client = Client::with_documents().await;
    let plain = find(Value::from("a"));
    let with = |name: &str, value: Value| {
        let mut command = plain.clone();
        command.set(name, value);
        command
    };
    let cases = [
        with("filter", doc! {"_id": {"$gt": "a"}}.into()),
        with("filter", doc! {"_id": Value::Null}.into()),
        with("filter", doc! {"_id": "a", "x": 1}.into()),
        with("filter", doc! {}.into()),
        with("filter", doc! {"_id": "absent"}.into()),
        with("projection", doc! {"x": 1}.into()),
        with("batchSize", Value::Int32(0)),
        with("limit", Value::Int32(-1)),
        with("skip", Value::Int32(1)),
        with("maxTimeMS", Value::Int32(-1)),
        with("collation", doc! {"locale": "en"}.into()),
        with("readConcern", doc! {"level": "snapshot"}.into()),
        with("readConcern", doc! {"level": "none"}.into()),
        with("$readPreference", doc! {"mode": "best"}.into()),
        with("lsid", doc! {"id": 1}.into()),
        with("unknown", Value::Int32(1)),
        with("$db", Value::from("other")),
        plain.clone().with("limit", 1),
    ];
    for command in cases {
        assert!(client.express(&command).await.is_none(), "{command:?}");
    }
    let (header, mut bytes) = message(&plain);
    bytes[HEADER_BYTES] = 2;
    assert!(
        answer(&client.server, &mut client.connection, &header, &bytes)
            .await
            .is_none(),
        "no answer is wanted"
    );
}

#[tokio::test]
async fn a_written_document_is_read_at_once() {
    let mut client = Client::with_documents().await;
    let id = || Value::from("a");
    let first = |reply: &Document| match reply.get("cursor") {
        Some(Value::Document(cursor)) => cursor.get("firstBatch").cloned(),
        _ => None,
    };
    for round in 0..20 {
        let update = doc! {"q": {"_id": id()}, "u": {"$set": {"n": round}}};
        client
            .run(&doc! {"update": "c", "updates": vec![update], "$db": "d"})
            .await;
        // It was read lately, so it stays in memory as it is now.
        let told = document(&client.express(&find(id())).await.expect("in memory"));
        let Some(Value::Array(batch)) = first(&told) else {
            panic!("{told:?}")
        };
        let Some(Value::Document(told)) = batch.first() else {
            panic!("{batch:?}")
        };
        assert_eq!(told.get("n"), Some(&Value::Int32(round)));
        let known = client.run(&find(id())).await;
        let reply = document(&client.express(&find(id())).await.expect("read again"));
        assert_eq!(first(&reply), first(&known));
    }
    client
        .run(&doc! {"delete": "c", "deletes": vec![doc! {"q": {"_id": id()}, "limit": 1}], "$db": "d"})
        .await;
    assert!(client.express(&find(id())).await.is_none());
    client.run(&doc! {"drop": "c", "$db": "d"}).await;
    assert!(client.express(&find(Value::Int32(1))).await.is_none());
}

#[tokio::test]
async fn profiled_and_tested_servers_answer_by_the_command() {
    let mut client = Client::with_documents().await;
    let all = ProfileChange {
        level: Some(ProfileLevel::All),
        ..ProfileChange::default()
    };
    client.server.engine.set_profiling("d", all).await.unwrap();
    assert!(client.express(&find(Value::from("a"))).await.is_none());
    let mut client = Client::new(true).await;
    assert!(client.express(&find(Value::from("a"))).await.is_none());
}

#[tokio::test]
async fn strings_of_a_collation_may_equal_others() {
    let mut client = Client::new(false).await;
    client
        .run(&doc! {"create": "c", "collation": {"locale": "en", "strength": 1}, "$db": "d"})
        .await;
    client
        .run(&doc! {"insert": "c", "documents": vec![doc! {"_id": "a"}], "$db": "d"})
        .await;
    client.run(&find(Value::from("a"))).await;
    assert!(client.express(&find(Value::from("a"))).await.is_none());
}

#[tokio::test]
async fn a_user_without_the_right_gets_nothing() {
    let mut client = Client::with_documents().await;
    let user = doc! {"createUser": "u", "pwd": "p", "roles": vec![doc! {"role": "root", "db": "admin"}], "$db": "admin"};
    let created = client.run(&user).await;
    assert_eq!(created.get("ok"), Some(&Value::Double(1.0)), "{created:?}");
    assert!(client.express(&find(Value::from("a"))).await.is_none());
    let engine = client.server.engine.clone();
    let user = engine.user("admin", "u").expect("created");
    client.connection.login.log_in(user, engine.roles());
    // The first command after a login is listed, so that its connection is shown as its user's.
    assert!(client.express(&find(Value::from("a"))).await.is_none());
    client.run(&doc! {"ping": 1, "$db": "admin"}).await;
    assert!(client.express(&find(Value::from("a"))).await.is_some());
}

#[tokio::test]
async fn an_express_answer_counts_as_a_find() {
    let mut client = Client::with_documents().await;
    let count = |client: &Client| client.server.counters.queries.load(Ordering::Relaxed);
    let before = count(&client);
    client.express(&find(Value::from("a"))).await.expect("in memory");
    assert_eq!(count(&client), before + 1);
    let top = client.run(&doc! {"top": 1, "$db": "admin"}).await;
    let Some(Value::Document(totals)) = top.get("totals") else {
        panic!("{top:?}")
    };
    let Some(Value::Document(of)) = totals.get("d.c") else {
        panic!("{totals:?}")
    };
    let Some(Value::Document(queries)) = of.get("queries") else {
        panic!("{of:?}")
    };
    assert_eq!(queries.get("count"), Some(&Value::Int64(before as i64 + 1)));
}
