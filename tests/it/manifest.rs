//! What `Cargo.toml` says about the package.

const MANIFEST: &str = include_str!("../../Cargo.toml");

/// The lines of a section.
fn section(name: &str) -> impl Iterator<Item = &'static str> {
    let lines = MANIFEST.lines().skip_while(move |line| *line != format!("[{name}]"));
    lines.skip(1).take_while(|line| !line.starts_with('['))
}

/// docs.rs shows what each feature adds, but for the program, what is for work on the project alone, and what is unstable.
#[test]
fn the_documentation_has_every_public_feature() {
    let hidden = ["cli", "default", "reload", "unstable"];
    let named = section("features").filter(|line| !line.starts_with([' ', ']', '#']));
    let names = named.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    let mut public: Vec<&str> = names.filter(|name| !hidden.contains(name)).collect();
    public.sort_unstable();
    assert!(public.contains(&"render"), "{public:?}");
    let shown = section("package.metadata.docs.rs").find_map(|line| line.strip_prefix("features = "));
    assert_eq!(shown, Some(&*format!("{public:?}")));
}
