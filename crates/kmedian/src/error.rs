use std::fmt;

/// An error of this crate: what went wrong, in one line that says what to do about it.
///
/// Not having converged is never an error: it is a [`Stop`](crate::Stop).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    /// The items that the message is about, each in the place of a `{}`; none if it is whole.
    items: Vec<usize>,
}

/// The kinds of [`Error`], for callers that react to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is nothing to cluster: no items, or no demand.
    Empty,
    /// Sizes do not fit together: weights for other items, a matrix that is not square.
    Shape,
    /// A number that cannot be used: NaN, infinite, or negative where it must not be.
    Value,
    /// The distances are not a metric: asymmetric, negative, or not zero from an item to itself.
    NotAMetric,
    /// A graph falls apart into components with no finite distance between them.
    Disconnected,
    /// A parameter is out of its range, such as k = 0 or k > n.
    Parameter,
    /// The run was ended, by its observer or a halt, before there was a result.
    Cancelled,
    /// A private release that cannot be used: truncated, edited, of another version or another
    /// universe.
    Release,
    /// The operating system gives no random bits.
    Entropy,
}

impl Error {
    /// An error with this message. Control characters in it, such as line breaks in text that the
    /// user gave, are escaped, so that it stays on one line.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let message = if is_one_line(&message) { message } else { one_line(&message) };
        Self { kind, message, items: Vec::new() }
    }

    /// An error about items: each stands in the place of a `{}` of the message.
    pub(crate) fn about_items(
        kind: ErrorKind,
        message: impl Into<String>,
        items: Vec<usize>,
    ) -> Self {
        Self { items, ..Self::new(kind, message) }
    }

    /// The message, with the items that it is about called by these names. Otherwise they are
    /// called by their positions, from 0.
    ///
    /// ```
    /// use kmedian::{Graph, Problem};
    ///
    /// let one_way = Graph::directed(2, &[(0, 1, 1.0)])?;
    /// let Err(error) = Problem::of(&one_way).build() else { panic!("island is a dead end") };
    /// let names = ["harbor", "island"];
    /// let message = error.naming(|item| names[item].to_owned());
    /// assert!(message.starts_with("candidate island does not reach 1 of 2 nodes, such as harbor"));
    /// # Ok::<(), kmedian::Error>(())
    /// ```
    pub fn naming(&self, name: impl Fn(usize) -> String) -> String {
        let mut message = self.message.clone();
        for &item in &self.items {
            message = message.replacen("{}", &name(item).replace("{}", "{ }"), 1);
        }
        message
    }

    /// The kind of the error, by which a program can tell what went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.naming(|item| item.to_string()))
    }
}

impl std::error::Error for Error {}

fn is_one_line(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// The text with its control characters, such as line breaks, escaped.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metric;

    #[test]
    fn what_was_given_stays_on_one_line() {
        let error = Error::new(ErrorKind::Parameter, "`a\n\u{1b}[2J` is no ε");
        assert_eq!(error.to_string(), "`a\\n\\u{1b}[2J` is no ε");
        assert!("l2\r\n".parse::<Metric>().is_err_and(|error| is_one_line(&error.to_string())));
    }
}
