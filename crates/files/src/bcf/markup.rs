//! The markup of a topic: title, status, description, comments and viewpoints, `markup.xsd`.
//!
//! Markup of an earlier run is edited in its text, so that all that is not changed stays as it is,
//! byte by byte.

use std::ops::Range;

use roxmltree::{Document, Node, ParsingOptions};
use uuid::Uuid;

use crate::bcf::xml::{appended, child, escaped};
use crate::bcf::{AUTHOR, BcfTopic, BcfVersion, viewpoint, viewpoint_of};
use crate::clash::Kind;

/// The name of its file.
pub const MARKUP: &str = "markup.bcf";

/// The most elements and texts in a file: far more than people write, and few enough to be held.
const MOST_NODES: u32 = 1 << 20;

/// The status of a topic whose clash exists, and of one whose clash is gone.
pub const OPEN: &str = "Open";
pub const CLOSED: &str = "Closed";

/// The type of topics.
pub const TYPE: &str = "Clash";

/// The beginning of a label that names a rule.
const RULE: &str = "rule: ";

/// The elements of a topic of either version, in their order.
const ELEMENTS: [&str; 21] = [
    "ReferenceLink",
    "ReferenceLinks",
    "Title",
    "Priority",
    "Index",
    "Labels",
    "CreationDate",
    "CreationAuthor",
    "ModifiedDate",
    "ModifiedAuthor",
    "DueDate",
    "AssignedTo",
    "Stage",
    "Description",
    "BimSnippet",
    "DocumentReference",
    "DocumentReferences",
    "RelatedTopic",
    "RelatedTopics",
    "Comments",
    "Viewpoints",
];

/// Returns the markup of a new topic.
pub fn text(guid: Uuid, topic: &BcfTopic<'_>, version: BcfVersion, date: &str) -> String {
    let [title, priority, description] = [&topic.title, topic.priority, &topic.description].map(escaped);
    let labels = elements_of(&labels_of(topic), version);
    let (inside, after) = match version {
        BcfVersion::V2_1 => (String::new(), viewpoints(guid)),
        BcfVersion::V3_0 => (
            format!("    <Viewpoints>\n{}    </Viewpoints>\n", viewpoint_3(guid)),
            String::new(),
        ),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Markup>\n  <Topic Guid=\"{guid}\" TopicType=\"{TYPE}\" \
         TopicStatus=\"{OPEN}\">\n    <Title>{title}</Title>\n    <Priority>{priority}</Priority>\n{labels}    \
         <CreationDate>{date}</CreationDate>\n    <CreationAuthor>{AUTHOR}</CreationAuthor>\n    \
         <Description>{description}</Description>\n{inside}  </Topic>\n{after}</Markup>\n",
    )
}

/// Returns the labels of a topic.
pub fn labels_of(topic: &BcfTopic<'_>) -> Vec<String> {
    let rule = topic.rule.map(label_of);
    std::iter::once(topic.kind.name().to_owned()).chain(rule).collect()
}

/// Returns the label that names a rule.
fn label_of(rule: &str) -> String {
    format!("{RULE}{rule}")
}

/// Returns the elements of labels: one each, or one of all.
fn elements_of(labels: &[String], version: BcfVersion) -> String {
    let elements = labels.iter().map(|label| match version {
        BcfVersion::V2_1 => format!("    <Labels>{}</Labels>\n", escaped(label)),
        BcfVersion::V3_0 => format!("      <Label>{}</Label>\n", escaped(label)),
    });
    let elements: String = elements.collect();
    match version {
        BcfVersion::V2_1 => elements,
        BcfVersion::V3_0 => format!("    <Labels>\n{elements}    </Labels>\n"),
    }
}

fn viewpoints(topic: Uuid) -> String {
    format!(
        "  <Viewpoints Guid=\"{}\">\n{}  </Viewpoints>\n",
        viewpoint_of(topic),
        files_in("    ")
    )
}

/// Returns the viewpoint in the list of version 3.0.
fn viewpoint_3(topic: Uuid) -> String {
    let (guid, files) = (viewpoint_of(topic), files_in("        "));
    format!("      <ViewPoint Guid=\"{guid}\">\n{files}      </ViewPoint>\n")
}

/// Returns the names of the files of a new viewpoint.
fn files_in(indent: &str) -> String {
    let (view, picture) = (viewpoint::FILE, viewpoint::SNAPSHOT);
    format!("{indent}<Viewpoint>{view}</Viewpoint>\n{indent}<Snapshot>{picture}</Snapshot>\n")
}

/// The state of the clash of a topic of an earlier run.
pub enum Change<'a> {
    /// Its clash exists: the topic, and `true` if it looks different.
    Found(&'a BcfTopic<'a>, bool),
    /// Its clash is gone.
    Gone,
}

/// Returns the GUID of the topic, if the text is markup that has one.
pub fn guid(text: &str) -> Result<Option<Uuid>, String> {
    let document = parse(text)?;
    let topic = topic_of(&document);
    Ok(topic.and_then(|topic| topic.attribute("Guid")?.parse().ok()))
}

/// Returns the names of the files of a viewpoint and its snapshot, if the markup has both.
pub fn files(text: &str, viewpoint: Uuid) -> Result<Option<[String; 2]>, String> {
    let document = parse(text)?;
    let Some(node) = viewpoint_in(&document, viewpoint) else {
        return Ok(None);
    };
    let names = ["Viewpoint", "Snapshot"].map(|name| child(node, name).and_then(|node| node.text()));
    // Names that lead out of the folder are not those of a topic's own files.
    let names =
        names.map(|name| Some(name?.trim().to_owned()).filter(|name| !name.is_empty() && !name.contains(['/', '\\'])));
    let [Some(view), Some(picture)] = names else {
        return Ok(None);
    };
    Ok(Some([view, picture]))
}

/// Returns the changed markup, or `None` if nothing changes.
pub fn update(
    text: &str,
    guid: Uuid,
    change: Change<'_>,
    version: BcfVersion,
    date: &str,
) -> Result<Option<String>, String> {
    let document = parse(text)?;
    let topic = topic_of(&document).ok_or("has no topic")?;
    let mut edits = Edits {
        text,
        topic,
        version,
        labels: Vec::new(),
        edits: Vec::new(),
    };
    let status = topic.attribute("TopicStatus");
    let was_closed_here =
        status == Some(CLOSED) && child(topic, "ModifiedAuthor").and_then(|node| node.text()) == Some(AUTHOR);
    match change {
        Change::Found(found, looks_different) => {
            edits.set("Priority", found.priority);
            edits.set_kind(found.kind);
            edits.set_rule(found.rule);
            edits.set("Description", &found.description);
            if was_closed_here {
                edits.set_status(OPEN);
            }
            match viewpoint_in(&document, viewpoint_of(guid)) {
                None => edits.add_viewpoint(guid, &document),
                Some(_) if looks_different => edits.changes_elsewhere(),
                Some(_) => {}
            }
        }
        Change::Gone if viewpoint_in(&document, viewpoint_of(guid)).is_none() || status == Some(CLOSED) => {}
        Change::Gone => edits.set_status(CLOSED),
    }
    Ok(edits.apply(date))
}

/// Parses a file of limited size.
pub fn parse(text: &str) -> Result<Document<'_>, String> {
    let options = ParsingOptions {
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options)
        .map_err(|error| format!("is not XML ({error}): repair the archive, or give another name"))
}

fn topic_of<'a, 'i>(document: &'a Document<'i>) -> Option<Node<'a, 'i>> {
    child(document.root_element(), "Topic")
}

fn viewpoint_in<'a, 'i>(document: &'a Document<'i>, viewpoint: Uuid) -> Option<Node<'a, 'i>> {
    let mut all = document
        .descendants()
        .filter(|node| node.has_tag_name("Viewpoints") || node.has_tag_name("ViewPoint"));
    all.find(|node| node.attribute("Guid").and_then(|guid| guid.parse().ok()) == Some(viewpoint))
}

/// Returns the place of an element in a topic.
fn place(name: &str) -> Option<usize> {
    ELEMENTS.iter().position(|element| *element == name)
}

/// Edits of a markup: ranges of the text, the places of elements, and what replaces them.
struct Edits<'a, 'i> {
    text: &'a str,
    topic: Node<'a, 'i>,
    version: BcfVersion,
    /// Labels that are added.
    labels: Vec<String>,
    edits: Vec<(Range<usize>, Option<usize>, String)>,
}

impl<'a, 'i> Edits<'a, 'i> {
    /// Sets the text of an element of the topic.
    fn set(&mut self, name: &str, value: &str) {
        match child(self.topic, name) {
            Some(node) if node.text().unwrap_or_default() == value => {}
            Some(node) => self.replace(&node, name, value),
            None => self.insert(name, value),
        }
    }

    /// Returns the label that fits a test.
    fn label(&self, is_wanted: impl Fn(&str) -> bool) -> Option<Node<'a, 'i>> {
        let name = match self.version {
            BcfVersion::V2_1 => "Labels",
            BcfVersion::V3_0 => "Label",
        };
        let mut labels = self.topic.descendants().filter(|node| node.has_tag_name(name));
        labels.find(|node| is_wanted(node.text().unwrap_or_default()))
    }

    /// Replaces a label, adds it, or removes it.
    fn set_label(&mut self, old: Option<Node<'a, 'i>>, label: Option<String>) {
        match (old, label) {
            (Some(node), Some(label)) if node.text() == Some(&label) => {}
            (Some(node), Some(label)) => self.replace(&node, node.tag_name().name(), &label),
            (Some(node), None) => self.edits.push((node.range(), place("Labels"), String::new())),
            (None, Some(label)) => self.labels.push(label),
            (None, None) => {}
        }
    }

    /// Sets the label that is the name of a kind.
    fn set_kind(&mut self, kind: Kind) {
        let old = self.label(|text| Kind::ALL.iter().any(|kind| kind.name() == text));
        self.set_label(old, Some(kind.name().to_owned()));
    }

    /// Sets the label that names a rule, or removes it.
    fn set_rule(&mut self, rule: Option<&str>) {
        let old = self.label(|text| text.starts_with(RULE));
        self.set_label(old, rule.map(label_of));
    }

    /// Adds the labels that are missing.
    fn add_labels(&mut self) {
        let labels = std::mem::take(&mut self.labels);
        match (child(self.topic, "Labels"), self.version) {
            _ if labels.is_empty() => {}
            (Some(list), BcfVersion::V3_0) => {
                let new = labels.iter().map(|label| format!("<Label>{}</Label>", escaped(label)));
                self.append(&list, &new.collect::<String>());
            }
            _ => self.insert_element("Labels", &elements_of(&labels, self.version)),
        }
    }

    /// Adds the topic's own viewpoint.
    fn add_viewpoint(&mut self, guid: Uuid, document: &Document<'_>) {
        match (child(self.topic, "Viewpoints"), self.version) {
            (_, BcfVersion::V2_1) => self.append(&document.root_element(), &viewpoints(guid)),
            (Some(list), BcfVersion::V3_0) => self.append(&list, &viewpoint_3(guid)),
            (None, BcfVersion::V3_0) => {
                let list = format!("<Viewpoints>\n{}    </Viewpoints>", viewpoint_3(guid));
                self.insert_element("Viewpoints", &list);
            }
        }
    }

    fn append(&mut self, node: &Node<'_, '_>, content: &str) {
        let (range, new) = appended(self.text, node, content);
        self.edits.push((range, None, new));
    }

    fn replace(&mut self, node: &Node<'_, '_>, name: &str, value: &str) {
        let text = format!("<{name}>{}</{name}>", escaped(value));
        self.edits.push((node.range(), place(name), text));
    }

    fn insert(&mut self, name: &str, value: &str) {
        self.insert_element(name, &format!("<{name}>{}</{name}>", escaped(value)));
    }

    /// Inserts an element after those that precede it.
    fn insert_element(&mut self, name: &str, element: &str) {
        let mut before = self
            .topic
            .children()
            .filter(|node| node.is_element() && place(node.tag_name().name()) <= place(name));
        // A topic has a title, which precedes all that is inserted.
        if let Some(node) = before.next_back() {
            let end = node.range().end;
            self.edits
                .push((end..end, place(name), format!("\n    {}", element.trim())));
        }
    }

    fn set_status(&mut self, status: &str) {
        match self.topic.attribute_node("TopicStatus") {
            Some(attribute) => self.edits.push((attribute.range_value(), None, status.to_owned())),
            None => {
                let start = self.topic.range().start + "<Topic".len();
                self.edits
                    .push((start..start, None, format!(" TopicStatus=\"{status}\"")));
            }
        }
    }

    /// Notes a change that is not in the markup.
    fn changes_elsewhere(&mut self) {
        let start = self.topic.range().start;
        self.edits.push((start..start, None, String::new()));
    }

    /// Returns the edited text with the date of the change, or `None` without edits.
    fn apply(mut self, date: &str) -> Option<String> {
        self.add_labels();
        let text = self.text;
        if self.edits.is_empty() {
            return None;
        }
        self.set("ModifiedDate", date);
        self.set("ModifiedAuthor", AUTHOR);
        // Several elements may follow the same one.
        self.edits.sort_by_key(|(range, place, _)| (range.start, *place));
        let (mut edited, mut end) = (String::with_capacity(text.len() + 256), 0);
        for (range, _, new) in self.edits {
            edited.push_str(&text[end..range.start]);
            edited.push_str(&new);
            end = range.end;
        }
        edited.push_str(&text[end..]);
        Some(edited)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::bcf::BcfCamera;

    fn topic() -> BcfTopic<'static> {
        BcfTopic {
            key: vec!["a", "b"],
            title: "a / b".into(),
            kind: Kind::Touch,
            rule: Some("a < b"),
            priority: "Low",
            description: "a < b".into(),
            components: Vec::new(),
            colour: [0; 3],
            camera: BcfCamera {
                position: DVec3::ZERO,
                direction: DVec3::Y,
                up: DVec3::Z,
                field_of_view: 45.0,
                aspect_ratio: 1.5,
            },
        }
    }

    #[test]
    fn missing_elements_are_inserted_in_the_order_of_the_schema() {
        let topic = topic();
        let guid = topic.guid();
        let bare = "<Markup><Topic Guid=\"0\"><Title>t</Title><Labels>wall</Labels></Topic></Markup>";
        let date = "2026-01-31T12:00:00Z";
        let updated = update(bare, guid, Change::Found(&topic, false), BcfVersion::V2_1, date)
            .expect("XML")
            .expect("a change");
        let document = parse(&updated).expect("XML");
        let topic_node = topic_of(&document).expect("a topic");
        let elements = topic_node.children().filter(Node::is_element);
        let names: Vec<&str> = elements.map(|node| node.tag_name().name()).collect();
        assert_eq!(
            names,
            [
                "Title",
                "Priority",
                "Labels",
                "Labels",
                "Labels",
                "ModifiedDate",
                "ModifiedAuthor",
                "Description"
            ]
        );
        let description = child(topic_node, "Description").and_then(|node| node.text());
        assert_eq!(description, Some("a < b"));
        assert!(files(&updated, viewpoint_of(guid)).expect("XML").is_some());
        let labels = topic_node.children().filter(|node| node.has_tag_name("Labels"));
        let labels: Vec<_> = labels.filter_map(|node| node.text()).collect();
        assert_eq!(labels, ["wall", "touch", "rule: a < b"]);
        // The same again changes nothing.
        assert_eq!(
            update(&updated, guid, Change::Found(&topic, false), BcfVersion::V2_1, date),
            Ok(None)
        );
        let other = BcfTopic { rule: None, ..topic };
        let updated = update(&updated, guid, Change::Found(&other, false), BcfVersion::V2_1, date);
        let updated = updated.expect("XML").expect("a change");
        assert!(
            !updated.contains("rule: ") && updated.contains("<Labels>touch</Labels>"),
            "{updated}"
        );
    }

    #[test]
    fn lists_of_version_3_are_filled() {
        let (topic, date) = (topic(), "2026-01-31T12:00:00Z");
        let guid = topic.guid();
        let changed = |text: &str, topic: &BcfTopic<'_>| {
            update(text, guid, Change::Found(topic, false), BcfVersion::V3_0, date).expect("XML")
        };
        for (labels, views) in [
            ("", ""),
            ("<Labels/>", "<Viewpoints/>"),
            ("<Labels></Labels>", "<Comments/><Viewpoints></Viewpoints>"),
            ("<Labels><Label>pierce</Label></Labels>", ""),
        ] {
            let bare = format!("<Markup><Topic Guid=\"0\"><Title>t</Title>{labels}{views}</Topic></Markup>");
            let updated = changed(&bare, &topic).expect("a change");
            let document = parse(&updated).expect("XML");
            let node = topic_of(&document).expect("a topic");
            let names: Vec<_> = node.children().filter(Node::is_element).collect();
            let places: Vec<_> = names.iter().map(|node| place(node.tag_name().name())).collect();
            assert!(places.is_sorted_by(|a, b| a < b), "{updated}");
            let labels = child(node, "Labels").expect("labels").children();
            let labels: Vec<_> = labels.filter(Node::is_element).filter_map(|node| node.text()).collect();
            assert_eq!(labels, ["touch", "rule: a < b"]);
            assert!(files(&updated, viewpoint_of(guid)).expect("XML").is_some(), "{updated}");
            assert_eq!(changed(&updated, &topic), None);
            let without = changed(
                &updated,
                &BcfTopic {
                    rule: None,
                    ..topic.clone()
                },
            );
            assert!(without.is_some_and(|text| !text.contains("rule: ")));
        }
    }
}
