//! Buckets: listing them and their keys, their properties.

use super::connection::Connection;
use super::frame::code;
use super::messages::{
    BucketProps, BucketReq, BucketResp, ListBucketsReq, ListKeysReq, ListResp, ModFun, PreflistItem,
    PreflistReq, PreflistResp, SetBucketReq, SetTypeReq, TypeReq,
};
use crate::buckets::{self, BucketProperties, Quorum, existing};
use crate::deadline::Deadline;
use crate::error::{Result, RiakError};
use crate::limits::LISTED_AT_ONCE;
use crate::listing::Keys;
use crate::names::{Bucket, DEFAULT_TYPE, check_type, database};
use crate::preflist;
use auth::Action;
use engine::Namespace;
use serde_json::{Map, Value, json};
use std::pin::pin;

pub(crate) async fn list(connection: &mut Connection, request: ListBucketsReq) -> Result<()> {
    let kind = request.kind.as_deref().unwrap_or(DEFAULT_TYPE);
    check_type(kind)?;
    let listing = buckets::list(&connection.server, connection.granted()?, kind);
    let names = Deadline::of(request.timeout).run(pin!(listing)).await?;
    if !request.stream.unwrap_or(false) {
        connection.put(code::LIST_BUCKETS_RESP, &ListResp { names, done: None });
        return Ok(());
    }
    for names in names.chunks(LISTED_AT_ONCE) {
        let page = ListResp {
            names: names.to_vec(),
            done: None,
        };
        connection.send(code::LIST_BUCKETS_RESP, &page).await?;
    }
    connection.put(code::LIST_BUCKETS_RESP, &done());
    Ok(())
}

pub(crate) async fn list_keys(connection: &mut Connection, request: ListKeysReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    let deadline = connection.server.read_deadline(request.timeout);
    deadline.run(pin!(send_keys(connection, &bucket))).await
}

async fn send_keys(connection: &mut Connection, bucket: &Bucket) -> Result<()> {
    if let Some(collection) = existing(&connection.server, connection.granted()?, bucket, Action::Find)? {
        let mut keys = Keys::all(&collection).await?;
        loop {
            let names = keys.next().await?;
            if names.is_empty() {
                break;
            }
            connection
                .send(code::LIST_KEYS_RESP, &ListResp { names, done: None })
                .await?;
        }
    }
    connection.put(code::LIST_KEYS_RESP, &done());
    Ok(())
}

fn done() -> ListResp {
    ListResp {
        names: Vec::new(),
        done: Some(true),
    }
}

pub(crate) async fn get(connection: &mut Connection, request: BucketReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    connection.granted()?.require(Action::Find, &bucket.namespace())?;
    let properties = connection.server.bucket_properties(&bucket).await?;
    let props = write(&properties);
    connection.put(code::GET_BUCKET_RESP, &BucketResp { props });
    Ok(())
}

pub(crate) async fn set(connection: &mut Connection, request: SetBucketReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    connection
        .granted()?
        .require(Action::CollMod, &bucket.namespace())?;
    connection
        .server
        .set_bucket_properties(&bucket, &read(&request.props)?)
        .await?;
    connection.put_empty(code::SET_BUCKET_RESP);
    Ok(())
}

pub(crate) async fn reset(connection: &mut Connection, request: BucketReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    connection
        .granted()?
        .require(Action::CollMod, &bucket.namespace())?;
    connection.server.reset_bucket_properties(&bucket).await?;
    connection.put_empty(code::RESET_BUCKET_RESP);
    Ok(())
}

pub(crate) async fn get_type(connection: &mut Connection, request: TypeReq) -> Result<()> {
    check_type(&request.kind)?;
    connection
        .granted()?
        .require(Action::Find, &Namespace::new(database(&request.kind), ""))?;
    let properties = connection.server.type_properties(&request.kind).await?;
    let props = write(&properties);
    connection.put(code::GET_BUCKET_RESP, &BucketResp { props });
    Ok(())
}

pub(crate) async fn set_type(connection: &mut Connection, request: SetTypeReq) -> Result<()> {
    check_type(&request.kind)?;
    let namespace = Namespace::new(database(&request.kind), "");
    connection.granted()?.require(Action::CollMod, &namespace)?;
    let others = read(&request.props)?;
    connection
        .server
        .set_type_properties(&request.kind, &others)
        .await?;
    connection.put_empty(code::SET_BUCKET_RESP);
    Ok(())
}

pub(crate) async fn preflist(connection: &mut Connection, request: PreflistReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    connection.granted()?.require(Action::Find, &bucket.namespace())?;
    let properties = connection.server.bucket_properties(&bucket).await?;
    let item = |place: preflist::CopyPlace| PreflistItem {
        partition: place.partition,
        node: place.node.into_bytes(),
        primary: true,
    };
    let places = preflist::of(&bucket, &request.key, properties.copies());
    let preflist = places.into_iter().map(item).collect();
    connection.put(code::PREFLIST_RESP, &PreflistResp { preflist });
    Ok(())
}

fn write(properties: &BucketProperties) -> BucketProps {
    let get = |name: &str| properties.0.get(name);
    let flag = |name: &str| get(name).and_then(Value::as_bool);
    let number = |name: &str| get(name).and_then(Value::as_u64).map(|number| number as u32);
    let text = |name: &str| {
        get(name)
            .and_then(Value::as_str)
            .map(|text| text.as_bytes().to_vec())
    };
    let quorum = |name: &str| get(name).and_then(Quorum::of_json).map(Quorum::to_number);
    let function = |name: &str| {
        let part = |part: &str| Some(get(name)?.get(part)?.as_str()?.as_bytes().to_vec());
        Some(ModFun {
            module: part("mod")?,
            function: part("fun")?,
        })
    };
    BucketProps {
        n_val: number("n_val"),
        allow_mult: flag("allow_mult"),
        last_write_wins: flag("last_write_wins"),
        has_precommit: Some(false),
        has_postcommit: Some(false),
        chash_keyfun: function("chash_keyfun"),
        linkfun: function("linkfun"),
        old_vclock: number("old_vclock"),
        young_vclock: number("young_vclock"),
        big_vclock: number("big_vclock"),
        small_vclock: number("small_vclock"),
        pr: quorum("pr"),
        r: quorum("r"),
        w: quorum("w"),
        pw: quorum("pw"),
        dw: quorum("dw"),
        rw: quorum("rw"),
        basic_quorum: flag("basic_quorum"),
        notfound_ok: flag("notfound_ok"),
        search: flag("search"),
        repl: get("repl").and_then(number_of_mode),
        search_index: text("search_index"),
        datatype: text("datatype"),
        consistent: flag("consistent"),
        write_once: flag("write_once"),
        hll_precision: number("hll_precision"),
        ..BucketProps::default()
    }
}

fn read(props: &BucketProps) -> Result<Map<String, Value>> {
    if !props.precommit.is_empty() || !props.postcommit.is_empty() {
        return Err(RiakError::unsupported("a commit hook"));
    }
    let mut others = Map::new();
    let text = |text: &Option<Vec<u8>>| text.as_deref().map(|text| json!(String::from_utf8_lossy(text)));
    let quorum = |number: Option<u32>| number.map(|number| Quorum::of_number(number).to_json());
    let function = |function: &Option<ModFun>| {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        function
            .as_ref()
            .map(|function| json!({"mod": shown(&function.module), "fun": shown(&function.function)}))
    };
    let given = [
        ("n_val", props.n_val.map(Value::from)),
        ("allow_mult", props.allow_mult.map(Value::from)),
        ("last_write_wins", props.last_write_wins.map(Value::from)),
        ("chash_keyfun", function(&props.chash_keyfun)),
        ("linkfun", function(&props.linkfun)),
        ("old_vclock", props.old_vclock.map(Value::from)),
        ("young_vclock", props.young_vclock.map(Value::from)),
        ("big_vclock", props.big_vclock.map(Value::from)),
        ("small_vclock", props.small_vclock.map(Value::from)),
        ("pr", quorum(props.pr)),
        ("r", quorum(props.r)),
        ("w", quorum(props.w)),
        ("pw", quorum(props.pw)),
        ("dw", quorum(props.dw)),
        ("rw", quorum(props.rw)),
        ("basic_quorum", props.basic_quorum.map(Value::from)),
        ("notfound_ok", props.notfound_ok.map(Value::from)),
        ("backend", text(&props.backend)),
        ("search", props.search.map(Value::from)),
        ("repl", props.repl.map(mode_of_number).transpose()?),
        ("search_index", text(&props.search_index)),
        ("datatype", text(&props.datatype)),
        ("consistent", props.consistent.map(Value::from)),
        ("write_once", props.write_once.map(Value::from)),
        ("hll_precision", props.hll_precision.map(Value::from)),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            others.insert(name.to_owned(), value);
        }
    }
    Ok(others)
}

/// How objects go to other clusters (`RpbReplMode`), which is kept for clients: there are no others.
fn mode_of_number(number: i32) -> Result<Value> {
    Ok(match number {
        0 => json!(false),
        1 => json!("realtime"),
        2 => json!("fullsync"),
        3 => json!(true),
        _ => {
            return Err(RiakError::bad(format!(
                "{number} is no mode of replication (repl)"
            )));
        }
    })
}

fn number_of_mode(mode: &Value) -> Option<i32> {
    match mode {
        Value::Bool(mode) => Some(if *mode { 3 } else { 0 }),
        Value::String(mode) => match mode.as_str() {
            "false" => Some(0),
            "realtime" => Some(1),
            "fullsync" => Some(2),
            "both" | "true" => Some(3),
            _ => None,
        },
        _ => None,
    }
}
