//! The headers of every response.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// What the page may load: its own files and nothing else; no script or style within HTML.
const PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                    connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// What a report may do. It is a page without an origin that contains its plots and loads nothing.
const REPORT: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// What a response is, which decides what a browser may do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// The page, its files, data.
    Own,
    /// A report, in a frame of the page.
    Report,
}

/// Adds what every response has. A response that says how long it may be kept is left that.
pub(crate) fn secure(headers: &mut HeaderMap, content: Content) {
    let policy = match content {
        Content::Own => PAGE,
        Content::Report => REPORT,
    };
    let mut set = |name: HeaderName, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_SECURITY_POLICY, policy);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()");
    if content == Content::Own {
        set(header::X_FRAME_OPTIONS, "DENY");
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
