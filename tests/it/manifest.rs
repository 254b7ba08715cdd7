//! The contents of `Cargo.toml`.

use crate::words::project;

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

/// The requirement of a dependency of the workspace, such as "0.33".
fn requirement<'a>(manifest: &'a str, name: &str) -> &'a str {
    let line = manifest.lines().find(|line| line.starts_with(&format!("{name} = ")));
    let quoted = line.and_then(|line| line.split('"').nth(1));
    quoted.unwrap_or_else(|| panic!("{name} has no version"))
}

/// The pages name the versions that the manifests ask for.
#[test]
fn the_tables_of_versions_are_those_of_the_manifests() {
    let [glam, wgpu, rust, own] = ["glam", "wgpu", "rust-version", "version"].map(|name| requirement(MANIFEST, name));
    let (wgpu, own) = (wgpu.trim_end_matches(".0"), own.trim_end_matches(".0"));
    // Versions that differ in the third number alone have the same types.
    let glam = glam.match_indices('.').nth(1).map_or(glam, |(end, _)| &glam[..end]);
    let plugin = project().join("crates/bevy_obbligato");
    let manifest = std::fs::read_to_string(plugin.join("Cargo.toml")).expect("a manifest");
    let bevy = requirement(&manifest, "bevy_ecs");
    let page = include_str!("../../docs/src/guide/engines.md");
    let row = format!("\n| {own} | {glam} | {wgpu} | {bevy} | {rust} |\n");
    assert!(page.contains(&row), "{row}");
    let readme = std::fs::read_to_string(plugin.join("README.md")).expect("a readme");
    let row = format!("\n| {own} | {bevy} | {own} | {glam} | {rust} |\n");
    assert!(readme.contains(&row), "{row}");
    let sentence =
        format!("Release {own} uses glam {glam}, as Bevy {bevy} and Parry 0.31 do, and wgpu {wgpu}, as Bevy");
    assert!(include_str!("../../README.md").contains(&sentence), "{sentence}");
}

/// Bevy, Parry and obbligato have one glam and one wgpu, so that their types need no conversion;
/// also with Bevy's renderer, in a package of its own.
#[test]
fn there_is_one_version_of_shared_types() {
    let expect_one_of = |names: &[&str], path: &str| {
        let lock = std::fs::read_to_string(project().join(path)).expect("a lock file");
        for name in names {
            let count = lock.matches(&format!("\nname = \"{name}\"\n")).count();
            assert_eq!(count, 1, "{name} in {path}");
        }
    };
    expect_one_of(&["glam", "wgpu", "naga", "parry3d"], "Cargo.lock");
    let rendered = "crates/bevy_obbligato/examples/on_gpu/Cargo.lock";
    expect_one_of(&["glam", "wgpu", "naga", "bevy_render"], rendered);
}
