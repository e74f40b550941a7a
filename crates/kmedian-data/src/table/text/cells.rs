//! Reads some columns of a text table as texts, without making numbers of them.

use std::path::Path;

use super::rows::Rows;
use super::{Table, format_name};
use crate::cells::{CellColumn, CellValues, Cells};
use crate::columns::{Given, Names, Want};
use crate::error::{Error, ErrorKind};
use crate::input::{Input, check_width};
use crate::table::Header;
use crate::table::header::judge;
use crate::table::records::Delimiter;

/// Reads the wanted columns of a text table, whatever they hold.
pub(crate) fn read_cells(
    path: &Path,
    input: Input,
    delimiter: Delimiter,
    want: Want<'_>,
    header: Header,
) -> Result<Cells, Error> {
    let (format, size) = (format_name(delimiter, input.gzip), input.size);
    let Some(table) = Table::open(path, input, delimiter)? else {
        return Err(Error::new(ErrorKind::Empty, path, "has no rows"));
    };
    check_width(path, table.first.len(), size)?;
    let verdict = judge(&table.first, table.ahead.first(), want, header);
    let names = table.names(verdict.is_header);
    let given = Given::on_header(verdict.is_header);
    let named = |column: usize| !(verdict.is_header && names[column].is_empty());
    let mut selection = want.resolve(&Names { path, names: &names, given }, named)?;
    let columns = std::mem::take(&mut selection.features);
    let (width, line) = (table.first.len(), table.first.line);
    let mut rows = Rows::new(path, &names, (width, line), selection, want);
    let mut texts = vec![Vec::new(); columns.len()];
    table.for_each(verdict.is_header, |record| {
        rows.push(record)?;
        for (texts, &column) in texts.iter_mut().zip(&columns) {
            texts.push(rows.id(record, column)?);
        }
        Ok(())
    })?;
    let points = rows.finish(format)?;
    let column = |(texts, at): (Vec<String>, usize)| CellColumn {
        name: names[at].clone(),
        values: CellValues::Texts(texts),
    };
    let columns = texts.into_iter().zip(columns).map(column).collect();
    let notes = verdict.note.into_iter().collect();
    Ok(Cells {
        rows: points.rows,
        columns,
        ids: points.ids,
        weights: points.weights,
        format,
        notes,
    })
}
