//! The origin of a report: the command, and the day of its newest rows.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::store::has_quick_rows;

/// Where a report comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The command that made the rows and the report.
    pub command: String,
    /// The day of the newest rows in UTC, such as `2026-01-31`; `None` if it is not known.
    pub date: Option<String>,
}

impl Origin {
    /// The origin of the rows below an output folder: the command that runs everything, and the day
    /// of the newest file. So a report that is made again from the same rows has the same origin.
    pub fn of_folder(out: &Path) -> Self {
        let files = fs::read_dir(out.join("rows")).into_iter().flatten().flatten();
        let times = files.filter_map(|file| file.metadata().ok()?.modified().ok());
        Self {
            command: format!(
                "cargo run --release -p kmedian-lab -- all{} --out results/",
                if has_quick_rows(out) { " --quick" } else { "" }
            ),
            date: times.max().and_then(date),
        }
    }
}

/// The day of a time in UTC, such as `2026-01-31`; `None` before 1970.
fn date(moment: SystemTime) -> Option<String> {
    let days = moment.duration_since(UNIX_EPOCH).ok()?.as_secs() / 86_400;
    // Years are counted from March, so that a leap day is at the end of a year. From March 1 of
    // year 0 to January 1, 1970, there are 719,468 days.
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    Some(format!("{:04}-{month:02}-{of_month:02}", era * 400 + year + next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_by_hand() {
        let at =
            |days: u64| date(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 86_399)).unwrap();
        assert_eq!(at(0), "1970-01-01");
        assert_eq!(at(31 + 28), "1970-03-01");
        assert_eq!(at(11_016), "2000-02-29");
        assert_eq!(at(11_017), "2000-03-01");
        assert_eq!(at(19_722), "2023-12-31");
        assert_eq!(at(19_723), "2024-01-01");
        assert_eq!(date(UNIX_EPOCH - Duration::from_secs(1)), None);
    }

    #[test]
    fn the_newest_rows_give_the_day() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Origin::of_folder(folder.path()).date, None);
        fs::create_dir(folder.path().join("rows")).unwrap();
        for (name, days) in [("cost.jsonl", 19_723), ("epsilon.jsonl", 19_722)] {
            let file = fs::File::create(folder.path().join("rows").join(name)).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(days * 86_400)).unwrap();
        }
        assert_eq!(Origin::of_folder(folder.path()).date.as_deref(), Some("2024-01-01"));
    }
}
