//! A page in the Prometheus text format, of which one metric is wanted. The page may hold anything.

use std::collections::BTreeSet;

use crate::labels::{Label, take_labels, take_name};
use crate::metric::{Metric, labels_text};
use crate::near::nearest;

/// Names that are looked at for one like the wanted one.
const MAX_NAMES: usize = 20_000;
/// Series of the metric that are named when none of them fits.
const MOST_SERIES: usize = 3;
/// Characters of a series that is named.
const MAX_SERIES_CHARS: usize = 120;

/// Why a page does not contain the counter.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// There is no metric of this name.
    #[error("the page has no metric {name}{}", like(.near))]
    NoMetric {
        /// The name.
        name: String,
        /// Names like it.
        near: Vec<String>,
    },
    /// There is, but not with these labels.
    #[error("the page has no {metric}, but {}", .found.join(", "))]
    NoSeries {
        /// The requested metric.
        metric: String,
        /// What there is, as it begins.
        found: Vec<String>,
    },
    /// A line of it cannot be read, or is no number.
    #[error("the page's value of {metric} is no number: {value}")]
    NoNumber {
        /// The requested metric.
        metric: String,
        /// The line behind its name.
        value: String,
    },
}

fn like(near: &[String]) -> String {
    match near.is_empty() {
        true => String::new(),
        false => format!("; it has {}", near.join(", ")),
    }
}

/// The value of a metric, the sum of all of its series that fit. Lines of other metrics may be anything.
///
/// # Errors
/// See [`PageError`].
pub fn value_of(metric: &Metric, page: &[u8]) -> Result<f64, PageError> {
    let mut sum = None;
    let mut others = Vec::new();
    for line in page.split(|byte| *byte == b'\n') {
        // Each line on its own, so that a page is not copied as a whole.
        let line = String::from_utf8_lossy(line);
        let Some(rest) = behind_name(&line, metric.name()) else {
            continue;
        };
        let no_number = || PageError::NoNumber {
            metric: metric.to_string(),
            value: shortened(rest),
        };
        let (labels, rest) = take_labels(rest.trim_start()).ok_or_else(no_number)?;
        if metric.fits(&labels) {
            let value = first_number(rest).ok_or_else(no_number)?;
            sum = Some(sum.unwrap_or(0.0) + value);
        } else if others.len() < MOST_SERIES {
            others.push(series(metric.name(), &labels));
        }
    }
    match sum {
        Some(sum) if sum.is_finite() => Ok(sum),
        Some(sum) => Err(PageError::NoNumber {
            metric: metric.to_string(),
            value: sum.to_string(),
        }),
        None if others.is_empty() => Err(PageError::NoMetric {
            name: metric.name().to_owned(),
            near: nearest(metric.name(), names(page).iter().map(String::as_str)),
        }),
        None => Err(PageError::NoSeries {
            metric: metric.to_string(),
            found: others,
        }),
    }
}

/// What follows the name on a line that is of this metric.
fn behind_name<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (found, rest) = take_name(line.trim_start(), true)?;
    (found == name).then_some(rest)
}

/// The value behind name and labels; a time or an exemplar may follow it.
fn first_number(text: &str) -> Option<f64> {
    let value: f64 = text.split_whitespace().next()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// The names of all metrics, as far as they are looked at.
fn names(page: &[u8]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in page.split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        if let Some((name, _)) = take_name(line.trim_start(), true) {
            names.insert(name.to_owned());
        }
        if names.len() >= MAX_NAMES {
            break;
        }
    }
    names
}

fn series(name: &str, labels: &[Label]) -> String {
    shortened(&format!("{name}{}", labels_text(labels)))
}

fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.chars().count() > MAX_SERIES_CHARS {
        true => text.chars().take(MAX_SERIES_CHARS).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAGE: &str = r#"
# HELP shop_orders_total Orders that were taken, "all" {of} them
# TYPE shop_orders_total counter
shop_orders_total{queue="a",kind="x"} 10
shop_orders_total{queue="b",kind="x"} 5.5 1700000000000
  shop_orders_total {queue="b", kind="y",} 1e2 # {trace_id="7"} 1 1
shop_orders_total_created 1.7e9
shop_rate NaN
shop_text{a="shop_orders_total 7"} +Inf
this line is nothing {{{
"#;

    fn value(metric: &str) -> Result<f64, PageError> {
        value_of(&Metric::parse(metric).unwrap(), PAGE.as_bytes())
    }

    #[test]
    fn series_that_fit_are_summed() {
        assert_eq!(value("shop_orders_total"), Ok(115.5));
        assert_eq!(value("shop_orders_total{queue=\"b\"}"), Ok(105.5));
        assert_eq!(
            value("shop_orders_total{queue=\"b\",kind=\"y\"}"),
            Ok(100.0)
        );
        assert_eq!(value("shop_orders_total_created"), Ok(1.7e9));
        assert_eq!(value("shop_orders_total_created{queue=\"\"}"), Ok(1.7e9));
    }

    #[test]
    fn a_missing_metric_is_reported_with_those_of_the_page() {
        let message = |metric: &str| value(metric).unwrap_err().to_string();
        assert_eq!(
            message("shop_order_total"),
            "the page has no metric shop_order_total; it has shop_orders_total"
        );
        assert_eq!(message("memory"), "the page has no metric memory");
        assert_eq!(
            message("shop_orders_total{queue=\"c\"}"),
            "the page has no shop_orders_total{queue=\"c\"}, but shop_orders_total{queue=\"a\",kind=\"x\"}, shop_orders_total{queue=\"b\",kind=\"x\"}, shop_orders_total{queue=\"b\",kind=\"y\"}"
        );
        assert_eq!(
            message("shop_rate"),
            "the page's value of shop_rate is no number: NaN"
        );
        assert!(message("shop_text").ends_with("+Inf"));
    }

    #[test]
    fn a_hostile_page_costs_little() {
        let metric = Metric::parse("orders_total").unwrap();
        let many: String = (0..200_000).map(|n| format!("orders_{n} 1\n")).collect();
        let error = value_of(&metric, many.as_bytes()).unwrap_err();
        assert!(error.to_string().len() < 500, "{error}");
        let long = format!("orders_total{{a=\"{}\"}} x", "y".repeat(1 << 20));
        let error = value_of(&metric, long.as_bytes()).unwrap_err();
        assert!(error.to_string().len() < 500, "{error}");
        let deep = format!("orders_total{}", "{".repeat(1 << 20));
        assert!(value_of(&metric, deep.as_bytes()).is_err());
        let overflow = "orders_total 1e308\n".repeat(10);
        let error = value_of(&metric, overflow.as_bytes()).unwrap_err();
        assert!(matches!(error, PageError::NoNumber { .. }), "{error}");
    }

    proptest! {
        #[test]
        fn garbage_is_a_number_or_an_error(page in proptest::collection::vec(any::<u8>(), 0..400)) {
            let metric = Metric::parse("a").unwrap();
            let value = value_of(&metric, &page);
            prop_assert!(value.map_or(true, f64::is_finite));
        }

        #[test]
        fn nearly_a_page_is_a_number_or_an_error(page in "(a[{ ]?(b=\"[x\\\\\"\n]{0,3}\",?)?[} ]?[0-9.eE+-]{0,4}[ \n]){0,8}") {
            let metric = Metric::parse("a{b=\"x\"}").unwrap();
            let value = value_of(&metric, page.as_bytes());
            prop_assert!(value.map_or(true, f64::is_finite));
        }

        #[test]
        fn values_of_a_page_come_back(values in proptest::collection::vec(0..1_000_000u32, 1..20), label in "[^\n\r]{0,10}") {
            let escaped = label.replace('\\', r"\\").replace('"', "\\\"");
            let page: String = values.iter().map(|value| format!("a_total{{l=\"{escaped}\"}} {value}\n")).collect();
            let metric = Metric { name: "a_total".into(), labels: vec![("l".into(), label)] };
            prop_assert_eq!(value_of(&metric, page.as_bytes()), Ok(values.iter().map(|value| f64::from(*value)).sum()));
        }
    }
}
