//! Authentication and API keys while no user exists. The tests with clients cover servers with users.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_api_keys_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "GET /_security/_authenticate",
        "",
        200,
        r#"{"username": "_anonymous"}"#,
    ),
    case("POST /_security/_authenticate", "", 405, ""),
    case("GET /_security/api_key", "", 200, r#"{"api_keys": []}"#),
    case("GET /_security/api_key?id=none", "", 404, ""),
    case(
        "PUT /_security/api_key",
        r#"{"name": "k"}"#,
        400,
        r#"{"error": {"reason": "API keys belong to users, and there are none yet"}}"#,
    ),
    case(
        "PUT /_security/api_key",
        r#"{"name": "k", "role_descriptors": {"r": {}}}"#,
        501,
        "",
    ),
    case("PUT /_security/api_key", r#"{"name": "k", "other": 1}"#, 400, ""),
    case("DELETE /_security/api_key", "{}", 400, ""),
    case("GET /_security/user", "", 501, ""),
];
