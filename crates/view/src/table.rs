//! A table as data: drawn as text by [`Table::draw`](crate::text::Style), and as HTML by the page.

use pagetide_core::Quantity;

/// On which side a column's cells stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// How a cell stands out. The text says the same without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// Not at all.
    #[default]
    Plain,
    /// Behind the others: it is there for completeness.
    Dim,
    /// Before the others.
    Strong,
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
}

/// A column: its heading, the unit of its numbers when the cells do not say it, and its side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The heading; a line break is kept on a terminal.
    pub head: String,
    /// The unit of all its numbers; empty when each cell has its own.
    pub unit: String,
    /// The side.
    pub align: Align,
}

/// One cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// How it stands out.
    pub tone: Tone,
    /// A file next to the page that it links to; empty without a link. A terminal does not show it.
    pub link: String,
    /// The time that it is about, ns on the recording's axis: plots mark it. A terminal does not show it.
    pub span: Option<(i64, i64)>,
}

impl Cell {
    /// A cell that stands out in `tone`.
    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, ..Self::default() }
    }

    /// The cell of something that was measured over this time.
    #[must_use]
    pub fn over(self, span: (i64, i64)) -> Self {
        Self { span: Some(span), ..self }
    }

    /// A cell that leads to a file beside the page.
    pub fn linked(text: impl Into<String>, file: &str) -> Self {
        // A name cannot pass for a scheme such as `javascript:` behind a folder.
        Self { text: text.into(), link: format!("./{file}"), ..Self::default() }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

impl From<Quantity> for Cell {
    fn from(quantity: Quantity) -> Self {
        Self::toned(quantity.to_string(), Tone::Plain)
    }
}

impl From<Option<Quantity>> for Cell {
    /// An absent value is a dash, never a zero.
    fn from(quantity: Option<Quantity>) -> Self {
        quantity.map_or_else(|| Self::toned("-", Tone::Dim), Self::from)
    }
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A heading over the rows that follow: a short name, and what it is.
    Group {
        /// The name.
        name: String,
        /// What it is, in a few words.
        what: String,
    },
    /// One cell per column; missing ones at the end are empty.
    Cells(Vec<Cell>),
}

/// Columns and rows.
///
/// ```
/// use pagetide_core::{Bytes, Quantity};
/// use pagetide_view::{Table, text::Style};
///
/// let mut table = Table::new().left("memory").right("size");
/// table.row(["free".into(), Quantity::bytes(Bytes::new(512 << 20)).into()]);
/// assert_eq!(table.to_text(Style { colour: false, width: 80 }), "memory     size\nfree    512 MiB\n");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns, from the left.
    pub columns: Vec<Column>,
    /// The rows, from the top.
    pub rows: Vec<Row>,
    /// What must be known to read it; empty when nothing must.
    pub note: String,
}

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column of words.
    #[must_use]
    pub fn left(self, head: &str) -> Self {
        self.column(head, Align::Left)
    }

    /// Adds a column of numbers.
    #[must_use]
    pub fn right(self, head: &str) -> Self {
        self.column(head, Align::Right)
    }

    /// Says the unit of the last column's numbers.
    #[must_use]
    pub fn unit(mut self, unit: &str) -> Self {
        if let Some(column) = self.columns.last_mut() {
            unit.clone_into(&mut column.unit);
        }
        self
    }

    fn column(mut self, head: &str, align: Align) -> Self {
        self.columns.push(Column { head: head.to_owned(), unit: String::new(), align });
        self
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(Row::Cells(cells.into_iter().collect()));
    }

    /// Adds a heading over the rows that follow.
    pub fn group(&mut self, name: impl Into<String>, what: impl Into<String>) {
        self.rows.push(Row::Group { name: name.into(), what: what.into() });
    }
}
