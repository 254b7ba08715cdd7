//! Texts and elements in XML.

use std::ops::Range;

use roxmltree::Node;

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

/// Returns a child of an element.
pub fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|node| node.has_tag_name(name))
}

/// Returns the edit that appends XML to the content of an element of a text: a range of the text,
/// and what replaces it.
pub fn appended(text: &str, node: &Node<'_, '_>, content: &str) -> (Range<usize>, String) {
    let range = node.range();
    let element = &text[range.clone()];
    match element.strip_suffix("/>") {
        Some(start) => {
            // With its prefix.
            let name = start[1..].split(char::is_whitespace).next().unwrap_or_default();
            (range.end - 2..range.end, format!(">{content}</{name}>"))
        }
        None => {
            let end = range.start + element.rfind("</").unwrap_or(element.len());
            (end..end, content.to_owned())
        }
    }
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

    #[test]
    fn content_is_appended_to_any_element() {
        for (before, after) in [
            ("<a><b/></a>", "<a><b>+</b></a>"),
            ("<a><b c='/>' /></a>", "<a><b c='/>' >+</b></a>"),
            ("<a><b><!-- </b> -->x</b ></a>", "<a><b><!-- </b> -->x+</b ></a>"),
            ("<a xmlns:p='q'><p:b/></a>", "<a xmlns:p='q'><p:b>+</p:b></a>"),
        ] {
            let document = roxmltree::Document::parse(before).expect("XML");
            let node = document.root_element().first_element_child().expect("an element");
            let (range, new) = appended(before, &node, "+");
            let mut text = before.to_owned();
            text.replace_range(range, &new);
            assert_eq!(text, after);
        }
    }
}
