//! The headline of a scenario's report: one sentence with the figures that matter.

use super::scale::Scale;
use crate::figure::Figure;
use crate::quantity::Quantity;
use crate::suggest;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A sentence with `{STEP.FIGURE}` for what a step measured, and `{STEP.FIGURE / STEP.FIGURE}` for a ratio.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headline(Vec<Part>);

/// The figure of a step.
type Measured = (String, Figure);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Figure(Measured),
    Ratio(Measured, Measured),
}

impl Headline {
    /// Reads a headline; the error says what is wrong with it.
    ///
    /// # Errors
    /// When a brace is not closed, or what stands in braces is no figure.
    fn read(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let (inside, after) = behind.split_once('}').ok_or("a brace is not closed")?;
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(match inside.split_once('/') {
                Some((over, under)) => Part::Ratio(measured(over)?, measured(under)?),
                None => Part::Figure(measured(inside)?),
            });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self(parts))
    }

    /// The same with the sizes that its text names at another scale.
    #[must_use]
    pub(super) fn scaled(&self, scale: Scale) -> Self {
        let part = |part: &Part| match part {
            Part::Text(text) => Part::Text(scale.words(text)),
            part => part.clone(),
        };
        Self(self.0.iter().map(part).collect())
    }

    /// The figures that it names, with their steps.
    pub fn figures(&self) -> impl Iterator<Item = (&str, Figure)> {
        let figures = self.0.iter().flat_map(|part| match part {
            Part::Text(_) => Vec::new(),
            Part::Figure(one) => vec![one],
            Part::Ratio(over, under) => vec![over, under],
        });
        figures.map(|(step, figure)| (step.as_str(), *figure))
    }

    /// The sentence with the figures of a run; absent when there is none, or one of them was not measured.
    pub fn fill(&self, figure: impl Fn(&str, Figure) -> Option<Quantity>) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Figure((step, name)) => figure(step, *name).map(|quantity| match name {
                Figure::Iops => format!("{} IOPS", Quantity::count(quantity.value.round())),
                _ => quantity.to_string(),
            }),
            Part::Ratio(over, under) => {
                let (over, under) = (figure(&over.0, over.1)?, figure(&under.0, under.1)?);
                (under.value > 0.0).then(|| Quantity::count(round(over.value / under.value)).to_string())
            }
        };
        let parts: Option<Vec<String>> = self.0.iter().map(text).collect();
        parts.map(|parts| parts.concat()).filter(|text| !text.is_empty())
    }
}

/// Two significant digits below 10, whole numbers above.
fn round(ratio: f64) -> f64 {
    if ratio < 10.0 { (ratio * 10.0).round() / 10.0 } else { ratio.round() }
}

fn measured(text: &str) -> Result<Measured, String> {
    let text = text.trim();
    let (step, name) = text.rsplit_once('.').ok_or_else(|| format!("`{text}` is not STEP.FIGURE"))?;
    let figure = Figure::by_name(name).ok_or_else(|| {
        let known = Figure::ALL.iter().map(|figure| figure.name());
        format!("`{name}` is not a figure{}", suggest::hint(name, known))
    })?;
    Ok((step.to_owned(), figure))
}

impl std::str::FromStr for Headline {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::read(text)
    }
}

impl std::fmt::Display for Headline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(text),
            Part::Figure((step, figure)) => write!(f, "{{{step}.{}}}", figure.name()),
            Part::Ratio(over, under) => {
                write!(f, "{{{}.{} / {}.{}}}", over.0, over.1.name(), under.0, under.1.name())
            }
        })
    }
}

impl Serialize for Headline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Headline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Unit;

    #[test]
    fn a_headline_is_filled_with_what_was_measured() {
        let text = "The read fell from {A2.iops} to {A6.iops}, {A2.iops / A6.iops} times less";
        let headline = Headline::read(text).unwrap();
        assert_eq!(headline.to_string(), text);
        assert_eq!(headline.figures().map(|(step, _)| step).collect::<Vec<_>>(), ["A2", "A6", "A2", "A6"]);
        let iops = |step: &str, figure| {
            let value = if step == "A2" { 436_907.0 } else { 38_642.0 };
            (figure == Figure::Iops).then(|| Quantity::new(value, Unit::PerSecond))
        };
        let filled = headline.fill(iops).unwrap();
        assert_eq!(filled, "The read fell from 436 907 IOPS to 38 642 IOPS, 11 times less");
        assert_eq!(headline.fill(|step, figure| iops(step, figure).filter(|_| step == "A2")), None);
        assert_eq!(Headline::default().fill(iops), None);
    }

    #[test]
    fn a_headline_names_figures_of_steps() {
        assert!(Headline::read("{A2.iop}").unwrap_err().contains("did you mean `iops`"));
        assert!(Headline::read("{A2}").unwrap_err().contains("STEP.FIGURE"));
        assert!(Headline::read("{A2.iops").is_err());
    }
}
