//! Pick k representatives under any metric.
