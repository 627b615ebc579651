//! HTTP/1.1 for the protocols that speak it: connections, bodies, and the small grammars of URLs and headers.
//!
//! [`serve`] accepts connections and hands each [`Request`] to a [`Handler`], which gives a [`Response`]. Bodies are
//! streams both ways: [`RequestBody`] is read chunk by chunk or whole up to a limit, and a [`Body`] is nothing, bytes
//! at hand, or a channel that somebody fills. [`Client`] asks other servers, over TLS where their address says so.
//!
//! What must hold: no bytes from a client cause a panic, a hang or unbounded memory; every size and time has a limit in
//! [`Options`] or is named by the caller.
//!
//! Left to others: what a path means, who may do what, how errors look. Nothing of Larder is known here.

mod accept;
mod aside;
mod body;
mod chunks;
mod client;
mod conditional;
mod connection;
mod cookie;
mod credentials;
mod etag;
mod feed;
mod gzip;
mod hosts;
mod intake;
mod linger;
mod media_type;
mod multipart;
mod pace;
mod percent;
mod query;
mod range;
mod reach;
mod request;
mod secure;
mod serve;
mod site;
mod slot;
mod target;
mod title_case;
mod unread;

pub use accept::{accepts_encoding, accepts_type, preferred_type};
pub use aside::{Aside, AsidePieces};
pub use body::{Beginning, Body, BodyError, BodySender, RequestBody, ResponseBody};
pub use client::{Client, ClientError, ClientRequest, ClientResponse, Trust};
pub use conditional::{Precondition, http_date, if_range, read_precondition, write_precondition};
pub use cookie::{cookie, cookies};
pub use credentials::{BasicCredentials, basic_credentials};
pub use etag::if_none_match;
pub use gzip::{GzipDecoder, GzipEncoder};
pub use hosts::{HostError, Hosts};
pub use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
pub use hyper::{Method, StatusCode, Uri};
pub use media_type::is_harmless;
pub use multipart::{
    Event, MultipartError, MultipartParser, MultipartReader, PART_HEAD_BYTES_MAX, PartHead, Pieces, boundary,
    parameter,
};
pub use percent::{percent_decode, percent_encode, percent_encode_bytes};
pub use query::query_pairs;
pub use range::{Ranges, ranges};
pub use reach::Reach;
pub use request::{Asker, Request};
pub use secure::{SecureConnection, connect_secure};
pub use serve::{Handler, Options, serve};
pub use site::{OtherSite, other_site, refuse_other_sites};
pub use title_case::title_case;

/// An answer: status, headers, body.
pub type Response = hyper::Response<Body>;
