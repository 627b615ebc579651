//! The messages of Riak's protocol buffers, by the names and numbers of its published definitions.

#![allow(missing_docs, reason = "the names are Riak's")]

use super::wire::{Zigzag, message};
use bytes::Bytes;

message! {
    pub struct ErrorResp {
        1 => errmsg: Vec<u8>,
        2 => errcode: u32,
    }

    pub struct ServerInfoResp {
        1 => node: Option<Vec<u8>>,
        2 => server_version: Option<Vec<u8>>,
    }

    pub struct ClientId {
        1 => client_id: Vec<u8>,
    }

    pub struct AuthReq {
        1 => user: Vec<u8>,
        2 => password: Vec<u8>,
    }

    pub struct Pair {
        1 => key: Vec<u8>,
        2 => value: Option<Vec<u8>>,
    }

    pub struct Link {
        1 => bucket: Option<Vec<u8>>,
        2 => key: Option<Vec<u8>>,
        3 => tag: Option<Vec<u8>>,
    }

    pub struct Content {
        1 => value: Bytes,
        2 => content_type: Option<Vec<u8>>,
        3 => charset: Option<Vec<u8>>,
        4 => content_encoding: Option<Vec<u8>>,
        5 => vtag: Option<Vec<u8>>,
        6 => links: Vec<Link>,
        7 => last_mod: Option<u32>,
        8 => last_mod_usecs: Option<u32>,
        9 => usermeta: Vec<Pair>,
        10 => indexes: Vec<Pair>,
        11 => deleted: Option<bool>,
    }

    pub struct GetReq {
        1 => bucket: Vec<u8>,
        2 => key: Vec<u8>,
        3 => r: Option<u32>,
        4 => pr: Option<u32>,
        5 => basic_quorum: Option<bool>,
        6 => notfound_ok: Option<bool>,
        7 => if_modified: Option<Vec<u8>>,
        8 => head: Option<bool>,
        9 => deletedvclock: Option<bool>,
        10 => timeout: Option<u32>,
        12 => n_val: Option<u32>,
        13 => kind: Option<Vec<u8>>,
        14 => node_confirms: Option<u32>,
    }

    pub struct GetResp {
        1 => content: Vec<Content>,
        2 => vclock: Option<Vec<u8>>,
        3 => unchanged: Option<bool>,
    }

    pub struct PutReq {
        1 => bucket: Vec<u8>,
        2 => key: Option<Vec<u8>>,
        3 => vclock: Option<Vec<u8>>,
        4 => content: Content,
        5 => w: Option<u32>,
        6 => dw: Option<u32>,
        7 => return_body: Option<bool>,
        8 => pw: Option<u32>,
        9 => if_not_modified: Option<bool>,
        10 => if_none_match: Option<bool>,
        11 => return_head: Option<bool>,
        12 => timeout: Option<u32>,
        13 => asis: Option<bool>,
        15 => n_val: Option<u32>,
        16 => kind: Option<Vec<u8>>,
        17 => node_confirms: Option<u32>,
    }

    pub struct PutResp {
        1 => content: Vec<Content>,
        2 => vclock: Option<Vec<u8>>,
        3 => key: Option<Vec<u8>>,
    }

    pub struct DelReq {
        1 => bucket: Vec<u8>,
        2 => key: Vec<u8>,
        3 => rw: Option<u32>,
        4 => vclock: Option<Vec<u8>>,
        5 => r: Option<u32>,
        6 => w: Option<u32>,
        7 => pr: Option<u32>,
        8 => pw: Option<u32>,
        9 => dw: Option<u32>,
        10 => timeout: Option<u32>,
        13 => kind: Option<Vec<u8>>,
    }

    pub struct ListBucketsReq {
        1 => timeout: Option<u32>,
        2 => stream: Option<bool>,
        3 => kind: Option<Vec<u8>>,
    }

    /// Keys or buckets.
    pub struct ListResp {
        1 => names: Vec<Vec<u8>>,
        2 => done: Option<bool>,
    }

    pub struct ListKeysReq {
        1 => bucket: Vec<u8>,
        2 => timeout: Option<u32>,
        3 => kind: Option<Vec<u8>>,
    }

    /// A request about a bucket, with the type of the bucket.
    pub struct BucketReq {
        1 => bucket: Vec<u8>,
        2 => kind: Option<Vec<u8>>,
    }

    pub struct SetBucketReq {
        1 => bucket: Vec<u8>,
        2 => props: BucketProps,
        3 => kind: Option<Vec<u8>>,
    }

    pub struct TypeReq {
        1 => kind: Vec<u8>,
    }

    pub struct SetTypeReq {
        1 => kind: Vec<u8>,
        2 => props: BucketProps,
    }

    pub struct BucketResp {
        1 => props: BucketProps,
    }

    pub struct ModFun {
        1 => module: Vec<u8>,
        2 => function: Vec<u8>,
    }

    pub struct CommitHook {
        1 => modfun: Option<ModFun>,
        2 => name: Option<Vec<u8>>,
    }

    pub struct BucketProps {
        1 => n_val: Option<u32>,
        2 => allow_mult: Option<bool>,
        3 => last_write_wins: Option<bool>,
        4 => precommit: Vec<CommitHook>,
        5 => has_precommit: Option<bool>,
        6 => postcommit: Vec<CommitHook>,
        7 => has_postcommit: Option<bool>,
        8 => chash_keyfun: Option<ModFun>,
        9 => linkfun: Option<ModFun>,
        10 => old_vclock: Option<u32>,
        11 => young_vclock: Option<u32>,
        12 => big_vclock: Option<u32>,
        13 => small_vclock: Option<u32>,
        14 => pr: Option<u32>,
        15 => r: Option<u32>,
        16 => w: Option<u32>,
        17 => pw: Option<u32>,
        18 => dw: Option<u32>,
        19 => rw: Option<u32>,
        20 => basic_quorum: Option<bool>,
        21 => notfound_ok: Option<bool>,
        22 => backend: Option<Vec<u8>>,
        23 => search: Option<bool>,
        24 => repl: Option<i32>,
        25 => search_index: Option<Vec<u8>>,
        26 => datatype: Option<Vec<u8>>,
        27 => consistent: Option<bool>,
        28 => write_once: Option<bool>,
        29 => hll_precision: Option<u32>,
    }

    pub struct PreflistReq {
        1 => bucket: Vec<u8>,
        2 => key: Vec<u8>,
        3 => kind: Option<Vec<u8>>,
    }

    pub struct PreflistItem {
        1 => partition: i64,
        2 => node: Vec<u8>,
        3 => primary: bool,
    }

    pub struct PreflistResp {
        1 => preflist: Vec<PreflistItem>,
    }

    pub struct IndexReq {
        1 => bucket: Vec<u8>,
        2 => index: Vec<u8>,
        3 => qtype: Option<i32>,
        4 => key: Option<Vec<u8>>,
        5 => range_min: Option<Vec<u8>>,
        6 => range_max: Option<Vec<u8>>,
        7 => return_terms: Option<bool>,
        8 => stream: Option<bool>,
        9 => max_results: Option<u32>,
        10 => continuation: Option<Vec<u8>>,
        11 => timeout: Option<u32>,
        12 => kind: Option<Vec<u8>>,
        13 => term_regex: Option<Vec<u8>>,
        14 => pagination_sort: Option<bool>,
        15 => cover_context: Option<Vec<u8>>,
        16 => return_body: Option<bool>,
    }

    pub struct IndexResp {
        1 => keys: Vec<Vec<u8>>,
        2 => results: Vec<Pair>,
        3 => continuation: Option<Vec<u8>>,
        4 => done: Option<bool>,
    }

    pub struct IndexObject {
        1 => key: Vec<u8>,
        2 => object: GetResp,
    }

    pub struct IndexBodyResp {
        1 => objects: Vec<IndexObject>,
        2 => continuation: Option<Vec<u8>>,
        3 => done: Option<bool>,
    }

    pub struct MapRedReq {
        1 => request: Bytes,
        2 => content_type: Vec<u8>,
    }

    pub struct MapRedResp {
        1 => phase: Option<u32>,
        2 => response: Option<Vec<u8>>,
        3 => done: Option<bool>,
    }

    pub struct CounterUpdateReq {
        1 => bucket: Vec<u8>,
        2 => key: Vec<u8>,
        3 => amount: Option<Zigzag>,
        4 => w: Option<u32>,
        5 => dw: Option<u32>,
        6 => pw: Option<u32>,
        7 => returnvalue: Option<bool>,
        8 => node_confirms: Option<u32>,
    }

    pub struct CounterResp {
        1 => value: Option<Zigzag>,
    }

    pub struct CounterGetReq {
        1 => bucket: Vec<u8>,
        2 => key: Vec<u8>,
        3 => r: Option<u32>,
        4 => pr: Option<u32>,
        7 => node_confirms: Option<u32>,
    }

    pub struct MapField {
        1 => name: Vec<u8>,
        2 => kind: Option<i32>,
    }

    pub struct MapEntry {
        1 => field: MapField,
        2 => counter_value: Option<Zigzag>,
        3 => set_value: Vec<Vec<u8>>,
        4 => register_value: Option<Vec<u8>>,
        5 => flag_value: Option<bool>,
        6 => map_value: Vec<MapEntry>,
    }

    pub struct DtFetchReq {
        1 => bucket: Vec<u8>,
        2 => key: Vec<u8>,
        3 => kind: Vec<u8>,
        4 => r: Option<u32>,
        5 => pr: Option<u32>,
        8 => timeout: Option<u32>,
        10 => n_val: Option<u32>,
        11 => include_context: Option<bool>,
        12 => node_confirms: Option<u32>,
    }

    pub struct DtValue {
        1 => counter_value: Option<Zigzag>,
        2 => set_value: Vec<Vec<u8>>,
        3 => map_value: Vec<MapEntry>,
        4 => hll_value: Option<u64>,
        5 => gset_value: Vec<Vec<u8>>,
    }

    pub struct DtFetchResp {
        1 => context: Option<Vec<u8>>,
        2 => kind: Option<i32>,
        3 => value: Option<DtValue>,
    }

    pub struct CounterOp {
        1 => increment: Option<Zigzag>,
    }

    pub struct SetOp {
        1 => adds: Vec<Vec<u8>>,
        2 => removes: Vec<Vec<u8>>,
    }

    pub struct AddOp {
        1 => adds: Vec<Vec<u8>>,
    }

    pub struct MapUpdate {
        1 => field: MapField,
        2 => counter_op: Option<CounterOp>,
        3 => set_op: Option<SetOp>,
        4 => register_op: Option<Vec<u8>>,
        5 => flag_op: Option<i32>,
        6 => map_op: Option<MapOp>,
    }

    pub struct MapOp {
        1 => removes: Vec<MapField>,
        2 => updates: Vec<MapUpdate>,
    }

    pub struct DtOp {
        1 => counter_op: Option<CounterOp>,
        2 => set_op: Option<SetOp>,
        3 => map_op: Option<MapOp>,
        4 => hll_op: Option<AddOp>,
        5 => gset_op: Option<AddOp>,
    }

    pub struct DtUpdateReq {
        1 => bucket: Vec<u8>,
        2 => key: Option<Vec<u8>>,
        3 => kind: Vec<u8>,
        4 => context: Option<Vec<u8>>,
        5 => op: DtOp,
        6 => w: Option<u32>,
        7 => dw: Option<u32>,
        8 => pw: Option<u32>,
        9 => return_body: Option<bool>,
        10 => timeout: Option<u32>,
        12 => n_val: Option<u32>,
        13 => include_context: Option<bool>,
        14 => node_confirms: Option<u32>,
    }

    pub struct DtUpdateResp {
        1 => key: Option<Vec<u8>>,
        2 => context: Option<Vec<u8>>,
        3 => counter_value: Option<Zigzag>,
        4 => set_value: Vec<Vec<u8>>,
        5 => map_value: Vec<MapEntry>,
        6 => hll_value: Option<u64>,
        7 => gset_value: Vec<Vec<u8>>,
    }
}
