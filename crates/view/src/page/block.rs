//! What a page is made of.

use crate::stage::Stage;
use crate::table::{Table, Tone};
use crate::timeline::Timeline;
use pagetide_core::{Advice, Verdict};

/// A page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// What it is about, in one line.
    pub title: String,
    /// What could not be read, a sentence each.
    pub damaged: Vec<String>,
    /// The answer, with the numbers that matter; empty where the outcome is all that is known.
    pub headline: String,
    /// What belongs to the answer, a paragraph each.
    pub lead: Vec<String>,
    /// What came out, in one sentence.
    pub outcome: String,
    /// The rest, from the top.
    pub blocks: Vec<Block>,
    /// The names of processes, groups and disks that caused what happened, …
    pub culprits: Vec<String>,
    /// … and of those that suffer from it: each has its colour wherever it is named.
    pub victims: Vec<String>,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// A list of sentences.
    List(Vec<String>),
    /// Names and values, of a line or more.
    Facts(Vec<(String, Vec<String>)>),
    /// A table.
    Table(Table),
    /// The steps of a run with a verdict on each.
    Steps(Vec<StepVerdict>),
    /// The verdict on every claim.
    Claims(Vec<Verdict>),
    /// A finding.
    Finding(Box<FindingCard>),
    /// The causal chain, the cause first.
    Chain(Vec<Stage>),
    /// What to do.
    Advice(Vec<Advice>),
    /// Plots.
    Timeline(Box<Timeline>),
    /// A picture of [`crate::curve`] or [`crate::bars`], where pictures can be shown.
    Picture {
        /// The picture.
        svg: String,
        /// What it shows.
        words: String,
    },
    /// A table that is opened on demand where that can be done, and left out elsewhere.
    More {
        /// What it holds.
        summary: String,
        /// The table.
        table: Table,
    },
}

/// A step of a run, its numbers, and what the rules say of it when they read it as a live host.
#[derive(Debug, Clone, PartialEq)]
pub struct StepVerdict {
    /// Its id.
    pub id: String,
    /// What it is.
    pub title: String,
    /// Its IOPS; empty where it has none.
    pub iops: String,
    /// The share of requested bytes that the page cache served.
    pub hit_ratio: Option<f64>,
    /// The verdict in a few words.
    pub verdict: String,
    /// Whether it is good or bad.
    pub tone: Tone,
    /// What the rules say, in one sentence.
    pub statement: String,
}

/// A finding as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingCard {
    /// The rule's id.
    pub rule: String,
    /// The statement.
    pub statement: String,
    /// The step or the time range it is about.
    pub place: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// The same in words.
    pub sureness: &'static str,
    /// Whether its evidence is shown at once, and not folded.
    pub open: bool,
    /// What speaks for it.
    pub evidence: Table,
    /// What speaks against it; without rows when nothing does.
    pub contradictions: Table,
    /// What to do.
    pub advice: Vec<Advice>,
    /// What the same rule found at other places.
    pub also: Vec<FindingCard>,
}
