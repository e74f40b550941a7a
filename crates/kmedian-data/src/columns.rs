//! Which columns of a table are coordinates, ids and weights, by the names or positions that a user
//! gives.

use std::convert::Infallible;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::advice::Advice;
use crate::error::{Error, ErrorKind, did_you_mean, list, quote};
use crate::points::PointsOptions;

/// A column by name or 0-based position.
///
/// Text parses to [`ColumnRef::Name`], and a name that is made of digits and names no column is
/// taken as a position. So `2020` and `2021` are the columns of those names, and `0` and `1` the
/// first two columns of a table without such names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ColumnRef {
    /// The column of this name or, if there is none and the name is a number, at that position.
    Name(String),
    /// The column at this position, counted from 0, whatever its name.
    Index(usize),
}

impl FromStr for ColumnRef {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::from(text))
    }
}

impl From<&str> for ColumnRef {
    fn from(text: &str) -> Self {
        Self::Name(text.trim().to_owned())
    }
}

impl From<usize> for ColumnRef {
    fn from(position: usize) -> Self {
        Self::Index(position)
    }
}

impl fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Index(position) => write!(f, "{position}"),
        }
    }
}

impl ColumnRef {
    /// The name, unless it could be a position too, which says nothing about another table.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) if self.position().is_none() => Some(name),
            _ => None,
        }
    }

    /// The position that this stands for if no column has its name; `None` if it is no number.
    pub(crate) fn position(&self) -> Option<usize> {
        match self {
            Self::Index(position) => Some(*position),
            Self::Name(name) if name.bytes().all(|byte| byte.is_ascii_digit()) => name.parse().ok(),
            Self::Name(_) => None,
        }
    }

    pub(crate) fn resolve(&self, names: &Names<'_>) -> Result<usize, Error> {
        let fail = |what: String| Err(Error::new(ErrorKind::Column, names.path, what));
        if let Self::Name(name) = self {
            let mut matching = (0..names.names.len()).filter(|&i| names.names[i] == *name);
            match (matching.next(), matching.next()) {
                (Some(column), None) => return Ok(column),
                (Some(first), Some(second)) => {
                    return fail(format!(
                        "two columns are named {} (positions {first} and {second}); choose by \
                         position",
                        quote(name.as_bytes())
                    ));
                }
                _ => {}
            }
        }
        match self.position() {
            Some(position) if position < names.names.len() => Ok(position),
            _ => fail(names.unknown(self)),
        }
    }
}

/// The column names of a table.
pub(crate) struct Names<'a> {
    pub(crate) path: &'a Path,
    pub(crate) names: &'a [String],
    pub(crate) given: Given,
}

/// Where the names of a table's columns come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// The file names its columns.
    Public,
    /// The first line should name the columns. If it does not, it is a private record, so no
    /// message repeats it.
    Private,
    /// The file names no columns: their names are their positions.
    Positions,
}

impl Given {
    /// Where the names of a public text table come from, with or without a header.
    pub(crate) fn on_header(is_header: bool) -> Self {
        if is_header { Self::Public } else { Self::Positions }
    }
}

impl Names<'_> {
    fn unknown(&self, column: &ColumnRef) -> String {
        let wanted = match column {
            ColumnRef::Name(name) => quote(name.as_bytes()),
            ColumnRef::Index(position) => format!("at position {position}"),
        };
        match self.given {
            Given::Public => {
                let hint = match column {
                    ColumnRef::Name(name) => did_you_mean(name, self.names),
                    ColumnRef::Index(_) => String::new(),
                };
                format!("there is no column {wanted}{hint}; the columns are {}", list(self.names))
            }
            Given::Private => format!(
                "there is no column {wanted} on the first line, which has {} cells; does it name \
                 the columns?",
                self.names.len()
            ),
            Given::Positions => format!(
                "there is no column {wanted}; the file names no columns, choose by position from 0 \
                 to {}",
                self.names.len() - 1
            ),
        }
    }
}

/// What a caller wants from a table.
#[derive(Clone, Copy)]
pub(crate) enum Want<'a> {
    /// Coordinates, and perhaps an id and a weight for each row.
    Points(&'a PointsOptions),
    /// One column of weights: this one, or the only one.
    Weights(Option<&'a ColumnRef>),
    /// One column of text: this one, or the only one.
    Names(Option<&'a ColumnRef>),
    /// The items that rows name, and perhaps how much each row counts.
    Keyed { key: Option<&'a ColumnRef>, count: Option<&'a ColumnRef> },
    /// One column as text, whatever it holds.
    Texts(&'a ColumnRef),
}

impl<'a> Want<'a> {
    /// Whether the middle of a column may be subtracted from it.
    pub(crate) fn center(self) -> bool {
        matches!(self, Self::Points(options) if options.center)
    }

    /// Whether rows with gaps are left out.
    pub(crate) fn skip_missing(self) -> bool {
        matches!(self, Self::Points(options) if options.skip_missing)
    }

    /// Whether a text that is missing or not UTF-8 will do.
    pub(crate) fn any_text(self) -> bool {
        matches!(self, Self::Texts(_))
    }

    /// All columns that are asked for explicitly.
    pub(crate) fn references(self) -> Vec<&'a ColumnRef> {
        match self {
            Self::Points(options) => {
                let named = options.columns.iter().flatten().chain(&options.id);
                named.chain(&options.weight).chain(&options.others).collect()
            }
            Self::Weights(column) | Self::Names(column) => column.into_iter().collect(),
            Self::Keyed { key, count } => key.into_iter().chain(count).collect(),
            Self::Texts(column) => vec![column],
        }
    }

    /// The positions of all columns that are wanted. `numeric` says which columns may be chosen by
    /// default.
    pub(crate) fn resolve(
        self,
        names: &Names<'_>,
        numeric: impl Fn(usize) -> bool,
    ) -> Result<Selection, Error> {
        match self {
            Self::Points(options) => resolve_points(options, names, numeric),
            Self::Weights(column) => {
                Ok(Selection::only_weight(the_column(column, names, "the weights")?))
            }
            Self::Names(column) => Ok(Selection::only_id(the_column(column, names, "the items")?)),
            Self::Texts(column) => Ok(Selection::only_id(column.resolve(names)?)),
            Self::Keyed { key, count } => resolve_keyed(key, count, names),
        }
    }
}

/// The position of a column or, if none is named, of the only one. `what` it holds is for errors.
fn the_column(column: Option<&ColumnRef>, names: &Names<'_>, what: &str) -> Result<usize, Error> {
    match column {
        Some(column) => column.resolve(names),
        None if names.names.len() == 1 => Ok(0),
        None => Err(Error::new(
            ErrorKind::Column,
            names.path,
            format!(
                "has {} columns, so name the one that holds {what}: {}",
                names.names.len(),
                list(names.names)
            ),
        )),
    }
}

fn resolve_points(
    options: &PointsOptions,
    names: &Names<'_>,
    numeric: impl Fn(usize) -> bool,
) -> Result<Selection, Error> {
    let id = options.id.as_ref().map(|column| column.resolve(names)).transpose()?;
    let weight = options.weight.as_ref().map(|column| column.resolve(names)).transpose()?;
    let others = options.others.iter().map(|column| column.resolve(names));
    let others = others.collect::<Result<Vec<usize>, _>>()?;
    let features = match &options.columns {
        Some(columns) => {
            columns.iter().map(|column| column.resolve(names)).collect::<Result<Vec<_>, _>>()?
        }
        None => (0..names.names.len())
            .filter(|&column| Some(column) != id && Some(column) != weight)
            .filter(|&column| !others.contains(&column) && numeric(column))
            .collect(),
    };
    let again = |&(at, column): &(usize, &usize)| features[..at].contains(column);
    if let Some((_, &column)) = features.iter().enumerate().find(again) {
        let message =
            format!("column {} is given twice; give it once", list(&names.names[column..=column]));
        return Err(Error::new(ErrorKind::Column, names.path, message));
    }
    if features.is_empty() {
        return Err(Error::new(
            ErrorKind::Column,
            names.path,
            format!("no numeric column is left to read; the columns are {}", list(names.names)),
        )
        .advise(Advice::Columns));
    }
    Ok(Selection { features, id, weight, others, chosen: options.columns.is_some() })
}

fn resolve_keyed(
    key: Option<&ColumnRef>,
    count: Option<&ColumnRef>,
    names: &Names<'_>,
) -> Result<Selection, Error> {
    let weight = count.map(|column| column.resolve(names)).transpose()?;
    let mut others = (0..names.names.len()).filter(|&column| Some(column) != weight);
    let id = match (key, others.next(), others.next()) {
        (Some(key), ..) => key.resolve(names)?,
        (None, Some(only), None) => only,
        _ => {
            let what = format!(
                "nothing tells which of its columns names the items: {}",
                list(names.names)
            );
            return Err(Error::new(ErrorKind::Column, names.path, what).advise(Advice::NameKey));
        }
    };
    Ok(Selection { weight, ..Selection::only_id(id) })
}

/// The parts of the columns of a table, by position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// The coordinates, in the order in which they were chosen.
    pub(crate) features: Vec<usize>,
    pub(crate) id: Option<usize>,
    pub(crate) weight: Option<usize>,
    /// Columns that play another part, such as that of flags.
    pub(crate) others: Vec<usize>,
    /// Whether the user chose the features.
    pub(crate) chosen: bool,
}

impl Selection {
    /// Whether all of `width` columns are coordinates, in their order.
    pub(crate) fn is_all(&self, width: usize) -> bool {
        self.weight.is_none() && self.id.is_none() && self.features.iter().copied().eq(0..width)
    }

    fn only_weight(column: usize) -> Self {
        Self { weight: Some(column), chosen: true, ..Self::default() }
    }

    fn only_id(column: usize) -> Self {
        Self { id: Some(column), chosen: true, ..Self::default() }
    }

    /// Whether no option names a column.
    pub(crate) fn is_unnamed(&self, column: usize) -> bool {
        self.id != Some(column) && self.weight != Some(column) && !self.others.contains(&column)
    }

    /// What to do about text in a coordinate.
    pub(crate) fn text_advice(&self) -> Advice {
        if self.chosen { Advice::OtherColumns } else { Advice::ColumnsOrIds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(column: &ColumnRef, names: &[&str], given: Given) -> Result<usize, Error> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        column.resolve(&Names { path: Path::new("t.csv"), names: &names, given })
    }

    #[test]
    fn a_name_comes_before_a_position() {
        let one = ColumnRef::from("1");
        assert_eq!(resolve(&one, &["1", "0"], Given::Public), Ok(0));
        assert_eq!(resolve(&one, &["a", "b"], Given::Public), Ok(1));
        assert_eq!(resolve(&ColumnRef::Index(1), &["1", "0"], Given::Public), Ok(1));
    }

    #[test]
    fn an_unknown_column_is_answered_with_the_known_ones() {
        let error = resolve(&"z".into(), &["a", "b"], Given::Public).unwrap_err();
        assert_eq!(error.to_string(), "t.csv: there is no column `z`; the columns are `a`, `b`");
        let error = resolve(&"z".into(), &["0", "1"], Given::Positions).unwrap_err();
        assert!(error.to_string().ends_with("choose by position from 0 to 1"));
        let error = resolve(&ColumnRef::Index(7), &["a"], Given::Public).unwrap_err();
        assert!(error.to_string().contains("at position 7"));
    }

    #[test]
    fn an_ambiguous_name_is_refused() {
        let error = resolve(&"a".into(), &["a", "a"], Given::Public).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Column);
        assert!(error.to_string().contains("positions 0 and 1"));
    }
}
