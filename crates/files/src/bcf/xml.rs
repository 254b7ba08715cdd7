//! Texts in XML.

/// Returns a text as the content of an element or attribute. Characters that XML cannot hold are
/// replaced.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            _ if letter.is_ascii_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_read_back() {
        for (text, back) in [
            (
                "a<b> & \"c\" 'd'\n\te ü \u{10ffff}",
                "a<b> & \"c\" 'd'\n\te ü \u{10ffff}",
            ),
            (
                "nul \0 bell \x07 \r\u{ffff}",
                "nul \u{fffd} bell \u{fffd} \u{fffd}\u{fffd}",
            ),
        ] {
            let document = format!("<a>{}</a>", escaped(text));
            let document = roxmltree::Document::parse(&document).expect("XML");
            assert_eq!(document.root_element().text(), Some(back));
        }
    }
}
