//! `obbligato completions` and `obbligato man`.

use std::fs;

use super::program::{COMMANDS, assert_failure, names, run, succeed};

#[test]
fn every_shell_completes_every_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = succeed(here, &["completions", shell]);
        for word in COMMANDS.into_iter().chain(["broad-phase", "html", "min-depth"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
        assert_eq!(script, succeed(here, &["completions", shell, "--quiet"]), "{shell}");
    }
    for (arguments, words) in [
        (&["completions"][..], "<SHELL>"),
        (&["completions", "tcsh"], "possible values: bash"),
        (&["completions", "bash", "zsh"], "unexpected argument"),
    ] {
        let output = run(here, arguments);
        assert_failure(words, &output, 2, words);
        assert_failure(words, &output, 2, "see `obbligato completions --help`");
    }
    assert!(names(here).is_empty());
}

#[test]
fn every_command_has_a_page_in_the_manual() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let said = succeed(here, &["man", "--out", "share/man1"]);
    assert_eq!(said, format!("wrote {} pages to share/man1\n", COMMANDS.len() + 1));
    let of_commands = COMMANDS.map(|command| format!("obbligato-{command}.1"));
    let expected = of_commands.into_iter().chain(["obbligato.1".to_owned()]);
    assert_eq!(names(&here.join("share/man1")), expected.collect());
    let page = |name: &str| fs::read_to_string(here.join("share/man1").join(name)).expect("the page is there");
    for command in COMMANDS {
        let page = page(&format!("obbligato-{command}.1"));
        assert!(page.contains(&format!(".TH obbligato-{command} 1")), "{page}");
        assert!(page.contains(".SH SYNOPSIS") && page.contains("Example"), "{page}");
        assert!(page.contains(r"\-\-quiet"), "{page}");
    }
    assert!(page("obbligato-check.1").contains(r"\-\-min\-depth"));
    assert!(page("obbligato.1").contains(r"obbligato\-check(1)"));

    // Again, into the existing folder.
    succeed(here, &["man", "--out", "share/man1"]);
    fs::write(here.join("file"), "").expect("it can be written");
    for (arguments, words) in [
        (&["man"][..], "--out <DIR>"),
        (&["man", "--out", "file"], "file: cannot be made"),
        (&["man", "--out", ""], "a value is required"),
    ] {
        assert_failure(words, &run(here, arguments), 2, words);
    }
}
