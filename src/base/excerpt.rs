//! Foreign text in error messages: names, paths and values as the caller or a file gave them.

use std::borrow::Cow;

/// The most characters that a message repeats of a text: more than paths usually have, and one screen at worst.
const MOST: usize = 200;

/// How many of them are the end of the text, where paths have the name of the file.
const END: usize = 80;

/// The text, or the beginning and the end of a long one, with the number of characters between them.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= MOST {
        return text.into();
    }
    let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let (start, end) = (&text[..at(MOST - END)], &text[at(count - END)..]);
    format!("{start}... ({} characters) ...{end}", count - MOST).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_in_the_middle() {
        for text in ["", "boxes.csv", &"é".repeat(MOST)] {
            assert_eq!(excerpt(text), text);
        }
        let long = format!("{}{}{}", "ä".repeat(MOST - END), "x".repeat(1234), "ö".repeat(END));
        let expected = format!("{}... (1234 characters) ...{}", "ä".repeat(MOST - END), "ö".repeat(END));
        assert_eq!(excerpt(&long), expected);
    }
}
