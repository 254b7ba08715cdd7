//! The source text of shaders.

/// Includes the text of a file in `shaders/`.
macro_rules! shader {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $file))
    };
}
pub(crate) use shader;

/// Includes the code of a file in `shaders/`. Its comments are left out where programs are
/// downloaded.
#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
macro_rules! code {
    ($file:literal) => {
        $crate::base::shader::shader!($file)
    };
}
#[cfg(all(feature = "gpu", target_arch = "wasm32"))]
macro_rules! code {
    ($file:literal) => {{
        const TEXT: &str = $crate::base::shader::shader!($file);
        const BYTES: [u8; TEXT.len()] = $crate::base::shader::without_comments(TEXT);
        const CODE: &str = match str::from_utf8(&BYTES) {
            Ok(code) => code,
            Err(_) => panic!("comments end at the ends of lines"),
        };
        CODE
    }};
}
#[cfg(feature = "gpu")]
pub(crate) use code;

/// Returns a text of `N` bytes with blanks in place of comments. Blanks compress to almost nothing,
/// and positions stay those in the file.
#[cfg(all(feature = "gpu", any(test, target_arch = "wasm32")))]
pub(crate) const fn without_comments<const N: usize>(text: &str) -> [u8; N] {
    let text = text.as_bytes();
    let mut code = [b' '; N];
    let mut in_comment = false;
    let mut at = 0;
    while at < N {
        in_comment = match text[at] {
            b'\n' => false,
            b'/' if at + 1 < N && text[at + 1] == b'/' => true,
            _ => in_comment,
        };
        if !in_comment {
            code[at] = text[at];
        }
        at += 1;
    }
    code
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_become_blanks() {
        const TEXT: &str = "// é\nlet x = a / b; // c // d\n  //\n}/";
        const CODE: [u8; TEXT.len()] = without_comments(TEXT);
        assert_eq!(str::from_utf8(&CODE), Ok("     \nlet x = a / b;          \n    \n}/"));
    }
}
