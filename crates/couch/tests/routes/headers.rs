//! Headers of answers that clients or settings ask for.

use crate::server::{Server, run_with_keeper};
use std::io::{Read, Write};
use std::net::TcpStream;
use testing::http::{Case, case, exchange};

#[test]
fn a_refusal_has_the_challenge_that_the_client_or_the_settings_want() {
    run_with_keeper(CHALLENGES);
}

#[test]
fn a_refusal_has_no_challenge_that_nobody_wants() {
    let server = Server::start();
    exchange(
        server.address,
        "PUT /_node/_local/_config/admins/keeper",
        r#""larder""#,
    );
    let refused = exchange(server.address, "GET /_all_dbs", "");
    assert_eq!(refused.status, 401, "{refused}");
    assert_eq!(refused.header("www-authenticate"), None, "{refused}");
}

#[test]
fn a_browser_without_a_login_is_sent_to_the_page_that_the_settings_name() {
    let server = Server::start();
    exchange(
        server.address,
        "PUT /_node/_local/_config/admins/keeper",
        r#""larder""#,
    );
    let set = |path: &str, text: &str| {
        let request = format!("PUT /_node/_local/_config/{path}\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==");
        let set = exchange(server.address, &request, text);
        assert_eq!(set.status, 200, "{set}");
    };
    let ask = |accept: &str| {
        exchange(
            server.address,
            &format!("GET /_all_dbs?limit=1\nAccept: {accept}"),
            "",
        )
    };
    assert_eq!(ask("text/html").status, 401);
    set("chttpd_auth/authentication_redirect", r#""/sign-in""#);
    let led = ask("text/html, application/xhtml+xml");
    assert_eq!(led.status, 302, "{led}");
    let place = format!("http://{}/sign-in?return=%2F_all_dbs&reason=", server.address);
    assert!(
        led.header("location")
            .is_some_and(|found| found.starts_with(&place)),
        "{led}"
    );
    assert!(led.body.contains("\"unauthorized\""), "{led}");
    for accept in ["application/json", "text/html, */*;q=0.8", "text/plain"] {
        assert_eq!(ask(accept).status, 401, "{accept}");
    }
    set("chttpd/require_valid_user", r#""true""#);
    let refused = ask("text/html");
    assert_eq!(
        (refused.status, refused.header("location")),
        (401, None),
        "{refused}"
    );
}

#[test]
fn an_answer_has_few_headers_where_the_client_wants_no_more() {
    let server = Server::start();
    let whole = exchange(server.address, "GET /", "");
    assert!(whole.header("x-couch-request-id").is_some(), "{whole}");
    let minimal = exchange(server.address, "GET /\nPrefer: return=minimal", "");
    for gone in ["x-couch-request-id", "x-couchdb-body-time"] {
        assert_eq!(minimal.header(gone), None, "{minimal}");
    }
    for kept in ["cache-control", "content-type", "server"] {
        assert_eq!(minimal.header(kept), whole.header(kept), "{minimal}");
    }
    assert_eq!(minimal.body, whole.body);
}

#[test]
fn an_answer_says_which_pages_may_show_it_where_the_settings_want_that() {
    let server = Server::start();
    let option = || {
        let answer = exchange(server.address, "GET /", "");
        answer.header("x-frame-options").map(str::to_owned)
    };
    let set = |path: &str, text: &str| {
        let set = exchange(server.address, &format!("PUT /_node/_local/_config/{path}"), text);
        assert_eq!(set.status, 200, "{set}");
    };
    assert_eq!(option(), None);
    set("chttpd/enable_xframe_options", r#""true""#);
    assert_eq!(option().as_deref(), Some("DENY"));
    let own = format!("http://{}", server.address);
    set(
        "x_frame_options/hosts",
        &format!(r#""https://example.com, {own}""#),
    );
    assert_eq!(option(), Some(format!("ALLOW-FROM {own}")));
    set("x_frame_options/same_origin", r#""true""#);
    assert_eq!(option().as_deref(), Some("SAMEORIGIN"));
}

#[test]
fn a_server_may_hide_its_version_and_be_known_by_some_names_alone() {
    let server = Server::start();
    let set = |name: &str, text: &str| {
        let request = format!("PUT /_node/_local/_config/chttpd/{name}");
        let set = exchange(server.address, &request, text);
        assert_eq!(set.status, 200, "{set}");
    };
    let welcome = || exchange(server.address, "GET /", "");
    assert!(
        welcome()
            .header("server")
            .is_some_and(|name| name.starts_with("CouchDB/"))
    );
    set("server_header_versions", r#""false""#);
    assert_eq!(welcome().header("server"), Some("CouchDB"));
    set("valid_hosts", r#""example.com,127.0.0.1""#);
    set("validate_host", r#""true""#);
    assert_eq!(welcome().status, 200);
    set("valid_hosts", r#""example.com""#);
    let refused = welcome();
    assert_eq!(refused.status, 400, "{refused}");
    assert!(refused.body.contains("Invalid host header"), "{refused}");
}

#[test]
fn pages_from_elsewhere_may_ask_as_the_settings_of_the_host_say() {
    let server = Server::start();
    let set = |path: &str, text: &str| {
        let set = exchange(server.address, &format!("PUT /_node/_local/_config/{path}"), text);
        assert_eq!(set.status, 200, "{set}");
    };
    let ask = |request: &str| {
        exchange(
            server.address,
            &format!("{request}\nOrigin: https://app.example"),
            "",
        )
    };
    let preflight = "OPTIONS /\nAccess-Control-Request-Method: PUT";
    set("chttpd/enable_cors", r#""true""#);
    set("cors/origins", r#""https://other.example""#);
    assert_eq!(ask("GET /").status, 403);
    set("cors:127.0.0.1/origins", r#""https://app.example""#);
    set("cors:elsewhere.example/origins", r#""*""#);
    let answer = ask("GET /");
    assert_eq!(answer.status, 200, "{answer}");
    assert_eq!(
        answer.header("access-control-allow-origin"),
        Some("https://app.example")
    );
    let exposed = answer.header("access-control-expose-headers");
    assert!(
        exposed.is_some_and(|names| names.starts_with("content-type, cache-control, accept-ranges, ")),
        "{answer}"
    );
    let allowed = ask(preflight);
    assert_eq!(allowed.status, 204, "{allowed}");
    assert_eq!(allowed.header("access-control-allow-headers"), Some(""));
    set("cors:127.0.0.1/methods", r#""GET""#);
    assert_eq!(ask(preflight).status, 405);
}

#[test]
fn under_the_name_of_a_virtual_host_a_part_of_the_server_is_seen() {
    let server = Server::start();
    let ask = |request: &str| {
        exchange(
            server.address,
            &format!("{request}\nX-Forwarded-Host: shop.example"),
            "",
        )
    };
    assert_eq!(exchange(server.address, "PUT /shop", "").status, 201);
    assert_eq!(exchange(server.address, "PUT /shop/a", "{}").status, 201);
    assert_eq!(ask("GET /a").status, 404);
    let set = "PUT /_node/_local/_config/vhosts/shop.example";
    assert_eq!(exchange(server.address, set, r#""/shop""#).status, 200);
    for (request, told) in [
        ("GET /", "\"db_name\":\"shop\""),
        ("GET /a?revs=true", "\"_revisions\""),
        ("GET /_session", "\"userCtx\""),
    ] {
        let answer = ask(request);
        assert!(answer.status == 200 && answer.body.contains(told), "{answer}");
    }
    assert_eq!(exchange(server.address, "GET /a", "").status, 404);
}

#[test]
fn a_long_answer_is_kept_until_its_end_where_the_client_or_the_settings_want_that() {
    let server = Server::start();
    let ask = |request: &str| exchange(server.address, request, "");
    assert_eq!(ask("PUT /db").status, 201);
    let documents: Vec<_> = (0..2000).map(|n| format!(r#"{{"_id":"{n:04}"}}"#)).collect();
    let body = format!(r#"{{"docs":[{}]}}"#, documents.join(","));
    assert_eq!(exchange(server.address, "POST /db/_bulk_docs", &body).status, 201);
    let in_pieces = ask("GET /db/_all_docs");
    assert_eq!(in_pieces.header("content-length"), None);
    let whole = ask("GET /db/_all_docs?buffer_response=true");
    assert_eq!(whole.body.trim_end(), in_pieces.body.trim_end());
    let length = whole.body.len().to_string();
    assert_eq!(whole.header("content-length"), Some(length.as_str()));
    let set = "PUT /_node/_local/_config/chttpd/buffer_response";
    assert_eq!(exchange(server.address, set, r#""true""#).status, 200);
    for (parameter, is_whole) in [("", true), ("?buffer_response=false", false)] {
        let answer = ask(&format!("GET /db/_changes{parameter}"));
        assert_eq!(answer.header("content-length").is_some(), is_whole, "{parameter}");
    }
}

#[test]
fn a_body_that_is_missing_is_told_from_one_that_is_empty() {
    let server = Server::start();
    assert_eq!(exchange(server.address, "PUT /db", "").status, 201);
    let empty = exchange(server.address, "PUT /db/a", "");
    assert!(empty.body.contains("invalid UTF-8 JSON"), "{empty}");
    let mut stream = TcpStream::connect(server.address).unwrap();
    let request = b"PUT /db/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("Missing request body"), "{answer}");
}

const CHALLENGES: &[Case] = &[
    case(
        "GET /_all_dbs\nX-CouchDB-WWW-Authenticate: Cookie",
        "",
        401,
        "WWW-Authenticate: Cookie\n\n{\"error\": \"unauthorized\"}",
    ),
    case(
        "PUT /_node/_local/_config/chttpd/require_valid_user\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#""true""#,
        200,
        "",
    ),
    case(
        "GET /",
        "",
        401,
        "WWW-Authenticate: Basic realm=\"server\"\n\n{\"error\": \"unauthorized\"}",
    ),
    case(
        "PUT /_node/_local/_config/chttpd/WWW-Authenticate\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#""Basic realm=\"larder\"""#,
        200,
        "",
    ),
    case(
        "GET /",
        "",
        401,
        "WWW-Authenticate: Basic realm=\"larder\"\n\n{\"error\": \"unauthorized\"}",
    ),
];
