//! Tests `check --bcf`: clashes as topics.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::Output;

use roxmltree::{Document, Node};
use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::bcf_format::{expect_valid, problem};
use super::program::{assert_failure, command, run, text};
use crate::processes::output_of;

const WALL: &str = "0ABCDEFGHIJKLMNOPQRST0";
const PIPE: &str = "1abcdefghijklmnopqrst_";
const DUCT: &str = "2ABCDEFGHIJKLMNOPQRS$1";

/// A wall, a pipe through it, and a duct that is in it by `depth`.
fn model(here: &Path, duct: f64) {
    let rows = format!(
        "guid,type,name,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n{WALL},Wall,\"north <1> & \"\"2\"\"\",0,0,0,2,0.125,2,0,0,0,1\n\
         {PIPE},Pipe,,1,0,0,0.0625,1,0.0625,0,0,0,1\n{DUCT},Duct,air,-1,{},0,0.25,0.25,0.25,0,0,0,1\n",
        0.375 - duct
    );
    fs::write(here.join("model.csv"), rows).expect("it can be written");
}

const CHECK: [&str; 8] = [
    "check",
    "model.csv",
    "--backend",
    "cpu",
    "--id-column",
    "guid",
    "--bcf",
    "c.bcf",
];

/// Runs a check at a time, in days since 1970, and returns the numbers of topics: new, changed,
/// unchanged and closed.
fn topics(here: &Path, day: u64, more: &[&str]) -> [u64; 4] {
    let arguments = [&CHECK[..], more, &["--json", "-"]].concat();
    let output: Output = output_of(command(here, &arguments).env("SOURCE_DATE_EPOCH", (day * 86_400).to_string()));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    ["new", "changed", "unchanged", "closed"].map(|key| report["topics"][key].as_u64().expect("a number"))
}

pub type Files = BTreeMap<String, Vec<u8>>;

pub fn unpack(bytes: &[u8]) -> Files {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("a ZIP archive");
    let mut files = Files::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("its bytes");
        let name = file.name().expect("a name").into_owned();
        assert!(files.insert(name.clone(), bytes).is_none(), "{name} is there once");
    }
    files
}

pub fn read(here: &Path) -> Files {
    unpack(&fs::read(here.join("c.bcf")).expect("an archive"))
}

fn pack(here: &Path, files: &Files) {
    let mut zip = ZipWriter::new(File::create(here.join("c.bcf")).expect("a file"));
    for (name, bytes) in files {
        zip.start_file(name.as_str(), SimpleFileOptions::default())
            .expect("a file");
        zip.write_all(bytes).expect("its bytes");
    }
    zip.finish().expect("an archive");
}

/// The markup of each topic by its title.
fn markups(files: &Files) -> BTreeMap<String, (String, String)> {
    let all = files.iter().filter(|(name, _)| name.ends_with("/markup.bcf"));
    let titled = all.map(|(name, bytes)| {
        let markup = text(bytes).to_owned();
        let title = value(&markup, "Title");
        (title, (name.clone(), markup))
    });
    titled.collect()
}

fn element<'a, 'i>(document: &'a Document<'i>, name: &str) -> Option<Node<'a, 'i>> {
    document.descendants().find(|node| node.has_tag_name(name))
}

fn value(xml: &str, name: &str) -> String {
    let document = Document::parse(xml).expect("XML");
    element(&document, name)
        .and_then(|node| node.text())
        .unwrap_or_default()
        .to_owned()
}

fn status(xml: &str) -> String {
    let document = Document::parse(xml).expect("XML");
    let topic = element(&document, "Topic").expect("a topic");
    topic.attribute("TopicStatus").expect("a status").to_owned()
}

/// Expects the viewpoint and the snapshot of the pipe's topic.
fn expect_view(files: &Files, guid: &str, markup: &str) {
    let view = text(&files[&format!("{guid}/{}", value(markup, "Viewpoint"))]);
    let document = Document::parse(view).expect("XML");
    let guids = document.descendants().filter_map(|node| node.attribute("IfcGuid"));
    let mut guids: Vec<&str> = guids.collect();
    guids.sort_unstable();
    assert_eq!(guids, [WALL, WALL, PIPE, PIPE], "selected, and coloured");
    // The camera looks at the contact, in the middle of the pipe.
    let vector = |name: &str| {
        let node = element(&document, name).expect("a vector");
        let numbers = node
            .descendants()
            .filter(Node::is_text)
            .filter_map(|node| node.text()?.trim().parse().ok());
        let numbers: Vec<f64> = numbers.collect();
        obbligato::glam::DVec3::from_slice(&numbers)
    };
    let [eye, direction, up] = ["CameraViewPoint", "CameraDirection", "CameraUpVector"].map(vector);
    let point = obbligato::glam::DVec3::X;
    assert!(
        (point - eye).normalize().distance(direction) < 1e-9,
        "{eye} {direction}"
    );
    assert!(up.dot(direction).abs() < 1e-9 && (up.length() - 1.0).abs() < 1e-9 && up.z > 0.0);
    let png = &files[&format!("{guid}/{}", value(markup, "Snapshot"))];
    let picture = png::Decoder::new(Cursor::new(png)).read_info().expect("a picture");
    assert_eq!((picture.info().width, picture.info().height), (480, 360));
}

#[test]
fn a5_a_topic_for_each_clash() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    model(here, 0.25);
    assert_eq!(topics(here, 0, &["--keep", "type,name"]), [2, 0, 0, 0]);
    let files = read(here);
    expect_valid(&files);
    assert_eq!(files.len(), 1 + 2 * 3);
    let version = text(&files["bcf.version"]);
    assert!(version.contains("VersionId=\"2.1\""), "{version}");
    let markups = markups(&files);
    let titles: Vec<&String> = markups.keys().collect();
    assert_eq!(
        titles,
        ["Wall north <1> & \"2\" / Duct air", "Wall north <1> & \"2\" / Pipe"]
            .iter()
            .map(|title| title.to_owned())
            .collect::<Vec<_>>()
    );

    let (name, markup) = &markups["Wall north <1> & \"2\" / Pipe"];
    let guid = name.strip_suffix("/markup.bcf").expect("a folder");
    let document = Document::parse(markup).expect("XML");
    let topic = element(&document, "Topic").expect("a topic");
    assert_eq!(topic.attribute("Guid"), Some(guid));
    assert_eq!(status(markup), "Open");
    let elements = topic
        .children()
        .filter(Node::is_element)
        .map(|node| node.tag_name().name().to_owned());
    assert_eq!(
        elements.collect::<Vec<_>>(),
        [
            "Title",
            "Priority",
            "Labels",
            "CreationDate",
            "CreationAuthor",
            "Description"
        ]
    );
    assert_eq!(value(markup, "CreationDate"), "1970-01-01T00:00:00Z");
    assert_eq!(
        [value(markup, "Labels"), value(markup, "Priority")],
        ["pierce", "Critical"]
    );

    expect_view(&files, guid, markup);
}

#[test]
fn a5_topics_on_stdout_and_of_groups() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    model(here, 0.25);
    assert_eq!(topics(here, 0, &["--keep", "type,name"]), [2, 0, 0, 0]);
    let files = read(here);
    let arguments = [&CHECK[..6], &["--keep", "type,name", "--bcf", "-"]].concat();
    let output = output_of(command(here, &arguments).env("SOURCE_DATE_EPOCH", "0"));
    assert_eq!(unpack(&output.stdout), files);
    fs::remove_file(here.join("c.bcf")).expect("it is there");
    assert_eq!(
        topics(here, 0, &["--keep", "type", "--group", "near", "--margin", "9"]),
        [1, 0, 0, 0]
    );
    let files = read(here);
    let (_, markup) = &self::markups(&files)["Wall / Pipe and 1 more"];
    assert_eq!(value(markup, "Description").lines().count(), 2);
    let view = files.iter().find(|(name, _)| name.ends_with(".bcfv")).expect("a view");
    assert_eq!(text(view.1).matches(DUCT).count(), 2);
}

#[test]
fn a5_elements_of_both_files_are_one_topic() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    model(here, 0.25);
    assert_eq!(topics(here, 0, &[]), [2, 0, 0, 0]);
    let alone = read(here);
    // Each element with itself, and the two pairs, which are those of one file.
    assert_eq!(topics(here, 1, &["--against", "model.csv"]), [3, 2, 0, 0]);
    let both = read(here);
    assert!(alone.keys().all(|name| both.contains_key(name)));
    assert_eq!(markups(&both).len(), 5);
    let (_, markup) = &markups(&both)[&format!("{WALL} / {PIPE}")];
    assert_eq!(value(markup, "Description").lines().count(), 2);
}

/// A comment, and the markup of a topic, that people add.
const COMMENT: &str = "<Comment Guid=\"00000000-0000-0000-0000-00000000000c\"><Date>2026-01-01T00:00:00Z</Date>\
     <Author>a@b.c</Author><Comment>Move it &amp; seal it.</Comment></Comment>";
const OWN: &str = "00000000-0000-0000-0000-00000000000d/markup.bcf";

#[test]
fn a5_an_archive_is_updated() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    model(here, 0.25);
    assert_eq!(topics(here, 0, &[]), [2, 0, 0, 0]);
    let first = fs::read(here.join("c.bcf")).expect("an archive");
    // Nothing has changed.
    assert_eq!(topics(here, 1, &[]), [0, 0, 2, 0]);
    assert_eq!(read(here), unpack(&first));

    // People add comments, a person, a viewpoint, a topic and a project of their own.
    let mut files = read(here);
    let (duct, markup) = markups(&files)
        .into_values()
        .find(|(_, markup)| markup.contains(DUCT))
        .expect("a topic");
    let commented = markup
        .replace("<Description>", "<AssignedTo>d@e.f</AssignedTo>\n    <Description>")
        .replace("</Topic>\n", &format!("</Topic>\n  {COMMENT}\n"));
    files.insert(duct.clone(), format!("\u{feff}{commented}").into_bytes());
    let folder_of_duct = duct.strip_suffix("markup.bcf").expect("a folder");
    let view = "<VisualizationInfo Guid=\"00000000-0000-0000-0000-00000000000e\"/>";
    files.insert(format!("{folder_of_duct}theirs.bcfv"), view.into());
    let project = "<ProjectExtension><ExtensionSchema/></ProjectExtension>";
    files.insert("project.bcfp".into(), project.into());
    let theirs = "<Markup><Topic Guid=\"00000000-0000-0000-0000-00000000000d\"><Title>Paint</Title>\
         <CreationDate>2026-01-01T00:00:00Z</CreationDate><CreationAuthor>a@b.c</CreationAuthor></Topic></Markup>";
    files.insert(OWN.into(), theirs.as_bytes().to_vec());
    pack(here, &files);
    assert_eq!(topics(here, 2, &[]), [0, 0, 2, 0]);
    assert_eq!(read(here), files);

    // The duct moves: its description, its view and its picture change, and nothing else.
    model(here, 0.125);
    assert_eq!(topics(here, 3, &[]), [0, 1, 1, 0]);
    let moved = read(here);
    assert_eq!(problem(&moved), None);
    let changed: Vec<&String> = files.keys().filter(|&name| moved[name] != files[name]).collect();
    assert_eq!(
        changed,
        [
            &duct,
            &format!("{folder_of_duct}snapshot.png"),
            &format!("{folder_of_duct}viewpoint.bcfv")
        ]
    );
    let after = text(&moved[&duct]);
    assert!(
        after.contains(COMMENT) && after.contains("<AssignedTo>d@e.f</AssignedTo>"),
        "{after}"
    );
    assert_eq!(value(after, "CreationDate"), "1970-01-01T00:00:00Z");
    assert_eq!(value(after, "ModifiedDate"), "1970-01-04T00:00:00Z");
    assert_ne!(value(after, "Description"), value(&commented, "Description"));
    expect_closing(here, &files, &duct);
}

/// The elements of version 3.0 that hold lists, and those in the lists.
fn listed(xml: &str, list: &str) -> Vec<String> {
    let document = Document::parse(xml).expect("XML");
    let lists = document.descendants().filter(|node| node.has_tag_name(list));
    let lists: Vec<_> = lists.collect();
    assert_eq!(lists.len(), 1, "{list} in {xml}");
    let texts = lists[0].children().filter_map(|node| node.text());
    texts
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

#[test]
fn a5_topics_of_version_3() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    model(here, 0.25);
    assert_eq!(topics(here, 0, &["--bcf-version", "3.0"]), [2, 0, 0, 0]);
    let first = read(here);
    expect_valid(&first);
    assert_eq!(first.len(), 2 + 2 * 3);
    assert!(text(&first["bcf.version"]).contains("<Version VersionId=\"3.0\"/>"));
    let extensions = text(&first["extensions.xml"]);
    assert_eq!(listed(extensions, "TopicTypes"), ["Clash"]);
    assert_eq!(listed(extensions, "TopicStatuses"), ["Closed", "Open"]);
    assert_eq!(listed(extensions, "TopicLabels"), ["overlap", "pierce"]);
    let (name, markup) = &markups(&first)[&format!("{WALL} / {PIPE}")];
    let guid = name.strip_suffix("/markup.bcf").expect("a folder");
    assert_eq!(listed(markup, "Labels"), ["pierce"]);
    let document = Document::parse(markup).expect("XML");
    let parent = element(&document, "ViewPoint").and_then(|node| node.parent()?.parent());
    assert!(parent.is_some_and(|node| node.has_tag_name("Topic")), "{markup}");
    expect_view(&first, guid, markup);
    let view = text(&first[&format!("{guid}/{}", value(markup, "Viewpoint"))]);
    assert_eq!(value(view, "AspectRatio").parse(), Ok(4.0 / 3.0));

    // The archive keeps its version, and nothing changes.
    assert_eq!(topics(here, 1, &[]), [0, 0, 2, 0]);
    assert_eq!(read(here), first);
    let other = [&CHECK[..], &["--bcf-version", "2.1"]].concat();
    let words = "c.bcf: is a BCF archive of version 3.0, not 2.1";
    assert_failure(words, &run(here, &other), 2, words);

    // People add a label, a comment, and a type of their own, and the duct moves.
    let mut files = first;
    let (duct, markup) = markups(&files)
        .into_values()
        .find(|(_, markup)| markup.contains(DUCT))
        .expect("a topic");
    let comments = format!("    <Comments>{COMMENT}</Comments>\n    <Viewpoints>");
    let markup = markup
        .replace("<Labels>", "<Labels><Label>air</Label>")
        .replace("    <Viewpoints>", &comments);
    files.insert(duct.clone(), markup.into_bytes());
    let extensions = "<Extensions><TopicTypes><TopicType>Remark</TopicType></TopicTypes><Stages/></Extensions>";
    files.insert("extensions.xml".into(), extensions.into());
    pack(here, &files);
    model(here, 0.125);
    assert_eq!(topics(here, 2, &[]), [0, 1, 1, 0]);
    let moved = read(here);
    let after = text(&moved[&duct]);
    assert!(
        after.contains(COMMENT) && listed(after, "Labels").contains(&"air".into()),
        "{after}"
    );
    assert_eq!(value(after, "ModifiedDate"), "1970-01-03T00:00:00Z");
    let extensions = text(&moved["extensions.xml"]);
    assert_eq!(listed(extensions, "TopicTypes"), ["Remark", "Clash"]);
    assert_eq!(listed(extensions, "Users"), ["obbligato"]);
    model(here, -1.0);
    assert_eq!(topics(here, 3, &[]), [0, 0, 1, 1]);
    assert_eq!(status(text(&read(here)[&duct])), "Closed");
}

/// Expects that the topic of the duct is closed when it leaves the wall, and opened when it comes
/// back.
fn expect_closing(here: &Path, files: &Files, duct: &str) {
    model(here, -1.0);
    assert_eq!(topics(here, 4, &[]), [0, 0, 1, 1]);
    let gone = read(here);
    assert_eq!(status(text(&gone[duct])), "Closed");
    assert!(text(&gone[duct]).contains(COMMENT));
    assert_eq!(
        (&gone[OWN], &gone["project.bcfp"]),
        (&files[OWN], &files["project.bcfp"])
    );
    assert_eq!(topics(here, 5, &[]), [0, 0, 1, 0]);
    assert_eq!(read(here), gone);
    model(here, 0.125);
    assert_eq!(topics(here, 6, &[]), [0, 1, 1, 0]);
    assert_eq!(status(text(&read(here)[duct])), "Open");

    // What people closed stays closed.
    let mut files = read(here);
    let closed = text(&files[duct])
        .replace("\"Open\"", "\"Closed\"")
        .replace("<ModifiedAuthor>obbligato", "<ModifiedAuthor>a@b.c");
    files.insert(duct.to_owned(), closed.into_bytes());
    pack(here, &files);
    assert_eq!(topics(here, 7, &[]), [0, 0, 2, 0]);
    assert_eq!(read(here), files);
}

#[test]
fn a5_what_is_no_archive_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    model(here, 0.25);
    let refused = |words: &str| assert_failure(words, &run(here, &CHECK), 2, words);
    fs::write(here.join("c.bcf"), "a text").expect("it can be written");
    refused("c.bcf: exists and is not a BCF archive");
    assert_eq!(fs::read(here.join("c.bcf")).expect("it is still there"), b"a text");
    let archive = |files: &[(&str, &str)]| {
        let files = files
            .iter()
            .map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
        pack(here, &files.collect());
    };
    archive(&[("a.txt", "")]);
    refused("c.bcf: exists and is not a BCF archive");
    archive(&[("bcf.version", "<Version VersionId=\"4.0\"/>")]);
    refused("is a BCF archive of a version other than 2.0, 2.1 and 3.0");
    let version = ("bcf.version", "<Version VersionId=\"2.1\"/>");
    archive(&[version, ("x/markup.bcf", "<Markup>")]);
    refused("c.bcf: x/markup.bcf is not XML");
    archive(&[version, ("x/markup.bcf", "<Markup/>")]);
    assert_eq!(topics(here, 0, &[]), [2, 0, 0, 0]);
    assert_eq!(text(&read(here)["x/markup.bcf"]), "<Markup/>");
    // An archive cut short.
    let whole = fs::read(here.join("c.bcf")).expect("an archive");
    fs::write(here.join("c.bcf"), &whole[..whole.len() / 2]).expect("it can be written");
    refused("c.bcf: exists and is not a BCF archive");

    for (arguments, words) in [
        (
            &["--id-column", "guid", "--bcf", "c.zip"][..],
            "c.zip: has an unknown extension: name it .bcf or .bcfzip",
        ),
        (
            &["--id-column", "type", "--bcf", "d.bcf"],
            "Wall is not one (3 such in all)",
        ),
        (
            &["--bcf", "d.bcf"],
            "--bcf needs ids that are IFC GUIDs of 22 characters, but 0 is not one",
        ),
        (
            &["--id-column", "guid", "--bcf", "d.bcf", "--period", "9,9,9"],
            "--period",
        ),
    ] {
        let check = [&["check", "model.csv"], arguments].concat();
        assert_failure(words, &run(here, &check), 2, words);
    }
    assert!(!here.join("d.bcf").exists());
    fs::write(here.join("none.csv"), "guid,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n").expect("it can be written");
    let none = ["check", "none.csv", "--id-column", "guid", "--bcf", "none.bcfzip"];
    assert!(run(here, &none).status.success());
    let files = unpack(&fs::read(here.join("none.bcfzip")).expect("an archive"));
    assert_eq!(files.keys().collect::<Vec<_>>(), ["bcf.version"]);
    assert_eq!(problem(&files), None);
}

#[test]
fn archives_that_unpack_to_too_much_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    model(here, 0.25);
    let elements = format!("<Markup>{}</Markup>", "<a/>".repeat(2 << 20));
    for markup in [" ".repeat(20 << 20), elements] {
        let version = ("bcf.version".to_owned(), b"<Version VersionId=\"2.1\"/>".to_vec());
        pack(
            here,
            &Files::from([version, ("x/markup.bcf".to_owned(), markup.into_bytes())]),
        );
        let words = "c.bcf: x/markup.bcf makes the archive unpack to more than 200 times its size";
        assert_failure(words, &run(here, &CHECK), 2, words);
    }
}
