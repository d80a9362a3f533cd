//! The diagnosis stored in a cut file: the words of the version that cut it, for readers with another version.
//!
//! A file may come from a stranger. So this is text of bounded length, which readers show only as what the file says.

use crate::diagnosis::Diagnosis;
use serde::{Deserialize, Serialize};

/// Largest size of a sentence, in bytes.
const MAX_SENTENCE: usize = 4096;
/// Links of the chain, and findings.
const MAX_ITEMS: usize = 64;

/// What a version of pagetide diagnosed when it cut a recording. Texts that are too long are cut off, also when a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Words")]
pub struct CutDiagnosis(Words);

/// The words, of any length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Words {
    tool_version: String,
    verdict: String,
    cause: Option<String>,
    summary: String,
    chain: Vec<String>,
    findings: Vec<String>,
}

fn bounded(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_SENTENCE));
    text
}

impl From<Words> for CutDiagnosis {
    fn from(words: Words) -> Self {
        let all = |texts: Vec<String>| texts.into_iter().take(MAX_ITEMS).map(bounded).collect();
        Self(Words {
            tool_version: bounded(words.tool_version),
            verdict: bounded(words.verdict),
            cause: words.cause.map(bounded),
            summary: bounded(words.summary),
            chain: all(words.chain),
            findings: all(words.findings),
        })
    }
}

impl CutDiagnosis {
    /// The words of a diagnosis that this version of pagetide made.
    pub fn new(diagnosis: &Diagnosis, tool_version: &str) -> Self {
        Words {
            tool_version: tool_version.to_owned(),
            verdict: diagnosis.verdict.name().to_owned(),
            cause: diagnosis.cause.as_ref().map(|cause| cause.rule.to_string()),
            summary: diagnosis.summary.clone(),
            chain: diagnosis.chain.iter().map(|link| format!("{} -> {}", link.cause, link.effect)).collect(),
            findings: diagnosis.findings.iter().map(|finding| finding.statement.clone()).collect(),
        }
        .into()
    }

    /// The version of pagetide that made it.
    pub fn tool_version(&self) -> &str {
        &self.0.tool_version
    }

    /// What happened, in a few sentences.
    pub fn summary(&self) -> &str {
        &self.0.summary
    }

    /// The links of the chain, `CAUSE -> EFFECT` each.
    pub fn chain(&self) -> &[String] {
        &self.0.chain
    }

    /// The statements of the findings.
    pub fn findings(&self) -> &[String] {
        &self.0.findings
    }

    /// Whether a diagnosis that was made anew has the same verdict, cause, chain and findings, in the same words.
    pub fn is_same(&self, diagnosis: &Diagnosis) -> bool {
        Self::new(diagnosis, &self.0.tool_version) == *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_is_bounded() {
        let long = "\u{e4}".repeat(MAX_SENTENCE);
        let many = vec![long.as_str(); 3 * MAX_ITEMS];
        let stored =
            serde_json::json!({"summary": long, "tool_version": long, "chain": many, "findings": many, "later": 1});
        let read: CutDiagnosis = serde_json::from_value(stored).unwrap();
        assert_eq!((read.summary().len(), read.tool_version().len()), (MAX_SENTENCE, MAX_SENTENCE));
        assert_eq!((read.chain().len(), read.findings().len()), (MAX_ITEMS, MAX_ITEMS));
        assert!(read.findings().iter().all(|text| text.len() == MAX_SENTENCE));
        let again: CutDiagnosis = serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
        assert_eq!(again, read);
    }

    #[test]
    fn another_diagnosis_is_not_the_same() {
        let diagnosis = Diagnosis { summary: "dd evicted 4 GiB.".to_owned(), ..Diagnosis::default() };
        let kept = CutDiagnosis::new(&diagnosis, "0.1.0");
        assert!(kept.is_same(&diagnosis));
        assert!(!kept.is_same(&Diagnosis { summary: "Nothing is wrong.".to_owned(), ..diagnosis }));
    }
}
