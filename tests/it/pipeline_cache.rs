//! The file of compiled shaders: its contents after use. Nothing in it, or in its place, prevents a
//! check from answering.

use std::fs;
use std::path::{Path, PathBuf};

use obbligato::{Config, GpuConfig, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{required_features, required_limits},
};
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{adapter, cpu_pairs, device, expect_pairs, gpu_alone};

fn settings(path: &Path) -> GpuConfig {
    GpuConfig {
        pipeline_cache: Some(path.to_owned()),
        ..GpuConfig::default()
    }
}

/// Makes a checker with a cache in that place, asserts that it finds all pairs, and returns its
/// warnings.
#[track_caller]
fn warnings(what: &str, path: &Path) -> Vec<String> {
    let boxes = Scene::Dense.generate(200, 1);
    let mut checker = gpu_alone(settings(path));
    let report = checker.check(&boxes).unwrap_or_else(|error| panic!("{what}: {error}"));
    expect_pairs(what, &cpu_pairs(&boxes), report.pairs().expect("asked for"));
    checker.warnings().to_vec()
}

/// Returns `true` if the adapter of these tests supports pipeline caches: those of Vulkan do.
fn is_supported() -> bool {
    adapter().features().contains(wgpu::Features::PIPELINE_CACHE)
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("new/cache.bin");
    (folder, path)
}

#[track_caller]
fn expect_one(what: &str, warnings: &[String], words: &str) {
    assert!(
        warnings.len() == 1 && warnings[0].contains(words) && !warnings[0].contains('\n'),
        "{what}: {warnings:?}"
    );
}

#[test]
fn a_cache_is_created_once_and_repaired() {
    let (_folder, path) = folder();
    if !is_supported() {
        expect_one("no caches", &warnings("no caches", &path), "supports none");
        assert!(!path.exists());
        return;
    }
    assert_eq!(warnings("a new file", &path), [""; 0]);
    let content = fs::read(&path).expect("a cache");
    let written = fs::metadata(&path).and_then(|file| file.modified()).expect("a time");
    assert_eq!(warnings("the same file", &path), [""; 0]);
    let again = fs::metadata(&path).and_then(|file| file.modified()).expect("a time");
    assert_eq!(written, again, "nothing new is written");

    let flipped = |at: usize| {
        let mut damaged = content.clone();
        damaged[at] ^= 1;
        damaged
    };
    for (what, damaged) in [
        ("an empty file", Vec::new()),
        ("the checksum is wrong", flipped(9)),
        ("wgpu's header is wrong", flipped(16)),
        ("the last byte is wrong", flipped(content.len() - 1)),
        ("cut short", content[..content.len() - 1].to_vec()),
        ("cut after the signature", content[..8].to_vec()),
        ("longer", [&content[..], &[0]].concat()),
    ] {
        fs::write(&path, damaged).expect("a damaged file");
        assert_eq!(warnings(what, &path), [""; 0]);
        assert!(fs::read(&path).expect("a cache") == content, "{what}: not mended");
    }
    let names = fs::read_dir(path.parent().expect("a folder")).expect("a listing");
    assert_eq!(names.count(), 1, "no temporary file is left");
}

#[test]
fn files_that_are_not_caches_are_left_alone() {
    let (folder, path) = folder();
    if !is_supported() {
        return;
    }
    let other = folder.path().join("scene.csv");
    for content in [&b"cx,cy,cz\n"[..], b"obbpipe", b"obbpipe0 and more"] {
        fs::write(&other, content).expect("a file");
        expect_one("another file", &warnings("another file", &other), "choose another");
        assert_eq!(fs::read(&other).expect("the file"), content);
    }
    expect_one(
        "a folder",
        &warnings("a folder", folder.path()),
        "cannot open the pipeline cache",
    );
    let below_a_file = other.join("cache.bin");
    expect_one(
        "below a file",
        &warnings("below a file", &below_a_file),
        "pipeline cache",
    );
    assert!(!path.exists());
}

#[test]
fn the_callers_device_keeps_a_cache_if_supported() {
    let (_folder, path) = folder();
    let (features, limits) = (required_features(&adapter()), required_limits(&adapter()));
    assert_eq!(features.contains(wgpu::Features::PIPELINE_CACHE), is_supported());
    for features in [features, features - wgpu::Features::PIPELINE_CACHE] {
        let (device, queue) = device(features, limits.clone());
        let config = Config {
            gpu: settings(&path),
            ..Config::default()
        };
        let mut checker = GpuChecker::new(&device, &queue, config).expect("a checker");
        let can = features.contains(wgpu::Features::PIPELINE_CACHE);
        assert_eq!(path.exists(), can);
        let warnings = checker.checker().warnings();
        assert_eq!(warnings.is_empty(), can, "{warnings:?}");
        let _ = fs::remove_file(&path);
    }
}
