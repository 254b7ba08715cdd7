//! The date for results.

use std::time::{SystemTime, UNIX_EPOCH};

/// The seconds of a day.
const SECONDS: u64 = 24 * 60 * 60;

/// Returns the date of today in UTC, as 2026-01-31.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    day(since.as_secs() / SECONDS)
}

/// Returns the time in UTC, as 2026-01-31T12:34:56Z: that of `SOURCE_DATE_EPOCH`, seconds since
/// 1970, if it is set, so that results can be reproduced.
pub fn now() -> String {
    let set = std::env::var("SOURCE_DATE_EPOCH")
        .ok()
        .and_then(|seconds| seconds.parse().ok());
    let since = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs()
    };
    let seconds: u64 = set.unwrap_or_else(since);
    let of_day = seconds % SECONDS;
    let [hour, minute, second] = [of_day / 3600, of_day / 60 % 60, of_day % 60];
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", day(seconds / SECONDS))
}

/// Returns the date `days` days after 1970-01-01.
fn day(mut days: u64) -> String {
    let mut year = 1970;
    while days >= days_of(year) {
        days -= days_of(year);
        year += 1;
    }
    let february = days_of(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// Returns the number of days in a year of the Gregorian calendar.
fn days_of(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar() {
        for (days, date) in [
            (0, "1970-01-01"),
            (31 + 28 - 1, "1970-02-28"),
            (31 + 28, "1970-03-01"),
            (364, "1970-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_782, "2026-11-25"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(day(days), date, "{days}");
        }
    }
}
