//! The contents of `Cargo.toml`.

const MANIFEST: &str = include_str!("../../Cargo.toml");

/// The lines of a section.
fn section(name: &str) -> impl Iterator<Item = &'static str> {
    let lines = MANIFEST.lines().skip_while(move |line| *line != format!("[{name}]"));
    lines.skip(1).take_while(|line| !line.starts_with('['))
}

/// docs.rs shows the items of each feature, except unstable ones and those only for work on this
/// project.
#[test]
fn the_documentation_has_every_public_feature() {
    let hidden = ["default", "reload", "unstable"];
    let named = section("features").filter(|line| !line.starts_with([' ', ']', '#']));
    let names = named.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    let mut public: Vec<&str> = names.filter(|name| !hidden.contains(name)).collect();
    public.sort_unstable();
    assert!(public.contains(&"serde"), "{public:?}");
    let shown = section("package.metadata.docs.rs").find_map(|line| line.strip_prefix("features = "));
    assert_eq!(shown, Some(&*format!("{public:?}")));
}

/// The names of all features but the default.
fn features() -> Vec<&'static str> {
    let named = section("features").filter(|line| !line.starts_with([' ', ']', '#']));
    let names = named.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    names.filter(|name| *name != "default").collect()
}

/// Both tables of features have all of them.
#[test]
fn features_are_documented() {
    let [library, guide] = [
        include_str!("../../src/lib.rs"),
        include_str!("../../docs/src/guide/library.md"),
    ];
    for feature in features() {
        assert!(
            library.contains(&format!("//! - `{feature}`")),
            "{feature} in src/lib.rs"
        );
        assert!(guide.contains(&format!("\n| `{feature}`")), "{feature} in the guide");
    }
}

/// Without optimization a frame takes about twenty times as long. Dependents can enable it for this
/// crate alone.
#[test]
fn the_readme_has_the_profile_of_debug_builds() {
    for page in [
        include_str!("../../README.md"),
        include_str!("../../docs/src/guide/library.md"),
    ] {
        assert!(page.contains("```toml\n[profile.dev.package.\"*\"]\nopt-level = 3\n```"));
    }
}
