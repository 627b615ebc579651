//! Making answers.

use ::json::yaml;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{Body, HeaderName, HeaderValue, Request, Response, StatusCode, query_pairs};
use indices::error::ElasticError;
use serde_json::Value;

/// Clients refuse to talk to what does not say that it is Elasticsearch.
const PRODUCT: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-elastic-product"),
    HeaderValue::from_static("Elasticsearch"),
);
const OPAQUE_ID: &str = "x-opaque-id";
const REALM: HeaderValue = HeaderValue::from_static("Basic realm=\"larder\", charset=\"UTF-8\"");

/// What an endpoint answers.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its body.
    pub body: Content,
}

/// The body of an answer.
#[derive(Clone, Debug)]
pub enum Content {
    /// A value, in the form that the client wants.
    Json(Value),
    /// A text.
    Text(String),
    /// No body.
    Nothing,
}

/// An answer with this body.
pub fn ok(body: Value) -> Answer {
    json(StatusCode::OK, body)
}

/// An answer with this status and body.
pub fn json(status: StatusCode, body: Value) -> Answer {
    Answer {
        status,
        body: Content::Json(body),
    }
}

/// Whether something is there, as HEAD asks.
pub fn exists(is_there: bool) -> Answer {
    let status = if is_there {
        StatusCode::OK
    } else {
        StatusCode::NOT_FOUND
    };
    Answer {
        status,
        body: Content::Nothing,
    }
}

/// What changes answer that are done.
pub fn acknowledged() -> Answer {
    ok(serde_json::json!({"acknowledged": true}))
}

/// The answer that an error is.
pub fn error(error: &ElasticError) -> Answer {
    json(error.status, error.to_answer())
}

/// A media type in small letters, without what may follow it.
pub fn media_type(accepted: &str) -> String {
    let kind = accepted.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// In which form a client wants its answer.
#[derive(Clone, Debug)]
pub struct Form {
    pretty: bool,
    filter_path: Option<String>,
    content_type: HeaderValue,
    opaque_id: Option<HeaderValue>,
    /// Whether the answer is wanted as YAML.
    is_yaml: bool,
}

impl Form {
    /// Reads it from a request.
    pub fn of(request: &Request) -> Form {
        let parameter = |wanted: &str| {
            let mut pairs = query_pairs(request.query()).flatten();
            pairs
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| value.into_owned())
        };
        // A client of version 8 or 9 asks for its own media type and wants to see it again.
        let accepted = request.header("accept").unwrap_or_default();
        let compatible = accepted
            .split(',')
            .map(str::trim)
            .find(|one| one.starts_with("application/vnd.elasticsearch+json"));
        let content_type = compatible
            .and_then(|one| HeaderValue::from_str(&one.replace(' ', "")).ok())
            .unwrap_or(HeaderValue::from_static("application/json; charset=UTF-8"));
        Form {
            pretty: parameter("pretty").is_some_and(|value| value != "false"),
            filter_path: parameter("filter_path"),
            content_type,
            opaque_id: request.headers.get(OPAQUE_ID).cloned(),
            is_yaml: match parameter("format") {
                Some(format) => format.eq_ignore_ascii_case("yaml"),
                None => media_type(accepted) == "application/yaml",
            },
        }
    }

    /// The answer in this form.
    pub fn response(self, answer: Answer, is_head: bool) -> Response {
        let (text, content_type) = match answer.body {
            Content::Nothing => (String::new(), None),
            Content::Text(text) => (text, Some(HeaderValue::from_static("text/plain; charset=UTF-8"))),
            Content::Json(body) => {
                let body = match &self.filter_path {
                    Some(filter) => fetch::filter_path::filtered(body, filter),
                    None => body,
                };
                match (self.is_yaml, self.pretty) {
                    (true, _) => (
                        yaml::document(&body),
                        Some(HeaderValue::from_static("application/yaml")),
                    ),
                    (false, true) => (
                        serde_json::to_string_pretty(&body).unwrap_or_default() + "\n",
                        Some(self.content_type),
                    ),
                    (false, false) => (
                        serde_json::to_string(&body).unwrap_or_default(),
                        Some(self.content_type),
                    ),
                }
            }
        };
        let length = text.len();
        let mut response = Response::new(match is_head {
            true => Body::empty(),
            false => Body::from(text),
        });
        *response.status_mut() = answer.status;
        let headers = response.headers_mut();
        headers.insert(PRODUCT.0, PRODUCT.1);
        if is_head {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if let Some(content_type) = content_type {
            headers.insert(CONTENT_TYPE, content_type);
        }
        if let Some(id) = self.opaque_id {
            headers.insert(HeaderName::from_static(OPAQUE_ID), id);
        }
        if answer.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, REALM);
        }
        response
    }
}
