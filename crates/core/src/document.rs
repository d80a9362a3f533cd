//! JSON documents: what every `--json` prints, and the JSON files of a run's folder.

use serde::Serialize;

/// A JSON object with the version of its schema. docs/JSON.md describes the keys of each.
#[derive(Debug, Serialize)]
pub struct Document<T> {
    schema_version: u32,
    #[serde(flatten)]
    body: T,
}

impl<T: Serialize> Document<T> {
    /// The version of the schema of all documents.
    pub const VERSION: u32 = 2;

    /// The document of a body, which is an object itself.
    pub const fn new(body: T) -> Self {
        Self { schema_version: Self::VERSION, body }
    }

    /// Its text, indented, with a line end.
    ///
    /// # Errors
    /// The body is not an object, or has a key that is not text.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Its text on one line.
    ///
    /// # Errors
    /// As of [`Self::to_text`].
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|text| text + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_one_object_with_its_version_first() {
        assert_eq!(Document::new(json!({ "a": 1 })).to_line().unwrap(), "{\"schema_version\":2,\"a\":1}\n");
        assert!(Document::new(json!([1])).to_line().is_err(), "an array has no place for a version");
    }
}
