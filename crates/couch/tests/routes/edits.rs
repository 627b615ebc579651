//! Checks before documents are written, and what validation functions see.

use crate::server::{Server, run};
use kv::Simulation;
use testing::http::{Case, case, exchange};

#[test]
fn requests_for_edits_get_couchdbs_answers() {
    run(EDITS);
}

#[test]
fn only_whole_documents_are_put_without_an_answer_or_as_another_store_made_them() {
    run(PUT_ALONE);
}

#[test]
fn a_document_of_a_batch_is_accepted_whatever_is_found_out_later() {
    run(BATCH);
}

#[test]
fn a_deletion_that_gets_an_attachment_or_is_copied_is_one_still() {
    run(DELETIONS);
}

#[test]
fn a_document_that_could_not_be_flushed_keeps_its_attachments() {
    let simulation = Simulation::new(1);
    let server = Server::on(&simulation);
    let ask = |request: &str, body: &str| exchange(server.address, request, body);
    for (request, body) in [("PUT /d", ""), ("PUT /d/before/file", "text")] {
        assert_eq!(ask(request, body).status, 201);
    }
    let mut kept = 0;
    // The test cannot know which of the flushes is the document's.
    for flushes in 0..4 {
        simulation.fill_at_flush_after(flushes);
        let path = format!("/d/after{flushes}/file");
        let is_told = ask(&format!("PUT {path}"), "text").status == 201;
        if ask(&format!("GET /d/after{flushes}"), "").status == 200 {
            let read = ask(&format!("GET {path}"), "");
            assert_eq!((read.status, read.body.as_str()), (200, "text"));
            kept += usize::from(!is_told);
        }
    }
    assert_eq!(kept, 1);
}

#[test]
fn members_of_the_wrong_kind_are_refused() {
    run(MEMBERS);
}

#[test]
fn documents_of_replicator_ask_for_replications() {
    run(REPLICATIONS);
}

/// Refuses everything, and says what it was given.
const SHOWS: &str = r#"{"validate_doc_update":
    "function(newDoc, oldDoc) { if (newDoc.shown) throw({forbidden: JSON.stringify([newDoc, oldDoc])}); }"}"#;

const EDITS: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/a",
        r#"{"_attachments": {"t": {"content_type": "text/plain", "data": "YWJj"}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case("PUT /db/_design/shows", SHOWS, 201, r#"{"ok": true}"#),
    case("GET /db/a", "", 200, r#"{"_id": "a"}"#),
    // The stub of an attachment, and both with the revisions that they name.
    case(
        "PUT /db/a",
        r#"{"_rev": "<_rev>", "shown": 1, "_attachments": {"t": {"stub": true}}}"#,
        403,
        r#""_attachments\":{\"t\":{\"content_type\":\"text/plain\",\"revpos\":1,\"digest\":"#,
    ),
    case(
        "PUT /db/a",
        r#"{"_rev": "<_rev>", "shown": 1}"#,
        403,
        r#"[{\"_id\":\"a\",\"_rev\":\"<_rev>\",\"shown\":1,\"_revisions\":{\"start\":1,\"ids\":["#,
    ),
    case(
        "PUT /db/a",
        r#"{"_rev": "<_rev>", "shown": 1}"#,
        403,
        r#"{\"_id\":\"a\",\"_rev\":\"<_rev>\",\"_revisions\":{\"start\":1,\"ids\":["#,
    ),
    case(
        "PUT /db/a",
        r#"{"_rev": "<_rev>", "shown": 1}"#,
        403,
        r#"\"length\":3,\"stub\":true}}}]"#,
    ),
    case(
        "PUT /db/b",
        r#"{"shown": 1}"#,
        403,
        r#"{"reason": "[{\"_id\":\"b\",\"shown\":1},null]"}"#,
    ),
    // A deletion that the edit does not follow is not a revision that it replaces.
    case("DELETE /db/a?rev=<_rev>", "", 200, r#"{"ok": true}"#),
    case(
        "PUT /db/a",
        r#"{"shown": 1}"#,
        403,
        r#"{"reason": "[{\"_id\":\"a\",\"shown\":1},null]"}"#,
    ),
    case(
        "PUT /db/a",
        r#"{"shown": 1, "_rev": "<rev>"}"#,
        403,
        r#"\"_deleted\":true,\"_revisions\":{\"start\":2,\"ids\":["#,
    ),
    // An edit from another store is checked against those of its earlier revisions that exist here.
    case("PUT /db/c", "{}", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/c?new_edits=false",
        r#"{"shown": 1, "_rev": "2-x", "_revisions": {"start": 2, "ids": ["x", "967a00dff5e02add41819138abb3284d"]}}"#,
        403,
        r#",{\"_id\":\"c\",\"_rev\":\"1-967a00dff5e02add41819138abb3284d\","#,
    ),
    case(
        "PUT /db/c?new_edits=false",
        r#"{"shown": 1, "_rev": "2-x", "_revisions": {"start": 2, "ids": ["x", "y"]}}"#,
        403,
        r#"},null]"}"#,
    ),
    // Partitions.
    case(
        "PUT /db/_design/p",
        r#"{"options": {"partitioned": true}}"#,
        400,
        r#"{"error": "invalid_design_doc", "reason": "partitioned option cannot be true in a non-partitioned database."}"#,
    ),
    case(
        "PUT /db/_design/p",
        r#"{"options": {"partitioned": false}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case("PUT /parts?partitioned=true", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /parts/_design/p",
        r#"{"options": {"partitioned": true}}"#,
        201,
        r#"{"ok": true}"#,
    ),
];

const PUT_ALONE: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case("PUT /db/a?batch=ok", "{}", 202, r#"{"ok": true, "id": "a"}"#),
    case("PUT /db/a?batch=ok", "{}", 202, r#"{"ok": true, "id": "a"}"#),
    case("POST /db?batch=ok", r#"{"_id": "a"}"#, 202, r#"{"ok": true}"#),
    case("PUT /db/_local/a?batch=ok", "{}", 202, r#"{"ok": true}"#),
    case("DELETE /db/a?batch=ok", "", 409, r#"{"error": "conflict"}"#),
    case(
        "COPY /db/a?batch=ok\nDestination: a",
        "",
        409,
        r#"{"error": "conflict"}"#,
    ),
    case(
        "PUT /db/a/t?batch=ok\nContent-Type: text/plain",
        "x",
        409,
        r#"{"error": "conflict"}"#,
    ),
    case("GET /db/a", "", 200, r#"{"_id": "a"}"#),
    case(
        "PUT /db/a/t?batch=ok&rev=<_rev>\nContent-Type: text/plain",
        "x",
        201,
        r#"{"id": "a", "rev": "*"}"#,
    ),
    // Revisions of another store.
    case(
        "PUT /db/a/u?new_edits=false&rev=<rev>\nContent-Type: text/plain",
        "y",
        201,
        r#"{"ok": true, "id": "a"}"#,
    ),
    case("GET /db/a/u", "", 200, "y"),
    case(
        "DELETE /db/a/t?new_edits=false&rev=<rev>",
        "",
        200,
        r#"{"ok": true}"#,
    ),
    case("GET /db/a/t", "", 404, r#"{"error": "not_found"}"#),
    case(
        "DELETE /db/a?new_edits=false&rev=<rev>",
        "",
        200,
        r#"{"ok": true}"#,
    ),
    case("GET /db/a", "", 404, r#"{"reason": "deleted"}"#),
    case(
        "POST /db?new_edits=false",
        r#"{"_id": "b"}"#,
        201,
        r#"{"id": "b"}"#,
    ),
    case(
        "COPY /db/b?new_edits=false\nDestination: c",
        "",
        201,
        r#"{"id": "c"}"#,
    ),
    case(
        "PUT /db/b?new_edits=false",
        "{}",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    // If the server chooses the id, no revision is replaced.
    case("POST /db", r#"{"_rev": "1-x"}"#, 201, r#"{"rev": "*"}"#),
];

const BATCH: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case("PUT /db/_design/v", SHOWS, 201, r#"{"ok": true}"#),
    case("PUT /db/a", r#"{"shown": 1}"#, 403, r#"{"error": "forbidden"}"#),
    case(
        "PUT /db/a?batch=ok",
        r#"{"shown": 1}"#,
        202,
        r#"{"ok": true, "id": "a"}"#,
    ),
    case(
        "POST /db?batch=ok",
        r#"{"_id": "a", "shown": 1}"#,
        202,
        r#"{"ok": true, "id": "a"}"#,
    ),
    case(
        "PUT /db/a",
        r#"{"_attachments": {"t": {"stub": true}}}"#,
        412,
        r#"{"error": "missing_stub"}"#,
    ),
    case(
        "PUT /db/a?batch=ok",
        r#"{"_attachments": {"t": {"stub": true}}}"#,
        202,
        r#"{"ok": true, "id": "a"}"#,
    ),
    // Anything but a document is refused before the validation.
    case(
        "PUT /db/a?batch=ok",
        "{",
        400,
        r#"{"error": "bad_request", "reason": "invalid UTF-8 JSON"}"#,
    ),
    case(
        "PUT /db/a?batch=ok",
        r#"{"_attachments": 5}"#,
        400,
        r#"{"error": "doc_validation"}"#,
    ),
    case(
        "PUT /db/a?batch=ok&rev=1-a",
        r#"{"_rev": "1-b"}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "PUT /db/a?batch=ok&new_edits=false",
        "{}",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case("GET /db/a", "", 404, r#"{"reason": "missing"}"#),
];

const DELETIONS: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case("PUT /db/a", r#"{"n": 1}"#, 201, r#"{"ok": true}"#),
    case("DELETE /db/a?rev=<rev>", "", 200, r#"{"ok": true}"#),
    case(
        "PUT /db/a/t?rev=<rev>\nContent-Type: text/plain",
        "x",
        201,
        r#"{"ok": true, "id": "a"}"#,
    ),
    case("GET /db/a", "", 404, r#"{"reason": "deleted"}"#),
    case("GET /db/a/t?rev=<rev>", "", 200, "x"),
    case(
        "COPY /db/a?rev=<rev>\nDestination: b",
        "",
        201,
        r#"{"ok": true, "id": "b"}"#,
    ),
    case("GET /db/b", "", 404, r#"{"reason": "deleted"}"#),
    case("GET /db/b/t?rev=<rev>", "", 200, "x"),
    case("DELETE /db/b/t?rev=<rev>", "", 200, r#"{"ok": true}"#),
    case(
        "GET /db/b?rev=<rev>",
        "",
        200,
        r#"{"_id": "b", "_deleted": true}"#,
    ),
    case("PUT /db/a", r#"{"n": 2}"#, 201, r#"{"ok": true}"#),
];

const MEMBERS: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/a",
        r#"{"_attachments": 5}"#,
        400,
        r#"{"error": "doc_validation", "reason": "Bad special document member: _attachments"}"#,
    ),
    case(
        "PUT /db/a",
        r#"{"_attachments": []}"#,
        400,
        r#"{"error": "doc_validation"}"#,
    ),
    case(
        "PUT /db/a",
        r#"{"_attachments": null}"#,
        400,
        r#"{"error": "doc_validation"}"#,
    ),
    case("PUT /db/a", r#"{"_attachments": {}}"#, 201, r#"{"ok": true}"#),
];

const REPLICATIONS: &[Case] = &[
    case("PUT /_replicator", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /_replicator/a",
        r#"{"source": "d"}"#,
        403,
        r#"{"error": "forbidden", "reason": "Missing replicator database"}"#,
    ),
    case("PUT /_replicator/a", "{}", 403, r#"{"error": "forbidden"}"#),
    case(
        "PUT /_replicator/a",
        r#"{"source": "a", "target": "b", "continuous": 5}"#,
        403,
        r#"{"error": "forbidden", "reason": "parameter `continuous` must be a boolean"}"#,
    ),
    case(
        "PUT /_replicator/a",
        r#"{"source": "a", "target": "b", "doc_ids": 5}"#,
        403,
        r#"{"reason": "parameter `doc_ids` must be an array"}"#,
    ),
    case(
        "PUT /_replicator/a",
        r#"{"source": "a", "target": "b", "doc_ids": [], "filter": "d/f"}"#,
        403,
        r#"{"reason": "`doc_ids`,`filter`,`selector` are mutually exclusive"}"#,
    ),
    case(
        "PUT /_replicator/a",
        r#"{"source": "a", "target": "b", "filter": "f"}"#,
        403,
        r#"{"reason": "Invalid filter. Must match `ddocname/filtername`."}"#,
    ),
    case(
        "POST /_replicator/_bulk_docs",
        r#"{"docs": [{"_id": "a"}, {"_id": "b", "source": "a", "target": "b"}]}"#,
        201,
        r#"[{"id": "a", "error": "forbidden"}, {"id": "b", "ok": true}]"#,
    ),
    // These are not checked: edits from another store, documents of failed replications, and documents that are not requests.
    case(
        "PUT /_replicator/c?new_edits=false",
        r#"{"_rev": "1-a"}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "PUT /_replicator/d",
        r#"{"_replication_state": "failed"}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case("DELETE /_replicator/d?rev=<rev>", "", 200, r#"{"ok": true}"#),
    case("PUT /_replicator/_design/d", "{}", 201, r#"{"ok": true}"#),
    case("PUT /_replicator/_local/d", "{}", 201, r#"{"ok": true}"#),
];
