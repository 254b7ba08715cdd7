//! Display of untrusted text: names, paths and values given by the caller or a file.

use std::borrow::Cow;

/// The maximum number of characters that a message repeats of a text: longer than most paths, and
/// one screen at worst.
const MOST: usize = 200;

/// The number of those characters that come from the end of the text, which is the file name in a
/// path.
const END: usize = 80;

/// Returns the text, or the beginning and the end of a long one, with the number of characters
/// between them.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= MOST {
        return text.into();
    }
    let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let (start, end) = (&text[..at(MOST - END)], &text[at(count - END)..]);
    format!("{start}... ({} characters) ...{end}", count - MOST).into()
}

/// Returns `true` for characters that are invisible or change how others are shown: control
/// characters, which terminals interpret as commands, line and paragraph separators, marks of
/// writing direction, and characters of no width. Joiners are not among them, because letters of
/// some scripts need them.
fn is_unseen(character: char) -> bool {
    const UNSEEN: [(char, char); 9] = [
        ('\u{AD}', '\u{AD}'),
        ('\u{61C}', '\u{61C}'),
        ('\u{180E}', '\u{180E}'),
        ('\u{200B}', '\u{200B}'),
        ('\u{200E}', '\u{200F}'),
        ('\u{2028}', '\u{202E}'),
        ('\u{2060}', '\u{206F}'),
        ('\u{FEFF}', '\u{FEFF}'),
        ('\u{FFF9}', '\u{FFFB}'),
    ];
    character.is_control()
        || !character.is_ascii()
            && (UNSEEN.iter().any(|&(first, last)| (first..=last).contains(&character))
                || ('\u{E0000}'..='\u{E007F}').contains(&character))
}

/// Replaces every invisible character except line feeds by an escape such as `\u{1b}`. For all
/// output to people that may contain foreign text, because a terminal executes some characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |character, shown| shown.extend(character.escape_unicode()))
}

/// Like [`visible`], for JSON: the escapes, such as `\u001b`, read back as the original characters.
pub fn visible_json(text: &str) -> Cow<'_, str> {
    escaped(text, |character, shown| {
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            shown.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let is_escaped = |character: char| character != '\n' && is_unseen(character);
    if !text.contains(is_escaped) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match is_escaped(character) {
            true => escape(character, &mut shown),
            false => shown.push(character),
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        for text in [
            "",
            "a\nb",
            "naïve 12\u{a0}kg",
            "e\u{301}",
            "نامه\u{200c}ای",
            "👩\u{200d}🚀",
            "a\\u{1b}",
        ] {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}");
            assert_eq!(visible(text), text);
        }
        let controls = (0..0x20).chain(0x7F..0xA0).filter(|&code| code != u32::from('\n'));
        let others = [
            0xAD, 0x61C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0xFEFF, 0xE0041,
        ];
        for code in controls.chain(others) {
            let character = char::from_u32(code).expect("a character");
            let text = format!("a{character}b");
            assert_eq!(visible(&text), format!("a\\u{{{code:x}}}b"));
            assert_eq!(visible(&visible(&text)), visible(&text));
        }
        assert_eq!(visible("\u{1b}[2J\r\u{9b}1m"), "\\u{1b}[2J\\u{d}\\u{9b}1m");
    }

    #[test]
    fn escapes_of_json_read_back() {
        let text = "a\n\u{7f}\u{9b}\u{202e}\u{2028}\u{e0041}ß";
        let json = format!("\"{}\"", visible_json(&text.replace('\n', "\\n")));
        assert_eq!(json, "\"a\\n\\u007f\\u009b\\u202e\\u2028\\udb40\\udc41ß\"");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }

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
