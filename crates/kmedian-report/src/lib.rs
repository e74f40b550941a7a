//! Centers and what they serve as a page to look at: one HTML file that needs nothing else.
//!
//! [`fit_page`] is for centers that were fitted, [`release_page`] for private ones, [`plan_page`]
//! for a plan. The first two show a [`Subject`]: the items, and where they are drawn. A page holds
//! its data, at most [`MOST_SHOWN`] items of it, and a script that draws them on a canvas; its
//! policy of content forbids the browser to load anything. Whatever comes from a file is data to
//! the script or escaped, never markup.
//!
//! A page is a function of what it is given alone: it has no date, no times and no paths, so that
//! the page of a private release follows from the release and the public items.

mod areas;
mod colors;
mod encode;
mod fit;
mod html;
mod layout;
mod map;
mod plan;
mod release;
mod subject;
mod thin;
mod worst;

pub use colors::colors;
pub use fit::fit_page;
pub use html::escaped;
pub use layout::{pivot_places, principal_places};
pub use plan::{PlanSubject, plan_page};
pub use release::{DataFree, Estimate, Finding, release_page};
pub use subject::{Images, Places, Subject};
pub use thin::MOST_SHOWN;
