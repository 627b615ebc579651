//! Which pages may show an answer within themselves: `X-Frame-Options` (`src/chttpd/src/chttpd_xframe_options.erl`), configured in the
//! sections `chttpd` and `x_frame_options`.

use crate::call::Call;
use http::{HeaderName, HeaderValue};

/// The header that says it.
pub(crate) const FRAME_OPTIONS: HeaderName = HeaderName::from_static("x-frame-options");

const DENY: HeaderValue = HeaderValue::from_static("DENY");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("SAMEORIGIN");

/// What the answer to a request says; nothing where the settings do not want it.
pub(crate) fn wanted(call: &Call) -> Option<HeaderValue> {
    let config = &call.server.config;
    if !config.is_on("chttpd", "enable_xframe_options") {
        return None;
    }
    if config.is_on("x_frame_options", "same_origin") {
        return Some(SAME_ORIGIN);
    }
    let own = call.url(&[]);
    let hosts = config.get("x_frame_options", "hosts").unwrap_or_default();
    let is_allowed = hosts.trim() == "*" || hosts.split(',').any(|host| host.trim() == own);
    let allowed = is_allowed.then(|| HeaderValue::try_from(format!("ALLOW-FROM {own}")).ok());
    Some(allowed.flatten().unwrap_or(DENY))
}
