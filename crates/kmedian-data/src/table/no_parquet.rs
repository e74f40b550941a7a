//! In place of the Parquet reader where the feature `parquet` is off: refuses such tables by name.

use std::path::Path;

use crate::advice::Advice;
use crate::cells::Cells;
use crate::columns::Want;
use crate::demand::{DemandColumns, DemandOptions, Tally};
use crate::error::{Error, ErrorKind};
use crate::parts::Parts;
use crate::points::Points;

pub(crate) fn read(
    path: &Path,
    _want: Want<'_>,
    _parts: Option<&mut Parts<'_>>,
) -> Result<Points, Error> {
    Err(refused(path))
}

pub(crate) fn count_rows(path: &Path) -> Result<u64, Error> {
    Err(refused(path))
}

pub(crate) fn read_cells(path: &Path, _want: Want<'_>) -> Result<Cells, Error> {
    Err(refused(path))
}

pub(crate) fn count(
    path: &Path,
    _options: &DemandOptions,
    _tally: Option<&mut Tally<'_>>,
) -> Result<DemandColumns, Error> {
    Err(refused(path))
}

fn refused(path: &Path) -> Error {
    let what = "is Parquet, which was left out of this build";
    Error::new(ErrorKind::Format, path, what).advise(Advice::NoParquet)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::{Column, PointsOptions, Values, check_table_path, read_points, write_table};

    #[test]
    fn parquet_is_refused_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let column = Column { name: "x".into(), values: Values::Numbers(vec![1.0]) };
        let error = write_table(&path, &[column]).unwrap_err().to_string();
        assert!(error.contains("left out of this build") && !error.contains('\n'), "{error}");
        assert!(!path.exists());
        assert_eq!(check_table_path(&path).unwrap_err().to_string(), error);

        fs::write(&path, b"PAR1 and whatever follows PAR1").unwrap();
        let error = read_points(&path, &PointsOptions::default()).unwrap_err().to_string();
        assert!(error.contains("left out of this build") && !error.contains('\n'), "{error}");
    }
}
