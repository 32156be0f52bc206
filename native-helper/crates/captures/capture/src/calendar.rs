//! Days of the calendar, UTC: the helper knows no time zones.

pub(crate) const S_PER_DAY: u64 = 86_400;

/// `2026-11-23`, of seconds since 1970.
pub fn date(unix_s: u64) -> String {
    let (year, month, day) = civil(unix_s / S_PER_DAY);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `14:03:12`, of seconds since 1970.
pub fn time_of_day(unix_s: u64) -> String {
    let second = unix_s % S_PER_DAY;
    let (hours, minutes) = (second / 3600, second / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}", second % 60)
}

/// Year, month and day of a day after 1970-01-01.
pub(crate) fn civil(mut days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    while days >= days_of_year(year) {
        days -= days_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while days >= days_of_month(year, month) {
        days -= days_of_month(year, month);
        month += 1;
    }
    (year, month, days + 1)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_year(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leap_day_is_a_day() {
        assert_eq!(date(951_782_399), "2000-02-28");
        assert_eq!(date(951_782_400), "2000-02-29");
    }

    #[test]
    fn the_time_of_day_begins_at_midnight() {
        assert_eq!(time_of_day(951_782_399), "23:59:59");
        assert_eq!(time_of_day(951_782_400), "00:00:00");
        assert_eq!(time_of_day(951_782_400 + 3661), "01:01:01");
    }
}
