//! Users of the page sign in by a cookie, and have the same rights there as elsewhere.

use crate::server::{Server, run};
use testing::http::{Case, case, exchange};

#[test]
fn users_sign_in_by_a_cookie_and_keep_their_rights() {
    run(CASES);
}

#[test]
fn after_ten_wrong_passwords_the_form_says_when_to_try_again() {
    let server = Server::start();
    let asked = exchange(server.address, "POST /api/command/admin", ROOT);
    assert_eq!(asked.status, 200);
    let sign_in = |name: &str, password: &str| {
        let body = format!(r#"{{"name": "{name}", "password": "{password}"}}"#);
        exchange(server.address, "POST /api/session", &body)
    };
    for _ in 0..10 {
        assert_eq!(sign_in("root", "wrong").status, 401);
    }
    for password in ["wrong", "secret"] {
        let refused = sign_in("root", password);
        assert_eq!((refused.status, refused.header("retry-after")), (429, Some("61")));
    }
    assert_eq!(sign_in("ann", "wrong").status, 401, "others are not refused");
}

const USER: &str = r#"{"createUser": "ann", "pwd": "secret", "roles": [{"role": "read", "db": "default"}]}"#;
const ROOT: &str = r#"{"createUser": "root", "pwd": "secret", "roles": ["root"]}"#;

pub const CASES: &[Case] = &[
    case(
        "POST /api/command/default",
        r#"{"insert": "a", "documents": [{"_id": 1}]}"#,
        200,
        "",
    ),
    case(
        "POST /api/command/other",
        r#"{"insert": "b", "documents": [{"_id": 1}]}"#,
        200,
        "",
    ),
    case("POST /api/command/admin", ROOT, 200, ""),
    case(
        "POST /api/command/admin\nAuthorization: Basic cm9vdDpzZWNyZXQ=",
        USER,
        200,
        "",
    ),
    // The headers that the server's own pages send.
    case(
        "POST /api/command/default\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nOrigin: http://<host>",
        r#"{"find": "a"}"#,
        200,
        "",
    ),
    case(
        "PUT /files/other.photos/cat\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nOrigin: http://<host>",
        "mew",
        201,
        "",
    ),
    // The page itself is for everybody, and says who has to sign in.
    case("GET /", "", 200, ""),
    case("GET /api/session", "", 200, r#"{"users": true, "user": null}"#),
    case("GET /api/collections", "", 401, r#"{"error": "unauthorized"}"#),
    case("GET /api/couch/a", "", 401, ""),
    case("GET /api/elastic/a/_count", "", 401, ""),
    case("GET /api/tail?c=a", "", 401, ""),
    case(
        "POST /api/session",
        r#"{"name": "ann", "password": "wrong"}"#,
        401,
        "no user has this name and password",
    ),
    case(
        "POST /api/session",
        r#"{"name": "ann", "password": "secret"}"#,
        200,
        "Set-Cookie: HttpOnly; SameSite=Strict\n\n{\"name\": \"ann\", \"roles\": [{\"role\": \"read\"}]}",
    ),
    case(
        "GET /api/session\nCookie: <set-cookie>",
        "",
        200,
        r#"{"user": {"name": "ann"}}"#,
    ),
    case(
        "GET /api/collections\nCookie: <set-cookie>",
        "",
        200,
        r#"{"collections": [{"name": "default.a"}]}"#,
    ),
    case(
        "GET /api/elastic/a/_count\nCookie: <set-cookie>",
        "",
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "POST /api/command/default\nCookie: <set-cookie>",
        r#"{"find": "a"}"#,
        200,
        "",
    ),
    case(
        "POST /api/command/default\nCookie: <set-cookie>",
        r#"{"insert": "a", "documents": [{}]}"#,
        400,
        "Unauthorized",
    ),
    case(
        "POST /api/command/other\nCookie: <set-cookie>",
        r#"{"find": "b"}"#,
        400,
        "Unauthorized",
    ),
    case(
        "GET /api/export/other.b\nCookie: <set-cookie>",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case("GET /api/status\nCookie: <set-cookie>", "", 403, "serverStatus"),
    case("GET /files/photos\nCookie: <set-cookie>", "", 200, ""),
    // A cookie that a browser adds to a request of another site's page counts for nothing.
    case(
        "POST /api/command/default\nCookie: <set-cookie>\nOrigin: http://evil.example",
        r#"{"find": "a"}"#,
        403,
        "",
    ),
    // Nor does a password that it knows: what changes something comes from this server's own pages alone.
    case(
        "PUT /files/photos/cat\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nOrigin: http://127.0.0.1:3000",
        "mew",
        403,
        "a page of http://127.0.0.1:3000 cannot change anything here",
    ),
    case(
        "PUT /files/photos/cat\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nSec-Fetch-Site: same-site",
        "mew",
        403,
        "a page of another site",
    ),
    case(
        "POST /files/photos\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nOrigin: null",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "DELETE /files/photos/cat\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nOrigin: http://evil.example",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "POST /uploads/photos\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nOrigin: http://evil.example\nTus-Resumable: 1.0.0\nUpload-Length: 6",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "POST /backups\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nOrigin: http://evil.example",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "GET /files/other.photos/cat\nAuthorization: Basic cm9vdDpzZWNyZXQ=\nOrigin: http://evil.example",
        "",
        200,
        "mew",
    ),
    // Whoever is dropped is signed out.
    case(
        "POST /api/command/admin\nAuthorization: Basic cm9vdDpzZWNyZXQ=",
        r#"{"dropUser": "ann"}"#,
        200,
        "",
    ),
    case("GET /api/collections\nCookie: <set-cookie>", "", 401, ""),
    case(
        "POST /api/session",
        r#"{"name": "root", "password": "secret", "stay": true}"#,
        200,
        "Set-Cookie: Max-Age=2592000\n\n",
    ),
    case("GET /api/status\nCookie: <set-cookie>", "", 200, ""),
    // Further slashes at the beginning do not bypass the checks.
    case(
        "GET //api/status\nCookie: <set-cookie>\nOrigin: http://evil.example",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    // The body of somebody who did not log in is not looked at.
    case(
        "POST /api/command/admin",
        "{",
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    // A new password signs out whoever signed in by the one before.
    case(
        "POST /api/command/admin\nCookie: <set-cookie>",
        r#"{"updateUser": "root", "pwd": "another"}"#,
        200,
        "",
    ),
    case("GET /api/status\nCookie: <set-cookie>", "", 401, ""),
    case(
        "DELETE /api/session\nCookie: <set-cookie>",
        "",
        200,
        "Set-Cookie: Max-Age=0\n\n",
    ),
];
