//! Backups.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_backups_get_the_expected_answers() {
    run(CASES);
}

const PART: &str = "GET /backups/<id>?path=LARDER&offset=0&bytes=16";

const BEGUN: Case = case(
    "POST /backups",
    "",
    201,
    r#"{"id": "*", "began_ms": "*", "files": "*"}"#,
);

pub const CASES: &[Case] = &[
    case("GET /backups", "", 200, r#"{"backups": []}"#),
    case("HEAD /backups", "", 200, ""),
    case("PUT /backups", "", 405, "Allow: GET, HEAD, POST\n\n"),
    BEGUN,
    case("GET /backups", "", 200, r#"{"backups": [{"id": "<id>"}]}"#),
    case(PART, "", 200, "larder format 1"),
    case(
        "GET /backups/<id>?path=LARDER&offset=0&bytes=17",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "GET /backups/<id>?path=LARDER&offset=0&bytes=16&give_way=false",
        "",
        200,
        "larder format 1",
    ),
    case(
        "GET /backups/<id>?path=LARDER&offset=0&bytes=16&give_way=1",
        "",
        400,
        "give_way: true or false",
    ),
    case("GET /backups/<id>?path=LARDER", "", 400, "offset"),
    case("GET /backups/<id>", "", 400, "path"),
    case(
        "GET /backups/<id>?path=LOCK&offset=0&bytes=0",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /backups/0?path=LARDER&offset=0&bytes=16",
        "",
        404,
        "no backup 0",
    ),
    case("PATCH /backups/<id>", "", 405, "Allow: GET, DELETE\n\n"),
    case("DELETE /backups/<id>", "", 204, ""),
    case("DELETE /backups/<id>", "", 404, r#"{"error": "not_found"}"#),
    BEGUN,
    BEGUN,
    BEGUN,
    BEGUN,
    case("POST /backups", "", 429, "4 backups are under way"),
    case("DELETE /backups/<id>", "", 204, ""),
    BEGUN,
];
