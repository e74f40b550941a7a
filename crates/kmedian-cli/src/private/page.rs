//! The page of a release. All of it may be published: like the report, it is computed from the
//! release and from public things.

use std::path::Path;

use kmedian_report::{DataFree, Estimate, Finding, release_page};

use super::report::{self, Report};
use crate::failure::Failure;
use crate::pictures::{Pictures, page_title};

/// Writes the page of private centers. It is called like the file of the public items, so that it
/// is the same whether it is made with the release or later.
pub(crate) fn write(
    file: &Path,
    universe: &Path,
    pictures: &Pictures,
    report: &Report<'_>,
) -> Result<(), Failure> {
    let findings: Vec<Finding> = report.findings.iter().map(finding).collect();
    let terms = &report.terms;
    let title = page_title(universe);
    let page = pictures.with_subject(report.universe, &title, report.objective, |subject| {
        release_page(subject, terms.is_private, &terms.facts(report.universe), &findings)
    });
    Ok(kmedian_data::write_atomically(file, |out| out.write_all(page.as_bytes()))?)
}

fn finding(found: &report::Finding) -> Finding {
    let estimate = found.estimate.as_ref().map(|estimate| Estimate {
        cost: estimate.cost,
        cost_interval: estimate.cost_interval,
        sizes: estimate.sizes.clone(),
        size_intervals: estimate.size_intervals.clone(),
        service: estimate.service.clone(),
        data_free: estimate
            .data_free
            .as_ref()
            .map(|free| DataFree { cost: free.estimated_cost, advantage: free.advantage }),
    });
    Finding { centers: found.centers.clone(), estimate }
}
