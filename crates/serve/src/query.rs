//! What a request asks for: `from`, `to`, `points` and the like.

use pagetide_core::{Error, suggest};

/// The pairs of a query. Each handler takes what it knows; [`Query::done`] refuses the rest.
#[derive(Debug)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(text: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(text.unwrap_or_default().as_bytes());
        Self(pairs.map(|(key, value)| (key.into_owned(), value.into_owned())).collect())
    }

    /// All values of a key.
    pub(crate) fn all(&mut self, key: &str) -> Vec<String> {
        let (taken, left) = std::mem::take(&mut self.0).into_iter().partition(|(known, _)| known == key);
        self.0 = left;
        taken.into_iter().map(|(_, value)| value).collect()
    }

    /// The only value of a key.
    pub(crate) fn one(&mut self, key: &str) -> Result<Option<String>, Error> {
        let mut values = self.all(key);
        if values.len() > 1 {
            return Err(Error::input(format!("{key} is given {} times", values.len()), "give it once"));
        }
        Ok(values.pop())
    }

    /// A whole number.
    pub(crate) fn number(&mut self, key: &str) -> Result<Option<i64>, Error> {
        let number = |text: String| {
            text.parse::<i64>().map_err(|_| Error::input(format!("{key} is not a whole number"), format!("{key}=1000")))
        };
        self.one(key)?.map(number).transpose()
    }

    /// Milliseconds since 1970-01-01 UTC as ns.
    pub(crate) fn moment(&mut self, key: &str) -> Result<Option<i64>, Error> {
        Ok(self.number(key)?.map(|ms| ms.saturating_mul(1_000_000)))
    }

    /// `from` and `to`, each absent where it is not given.
    pub(crate) fn range(&mut self) -> Result<(Option<i64>, Option<i64>), Error> {
        let (from, to) = (self.moment("from")?, self.moment("to")?);
        if from.zip(to).is_some_and(|(from, to)| from >= to) {
            return Err(Error::input("from is not before to", "give two moments in ms since 1970-01-01 UTC"));
        }
        Ok((from, to))
    }

    /// Refuses what nobody took.
    pub(crate) fn done(self, known: &[&str]) -> Result<(), Error> {
        let Some((key, _)) = self.0.first() else { return Ok(()) };
        let hint = match suggest::nearest(key, known.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("it takes {}", known.join(", ")),
        };
        Err(Error::input(format!("this address takes no `{key}`"), hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_gives_what_is_asked_and_refuses_the_rest() {
        let mut query = Query::parse(Some("from=5&to=9&s=a%2Fb&s=c"));
        assert_eq!(query.range().unwrap(), (Some(5_000_000), Some(9_000_000)));
        assert_eq!(query.all("s"), ["a/b", "c"]);
        assert_eq!(query.done(&["from", "to", "s"]), Ok(()));
        assert!(Query::parse(Some("form=5")).done(&["from"]).unwrap_err().hint.contains("did you mean from?"));
        for wrong in ["from=x", "from=5&to=5", "from=9&to=5", "from=1&from=2", "from=99999999999999999999"] {
            assert!(Query::parse(Some(wrong)).range().is_err(), "{wrong}");
        }
        assert_eq!(
            Query::parse(Some("from=9223372036854775807")).range().unwrap().0,
            Some(i64::MAX),
            "and no overflow"
        );
    }
}
