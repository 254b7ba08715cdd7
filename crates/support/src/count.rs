//! Parsing of human-readable numbers of boxes.

/// Parses a number of boxes: digits, optionally with `_` between them, a decimal part, and a suffix
/// k, M or G or an exponent.
///
/// # Errors
/// A description of the expected form if `text` is not such a number, is not whole, or exceeds 32
/// bits.
pub fn parse_count(text: &str) -> Result<usize, String> {
    let shape = || String::from("expected a whole number such as 10k, 1.5M, 1e5 or 250_000");
    let (number, exponent) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 3),
        Some((at, 'm' | 'M')) => (&text[..at], 6),
        Some((at, 'g' | 'G')) => (&text[..at], 9),
        _ => match text.split_once(['e', 'E']) {
            Some((number, digits)) => (number, exponent(digits).ok_or_else(shape)?),
            None => (text, 0),
        },
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_digit()) && part.chars().all(|c| c.is_ascii_digit() || c == '_')
    };
    if !is_number(whole) || !is_number(fraction) {
        return Err(shape());
    }
    let fraction = fraction.replace('_', "");
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > exponent {
        return Err(shape());
    }
    let digits = whole.replace('_', "") + fraction + &"0".repeat(exponent - fraction.len());
    match digits.parse::<u32>() {
        Ok(count) => Ok(count as usize),
        Err(_) => Err(format!("at most {} boxes are supported", u32::MAX)),
    }
}

/// Parses a decimal exponent without a minus sign, of at most two digits.
fn exponent(digits: &str) -> Option<usize> {
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let is_number = (1..=2).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_parsed_or_refused() {
        for (text, count) in [
            ("0", 0),
            ("7", 7),
            ("007", 7),
            ("250_000", 250_000),
            ("10k", 10_000),
            ("10K", 10_000),
            ("1M", 1_000_000),
            ("1.5M", 1_500_000),
            ("1.500k", 1_500),
            ("2.0", 2),
            ("1e5", 100_000),
            ("1E+03", 1_000),
            ("2.5e6", 2_500_000),
            ("1_0e0", 10),
            ("0e99", 0),
            ("4G", 4_000_000_000),
            ("4294967295", 4_294_967_295),
        ] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for text in [
            "",
            "k",
            "-1",
            "+1",
            "1e",
            "e5",
            "1e-3",
            "10e-1",
            "1e5k",
            "1e5e5",
            "1e100",
            "1e+",
            "1.25e1",
            "1.",
            ".5k",
            "1.5",
            "1.0001k",
            "1.5.2M",
            "10kk",
            "_1",
            "ten",
            "4294967296",
            "5G",
            "1e10",
            "99999999999999999999999999",
            "1 000",
            "１",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }
}
