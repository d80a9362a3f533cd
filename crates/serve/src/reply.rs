//! Responses: JSON documents, errors, pages.

use crate::headers::{self, Content};
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pagetide_core::{Document, Error, ErrorKind};
use pagetide_view::Page;
use serde::Serialize;

/// An answer that is not given.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    pub(crate) error: Error,
}

/// What an API handler gives.
pub(crate) type Answer = Result<Response, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error.kind {
            ErrorKind::Input | ErrorKind::TooNew => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, error }
    }
}

impl Failure {
    pub(crate) fn new(status: StatusCode, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, error: Error::input(what, hint) }
    }

    /// There is nothing of this name.
    pub(crate) fn not_found(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what, "GET /api/recordings and /api/runs list what is served")
    }
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: ErrorText<'a>,
}

#[derive(Serialize)]
struct ErrorText<'a> {
    what: &'a str,
    hint: &'a str,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let text = ErrorText { what: &self.error.what, hint: &self.error.hint };
        let body = Document::new(ErrorBody { error: text }).to_line().unwrap_or_default();
        typed(self.status, "application/json", body)
    }
}

/// A JSON document.
pub(crate) fn json(body: impl Serialize) -> Answer {
    Ok(typed(StatusCode::OK, "application/json", text(body)?))
}

/// The text of a JSON document, on one line.
pub(crate) fn text(body: impl Serialize) -> Result<String, Error> {
    Document::new(body).to_line().map_err(|error| Error::system(format!("JSON: {error}"), ""))
}

/// A report, or why there is none. Both are shown in a frame, which no JSON may be.
pub(crate) fn report(drawn: Result<Page, Failure>) -> Answer {
    let (status, page) = match drawn {
        Ok(page) => (StatusCode::OK, page),
        Err(Failure { status, error }) => {
            let title = "There is no report".to_owned();
            (status, Page { title, headline: error.what, outcome: error.hint, ..Page::default() })
        }
    };
    let mut html = Vec::new();
    pagetide_view::html::draw(&page, &mut html)
        .map_err(|error| Error::system(format!("cannot draw the report: {error}"), ""))?;
    let mut response = typed(status, "text/html; charset=utf-8", html);
    headers::secure(response.headers_mut(), Content::Report);
    Ok(response)
}

/// A response of a type, with the headers of all responses.
pub(crate) fn typed(status: StatusCode, content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers::secure(response.headers_mut(), Content::Own);
    response
}
