//! What a page is made of.

use crate::table::Table;
use crate::timeline::Timeline;
use pagetide_core::{Advice, Verdict};

/// A page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// What it is about, in one line.
    pub title: String,
    /// What it is for, a paragraph each.
    pub lead: Vec<String>,
    /// What came out, in one sentence.
    pub outcome: String,
    /// The rest, from the top.
    pub blocks: Vec<Block>,
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
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// A table.
    Table(Table),
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
    /// What speaks for it.
    pub evidence: Table,
    /// What speaks against it; without rows when nothing does.
    pub contradictions: Table,
    /// What to do.
    pub advice: Vec<Advice>,
    /// The same finding with the same advice at other places.
    pub also: Vec<FindingCard>,
}

/// A thing in the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// What happened.
    pub words: String,
    /// The thing it follows from, by its place in the chain; absent for the cause.
    pub after: Option<usize>,
    /// When it began, as its reader knows the time.
    pub when: String,
    /// How long after its cause it began, and how exactly that is known.
    pub lag: String,
    /// Amounts of its cause and of itself.
    pub amounts: String,
    /// How it follows.
    pub how: String,
    /// The kernel's functions.
    pub kernel: String,
    /// From when to when, ns on the recording's axis.
    pub range: (i64, i64),
}
