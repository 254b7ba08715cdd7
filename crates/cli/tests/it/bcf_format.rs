//! The form of BCF archives: the elements of each file, their order and number, their attributes
//! and texts, and what files say about each other.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};

use super::bcf::Files;
use crate::program::text;

/// The elements of version 2.1: a line is an element, its attributes (`@`) and, in their order, the
/// elements it holds. `?` is at most one, `*` any number, `+` at least one, `a|b` one of two; `a:B`
/// is an element `a` of the form `B`. Forms that begin with a small letter are texts: [`is_of`].
const V2_1: &str = "\
Version @VersionId:version DetailedVersion:text?
ProjectExtension Project? ExtensionSchema:text
Project @ProjectId:text Name:text?
Markup Header? Topic Comment* Viewpoints:ViewPoint*
Header File+
File @IfcProject:ifc? @IfcSpatialStructureElement:ifc? @isExternal:flag? Filename:text? Date:date? Reference:text?
Topic @Guid:guid @TopicType:text? @TopicStatus:text? ReferenceLink:text* Title:text Priority:text? Index:whole? \
Labels:text* CreationDate:date CreationAuthor:text ModifiedDate:date? ModifiedAuthor:text? DueDate:date? \
AssignedTo:text? Stage:text? Description:text? BimSnippet? DocumentReference* RelatedTopic:Reference*
BimSnippet @SnippetType:text @isExternal:flag? Reference:text ReferenceSchema:text
DocumentReference @Guid:guid? @isExternal:flag? ReferencedDocument:text? Description:text?
Reference @Guid:guid
Comment @Guid:guid Date:date Author:text Comment:text Viewpoint:Reference? ModifiedDate:date? ModifiedAuthor:text?
ViewPoint @Guid:guid Viewpoint:text? Snapshot:text? Index:whole?
VisualizationInfo @Guid:guid Components? OrthogonalCamera? PerspectiveCamera? Lines? ClippingPlanes? Bitmap*
Components ViewSetupHints? Selection? Visibility Coloring?
ViewSetupHints @SpacesVisible:flag? @SpaceBoundariesVisible:flag? @OpeningsVisible:flag?
Selection Component+
Visibility @DefaultVisibility:flag? Exceptions:Selection?
Coloring Color+
Color @Color:colour Component+
Component @IfcGuid:ifc? OriginatingSystem:text? AuthoringToolId:text?
OrthogonalCamera CameraViewPoint:Point CameraDirection:Point CameraUpVector:Point ViewToWorldScale:number
PerspectiveCamera CameraViewPoint:Point CameraDirection:Point CameraUpVector:Point FieldOfView:angle
Point X:number Y:number Z:number
Lines Line+
Line StartPoint:Point EndPoint:Point
ClippingPlanes ClippingPlane*
ClippingPlane Location:Point Direction:Point
Bitmap Bitmap:text Reference:text Location:Point Normal:Point Up:Point Height:number
";

/// The elements of version 3.0.
const V3_0: &str = "\
Version @VersionId:version
ProjectInfo Project
Project @ProjectId:word Name:word?
Markup Header? Topic
Header Files?
Files File*
File @IfcProject:ifc? @IfcSpatialStructureElement:ifc? @IsExternal:flag? Filename:word? Date:date? Reference:word?
Topic @Guid:guid @ServerAssignedId:word? @TopicType:word @TopicStatus:word ReferenceLinks? Title:word Priority:word? \
Index:whole? Labels? CreationDate:date CreationAuthor:word ModifiedDate:date? ModifiedAuthor:word? DueDate:date? \
AssignedTo:word? Stage:word? Description:word? BimSnippet? DocumentReferences? RelatedTopics? Comments? Viewpoints?
ReferenceLinks ReferenceLink:word*
Labels Label:word*
BimSnippet @SnippetType:word @IsExternal:flag? Reference:word ReferenceSchema:word
DocumentReferences DocumentReference*
DocumentReference @Guid:guid DocumentGuid:guid? Url:word? Description:word?
RelatedTopics RelatedTopic:Reference*
Reference @Guid:guid
Comments Comment*
Comment @Guid:guid Date:date Author:word Comment:word? Viewpoint:Reference? ModifiedDate:date? ModifiedAuthor:word?
Viewpoints ViewPoint*
ViewPoint @Guid:guid Viewpoint:word? Snapshot:word? Index:whole?
VisualizationInfo @Guid:guid Components? OrthogonalCamera|PerspectiveCamera Lines? ClippingPlanes? Bitmaps?
Components Selection? Visibility? Coloring?
Selection Component*
Visibility @DefaultVisibility:flag? ViewSetupHints? Exceptions:Selection?
ViewSetupHints @SpacesVisible:flag? @SpaceBoundariesVisible:flag? @OpeningsVisible:flag?
Coloring Color*
Color @Color:colour Components:Coloured
Coloured Component+
Component @IfcGuid:ifc? OriginatingSystem:word? AuthoringToolId:word?
OrthogonalCamera CameraViewPoint:Point CameraDirection:Point CameraUpVector:Point ViewToWorldScale:number AspectRatio:ratio
PerspectiveCamera CameraViewPoint:Point CameraDirection:Point CameraUpVector:Point FieldOfView:sight AspectRatio:ratio
Point X:number Y:number Z:number
Lines Line*
Line StartPoint:Point EndPoint:Point
ClippingPlanes ClippingPlane*
ClippingPlane Location:Point Direction:Point
Bitmaps Bitmap*
Bitmap Format:word Reference:word Location:Point Normal:Point Up:Point Height:number
Extensions TopicTypes? TopicStatuses? Priorities? TopicLabels? Users? SnippetTypes? Stages?
TopicTypes TopicType:word*
TopicStatuses TopicStatus:word*
Priorities Priority:word*
TopicLabels TopicLabel:word*
Users User:word*
SnippetTypes SnippetType:word*
Stages Stage:word*
";

/// Returns `true` if a text is of a form.
fn is_of(form: &str, value: &str) -> bool {
    let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
    let is_digits = |part: &str, lengths: &[usize]| {
        let pieces: Vec<&str> = part.split('-').collect();
        pieces.len() == lengths.len()
            && pieces.iter().zip(lengths).all(|(piece, length)| piece.len() == *length)
            && pieces.concat().bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    match form {
        "text" => true,
        "word" => !value.trim().is_empty(),
        "version" => ["2.1", "3.0"].contains(&value),
        "flag" => ["true", "false", "0", "1"].contains(&value),
        "whole" => value.parse::<i32>().is_ok(),
        "number" => number.is_some(),
        "ratio" => number.is_some_and(|ratio| ratio > 0.0),
        "angle" => number.is_some_and(|angle| (45.0..=60.0).contains(&angle)),
        "sight" => number.is_some_and(|angle| angle > 0.0 && angle < 180.0),
        "guid" => is_digits(value, &[8, 4, 4, 4, 12]),
        "ifc" => obbligato_files::is_ifc_guid(value),
        "colour" => [6, 8].contains(&value.len()) && value.bytes().all(|digit| b"0123456789ABCDEF".contains(&digit)),
        "date" => {
            let (day, time) = value.split_once('T').unwrap_or_default();
            let time = time.trim_end_matches('Z').replace(':', "-");
            is_digits(day, &[4, 2, 2]) && is_digits(&time, &[2, 2, 2])
        }
        other => panic!("no text is a {other}"),
    }
}

/// Returns the entries of an element of a form: attributes, then elements.
fn entries<'g>(grammar: &'g str, form: &str) -> Vec<&'g str> {
    let line = grammar.lines().find(|line| line.split(' ').next() == Some(form));
    let line = line.unwrap_or_else(|| panic!("no element is a {form}"));
    line.split(' ').skip(1).collect()
}

/// Returns the name, the form and the number of an entry.
fn parts(entry: &str) -> (&str, &str, char) {
    let (entry, times) = match entry.chars().next_back() {
        Some(times @ ('?' | '*' | '+')) => (&entry[..entry.len() - 1], times),
        _ => (entry, '1'),
    };
    let (name, form) = entry.split_once(':').unwrap_or((entry, entry));
    (name.trim_start_matches('@'), form, times)
}

/// Returns the problem of an element, or of one in it.
fn problem_of(grammar: &str, form: &str, node: Node<'_, '_>) -> Option<String> {
    let name = node.tag_name().name();
    let problem = |text: String| Some(format!("{name} {text}"));
    if form.starts_with(|letter: char| letter.is_ascii_lowercase()) {
        let value = node.text().unwrap_or_default();
        let is_text = node.first_element_child().is_none() && node.attributes().len() == 0;
        return match is_text && is_of(form, value) {
            true => None,
            false => problem(format!("is not a {form}: {value:?}")),
        };
    }
    let (attributes, elements): (Vec<&str>, Vec<&str>) = entries(grammar, form)
        .into_iter()
        .partition(|entry| entry.starts_with('@'));
    let known: Vec<_> = attributes.iter().map(|entry| parts(entry)).collect();
    if let Some(other) = node
        .attributes()
        .find(|one| known.iter().all(|(name, ..)| *name != one.name()))
    {
        return problem(format!("has an attribute {}", other.name()));
    }
    for (attribute, form, times) in known {
        match node.attribute(attribute) {
            None if times == '1' => return problem(format!("has no {attribute}")),
            Some(value) if !is_of(form, value) => return problem(format!("{attribute} is not a {form}: {value:?}")),
            _ => {}
        }
    }
    let mut children = node.children().filter(Node::is_element).peekable();
    for entry in elements {
        let mut count = 0;
        let choices: Vec<_> = entry.split('|').map(parts).collect();
        let times = choices[0].2;
        while let Some(child) = children.peek().copied() {
            let Some((_, form, _)) = choices.iter().find(|(name, ..)| child.has_tag_name(*name)) else {
                break;
            };
            if let Some(inner) = problem_of(grammar, form, child) {
                return problem(format!("> {inner}"));
            }
            count += 1;
            children.next();
        }
        let is_right = match times {
            '1' => count == 1,
            '?' => count < 2,
            '+' => count > 0,
            _ => true,
        };
        if !is_right {
            return problem(format!("has {count} of {entry} in its place"));
        }
    }
    let mut texts = node.children().filter(Node::is_text).filter_map(|child| child.text());
    match children.next() {
        Some(other) => problem(format!("has {} out of place", other.tag_name().name())),
        None if texts.any(|text| !text.trim().is_empty()) => problem("has a text".to_owned()),
        None => None,
    }
}

/// Returns the first problem of an archive.
pub fn problem(files: &Files) -> Option<String> {
    let Some(version) = files.get("bcf.version") else {
        return Some("there is no bcf.version".to_owned());
    };
    let is_third = text(version).contains("VersionId=\"3.0\"");
    let grammar = if is_third { V3_0 } else { V2_1 };
    if is_third && !files.contains_key("extensions.xml") {
        return Some("there is no extensions.xml".to_owned());
    }
    files.iter().find_map(|(name, bytes)| {
        let root = match name.rsplit('/').next().unwrap_or_default() {
            "bcf.version" => "Version",
            "project.bcfp" if is_third => "ProjectInfo",
            "project.bcfp" => "ProjectExtension",
            "extensions.xml" if is_third => "Extensions",
            "markup.bcf" => "Markup",
            file if file.ends_with(".bcfv") => "VisualizationInfo",
            file if file.ends_with(".png") => return None,
            _ => return Some(format!("{name} is not a file of an archive")),
        };
        let document = match Document::parse(text(bytes)) {
            Ok(document) => document,
            Err(error) => return Some(format!("{name}: {error}")),
        };
        let node = document.root_element();
        let own = match node.has_tag_name(root) {
            true => problem_of(grammar, root, node),
            false => Some(format!("{} is the root", node.tag_name().name())),
        };
        let linked = || {
            (root == "Markup")
                .then(|| problem_of_links(files, name, node))
                .flatten()
        };
        own.or_else(linked).map(|problem| format!("{name}: {problem}"))
    })
}

/// Returns the problem of a topic's files: their names, the identifiers in them, and texts that the
/// extensions lack.
fn problem_of_links(files: &Files, name: &str, markup: Node<'_, '_>) -> Option<String> {
    let folder = name.strip_suffix("/markup.bcf").unwrap_or_default();
    let topic = markup.descendants().find(|node| node.has_tag_name("Topic"))?;
    if topic.attribute("Guid") != Some(folder) {
        return Some("the folder is not named after the topic".to_owned());
    }
    for node in markup.descendants().filter(|node| node.attribute("Guid").is_some()) {
        for child in node
            .children()
            .filter(|child| ["Viewpoint", "Snapshot"].contains(&child.tag_name().name()))
        {
            let Some(file) = child.text() else { continue };
            let Some(bytes) = files.get(&format!("{folder}/{file}")) else {
                return Some(format!("there is no {file}"));
            };
            let guid = format!(
                "<VisualizationInfo Guid=\"{}\"",
                node.attribute("Guid").unwrap_or_default()
            );
            if child.has_tag_name("Viewpoint") && !text(bytes).contains(&guid) {
                return Some(format!("{file} has another Guid"));
            }
        }
    }
    let extensions = Document::parse(text(files.get("extensions.xml")?)).ok()?;
    let known: BTreeSet<(&str, &str)> = extensions
        .descendants()
        .filter_map(|node| Some((node.tag_name().name(), node.text()?)))
        .collect();
    let labels = topic.descendants().filter(|node| node.has_tag_name("Label"));
    let texts = labels.map(|label| ("TopicLabel", label.text().unwrap_or_default()));
    let own = ["TopicType", "TopicStatus"].map(|name| (name, topic.attribute(name).unwrap_or_default()));
    let unknown = texts.chain(own).find(|one| !known.contains(one));
    unknown.map(|(what, text)| format!("{what} {text} is not in the extensions"))
}

/// Expects an archive without a problem, and that each of many faults in it is one.
pub fn expect_valid(files: &Files) {
    assert_eq!(problem(files), None);
    let mut planted = 0;
    for (file, from, to) in FAULTS {
        let Some(name) = files.keys().find(|name| name.ends_with(file)) else {
            continue;
        };
        let before = text(&files[name]);
        let after = before.replacen(from, to, 1);
        if after == before {
            continue;
        }
        let mut faulty = files.clone();
        faulty.insert(name.clone(), after.into_bytes());
        assert!(problem(&faulty).is_some(), "{file}: {from} > {to}");
        planted += 1;
    }
    for file in ["bcf.version", ".bcfv", ".png"] {
        let mut faulty = files.clone();
        let name = files.keys().find(|name| name.ends_with(file)).expect("a topic");
        faulty.remove(name);
        assert!(problem(&faulty).is_some(), "without {file}");
    }
    assert!(planted >= 16, "{planted}");
}

/// Faults in files: what ends the name of one, and a text and its replacement.
const FAULTS: [(&str, &str, &str); 24] = [
    ("markup.bcf", "<Title>", "<Description>x</Description><Title>"),
    ("markup.bcf", "<CreationAuthor>obbligato</CreationAuthor>", ""),
    ("markup.bcf", "<CreationDate>", "<CreationDate>on "),
    ("markup.bcf", "<Priority>", "<Priority/><Priority>"),
    ("markup.bcf", "<Topic Guid=", "<Topic Name="),
    ("markup.bcf", "TopicType=", "Type="),
    ("markup.bcf", "<Topic Guid=\"", "<Topic Guid=\"0"),
    ("markup.bcf", "<Viewpoint>", "<Snapshot>x</Snapshot><Viewpoint>"),
    ("markup.bcf", "viewpoint.bcfv", "viewpoints.bcfv"),
    ("markup.bcf", "<Title>", "<Title><b/>"),
    ("markup.bcf", "</Topic>", "x</Topic>"),
    ("markup.bcf", "<Label>", "<Label>other "),
    ("markup.bcf", "<Label>", "<Label> </Label><Label>"),
    ("viewpoint.bcfv", "<FieldOfView>45<", "<FieldOfView>wide<"),
    ("viewpoint.bcfv", "<X>", "<X>NaN"),
    (
        "viewpoint.bcfv",
        "<VisualizationInfo Guid=\"",
        "<VisualizationInfo Guid=\"x",
    ),
    ("viewpoint.bcfv", "Color=\"FF", "Color=\"GG"),
    ("viewpoint.bcfv", "IfcGuid=\"", "IfcGuid=\"x"),
    (
        "viewpoint.bcfv",
        "DefaultVisibility=\"true\"",
        "DefaultVisibility=\"yes\"",
    ),
    ("viewpoint.bcfv", "<CameraUpVector>", "<CameraUp/><CameraUpVector>"),
    (
        "viewpoint.bcfv",
        "<PerspectiveCamera>",
        "<PerspectiveCamera/><PerspectiveCamera>",
    ),
    ("viewpoint.bcfv", "<AspectRatio>", "<AspectRatio>-"),
    ("bcf.version", "VersionId=\"", "VersionId=\"4"),
    ("extensions.xml", "<TopicTypes>", "<Users/><TopicTypes>"),
];
