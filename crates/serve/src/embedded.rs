//! The built page: the files of `page/`, which `make web` makes from `web/`, or a folder that is read on each request.

use crate::reply;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use pagetide_dir::Dir;
use std::path::{Path, PathBuf};

// `static FILES: &[(&str, &[u8])]`: the files of `page/` by their path, in order; written by build.rs.
include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Size limit of a file of the page.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// What `/` says when the folder of `--page` has no page.
const WITHOUT: &str = "<!DOCTYPE html><meta charset=utf-8><title>pagetide</title><p>The folder of <code>--page</code> has no \
                       <code>index.html</code>: <code>node web/build.mjs FOLDER</code> writes one. The data is under <code>/api/</code>.";

/// The page that the server gives out.
#[derive(Debug)]
pub(crate) enum Page {
    /// The files within this program.
    Embedded,
    /// The files of a folder.
    Folder(PathBuf),
}

impl Page {
    /// Whether there is one.
    pub(crate) fn is_there(&self) -> bool {
        match self {
            Self::Embedded => FILES.iter().any(|(name, _)| *name == "index.html"),
            Self::Folder(folder) => folder.join("index.html").is_file(),
        }
    }

    /// The document at `/`.
    pub(crate) fn index(&self) -> Response {
        match self.read("index.html") {
            Some(content) => reply::typed(StatusCode::OK, "text/html; charset=utf-8", content),
            None => reply::typed(StatusCode::OK, "text/html; charset=utf-8", WITHOUT),
        }
    }

    /// A file by its path, packed when the client takes that.
    pub(crate) fn file(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let takes_gzip = accepts.split(',').any(|coding| coding.trim().split(';').next() == Some("gzip"));
        let packed = takes_gzip.then(|| self.read(&format!("{path}.gz"))).flatten();
        let is_packed = packed.is_some();
        let content = packed.or_else(|| self.read(path))?;
        let mut response = reply::typed(StatusCode::OK, content_type(path), content);
        let headers = response.headers_mut();
        if is_packed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if matches!(self, Self::Embedded) {
            // Their names change with their content.
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
        }
        Some(response)
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self {
            Self::Embedded => {
                let at = FILES.binary_search_by_key(&path, |(name, _)| name).ok()?;
                Some(FILES[at].1.to_vec())
            }
            // No `..`, no link: a path that leaves the folder is not found.
            Self::Folder(folder) => Dir::open(folder).ok()?.read(Path::new(path), MAX_FILE_BYTES).ok(),
        }
    }
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leaves_the_folder_is_not_found() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("dist");
        std::fs::create_dir_all(folder.join("assets")).unwrap();
        std::fs::write(folder.join("index.html"), "page").unwrap();
        std::fs::write(folder.join("assets/a.js"), "1").unwrap();
        std::fs::write(scratch.path().join("secret"), "s").unwrap();
        std::os::unix::fs::symlink(scratch.path().join("secret"), folder.join("assets/link.js")).unwrap();
        let page = Page::Folder(folder);
        assert!(page.is_there() && page.read("assets/a.js").is_some());
        for path in ["../secret", "assets/../../secret", "assets/link.js", "/etc/passwd", "", ".", "assets", "a\0b"] {
            assert_eq!(page.read(path), None, "{path}");
        }
        let none = HeaderMap::new();
        assert!(page.file("assets/none.js", &none).is_none());
        assert_eq!(
            page.file("assets/a.js", &none).unwrap().headers()["content-type"],
            "text/javascript; charset=utf-8"
        );
    }
}
