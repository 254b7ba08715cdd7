//! The markup of a topic: title, status, description, comments and viewpoints, `markup.xsd`.
//!
//! Markup of an earlier run is edited in its text, so that all that is not changed stays as it is,
//! byte by byte.

use std::ops::Range;

use roxmltree::{Document, Node, ParsingOptions};
use uuid::Uuid;

use crate::bcf::xml::escaped;
use crate::bcf::{AUTHOR, BcfTopic, viewpoint, viewpoint_of};
use crate::clash::Kind;

/// The name of its file.
pub const MARKUP: &str = "markup.bcf";

/// The most elements and texts in a file: far more than people write, and few enough to be held.
const MOST_NODES: u32 = 1 << 20;

/// The status of a topic whose clash is there, and of one whose clash is gone.
const OPEN: &str = "Open";
const CLOSED: &str = "Closed";

/// The beginning of a label that names a rule.
const RULE: &str = "rule: ";

/// The elements of a topic, in their order.
const ELEMENTS: [&str; 16] = [
    "ReferenceLink",
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
    "RelatedTopic",
];

/// Returns the markup of a new topic.
pub fn text(guid: Uuid, topic: &BcfTopic<'_>, date: &str) -> String {
    let [title, label, priority, description] =
        [&topic.title, topic.kind.name(), topic.priority, &topic.description].map(escaped);
    let rule = topic
        .rule
        .map(|name| format!("    <Labels>{}</Labels>\n", escaped(&label_of(name))));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Markup>\n  <Topic Guid=\"{guid}\" TopicType=\"Clash\" \
         TopicStatus=\"{OPEN}\">\n    <Title>{title}</Title>\n    <Priority>{priority}</Priority>\n    \
         <Labels>{label}</Labels>\n{rule}    <CreationDate>{date}</CreationDate>\n    \
         <CreationAuthor>{AUTHOR}</CreationAuthor>\n    <Description>{description}</Description>\n  \
         </Topic>\n{viewpoints}</Markup>\n",
        rule = rule.unwrap_or_default(),
        viewpoints = viewpoints(guid),
    )
}

/// Returns the label that names a rule.
fn label_of(rule: &str) -> String {
    format!("{RULE}{rule}")
}

fn viewpoints(topic: Uuid) -> String {
    format!(
        "  <Viewpoints Guid=\"{}\">\n    <Viewpoint>{}</Viewpoint>\n    <Snapshot>{}</Snapshot>\n  </Viewpoints>\n",
        viewpoint_of(topic),
        viewpoint::FILE,
        viewpoint::SNAPSHOT
    )
}

/// The state of the clash of a topic of an earlier run.
pub enum Change<'a> {
    /// Its clash is there: the topic, and `true` if it looks different.
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
pub fn update(text: &str, guid: Uuid, change: Change<'_>, date: &str) -> Result<Option<String>, String> {
    let document = parse(text)?;
    let topic = topic_of(&document).ok_or("has no topic")?;
    let mut edits = Edits {
        topic,
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
                None => {
                    let end = text.rfind("</Markup").ok_or("has no end")?;
                    edits.edits.push((end..end, None, viewpoints(guid)));
                }
                Some(_) if looks_different => edits.changes_elsewhere(),
                Some(_) => {}
            }
        }
        Change::Gone if viewpoint_in(&document, viewpoint_of(guid)).is_none() || status == Some(CLOSED) => {}
        Change::Gone => edits.set_status(CLOSED),
    }
    Ok(edits.apply(text, date))
}

fn parse(text: &str) -> Result<Document<'_>, String> {
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
        .root_element()
        .children()
        .filter(|node| node.has_tag_name("Viewpoints"));
    all.find(|node| node.attribute("Guid").and_then(|guid| guid.parse().ok()) == Some(viewpoint))
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|node| node.has_tag_name(name))
}

/// Returns the place of an element in a topic.
fn place(name: &str) -> Option<usize> {
    ELEMENTS.iter().position(|element| *element == name)
}

/// Edits of a markup: ranges of the text, the places of elements, and what replaces them.
struct Edits<'a, 'i> {
    topic: Node<'a, 'i>,
    edits: Vec<(Range<usize>, Option<usize>, String)>,
}

impl Edits<'_, '_> {
    /// Sets the text of an element of the topic.
    fn set(&mut self, name: &str, value: &str) {
        match child(self.topic, name) {
            Some(node) if node.text().unwrap_or_default() == value => {}
            Some(node) => self.replace(&node, name, value),
            None => self.insert(name, value),
        }
    }

    /// Sets the label that is the name of a kind.
    fn set_kind(&mut self, kind: Kind) {
        let is_kind = |node: &Node<'_, '_>| {
            let text = node.text().unwrap_or_default();
            node.has_tag_name("Labels") && Kind::ALL.iter().any(|kind| kind.name() == text)
        };
        match self.topic.children().find(is_kind) {
            Some(node) if node.text() == Some(kind.name()) => {}
            Some(node) => self.replace(&node, "Labels", kind.name()),
            None => self.insert("Labels", kind.name()),
        }
    }

    /// Sets the label that names a rule, or removes it.
    fn set_rule(&mut self, rule: Option<&str>) {
        let is_rule =
            |node: &Node<'_, '_>| node.has_tag_name("Labels") && node.text().unwrap_or_default().starts_with(RULE);
        let label = rule.map(label_of);
        match (self.topic.children().find(is_rule), label) {
            (Some(node), Some(label)) if node.text() == Some(&label) => {}
            (Some(node), Some(label)) => self.replace(&node, "Labels", &label),
            (Some(node), None) => self.edits.push((node.range(), place("Labels"), String::new())),
            (None, Some(label)) => self.insert("Labels", &label),
            (None, None) => {}
        }
    }

    fn replace(&mut self, node: &Node<'_, '_>, name: &str, value: &str) {
        let text = format!("<{name}>{}</{name}>", escaped(value));
        self.edits.push((node.range(), place(name), text));
    }

    /// Inserts an element after those that precede it.
    fn insert(&mut self, name: &str, value: &str) {
        let mut before = self
            .topic
            .children()
            .filter(|node| node.is_element() && place(node.tag_name().name()) <= place(name));
        // A topic has a title, which precedes all that is inserted.
        if let Some(node) = before.next_back() {
            let end = node.range().end;
            let text = format!("\n    <{name}>{}</{name}>", escaped(value));
            self.edits.push((end..end, place(name), text));
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
    fn apply(mut self, text: &str, date: &str) -> Option<String> {
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

    #[test]
    fn missing_elements_are_inserted_in_the_order_of_the_schema() {
        let topic = BcfTopic {
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
            },
        };
        let guid = topic.guid();
        let bare = "<Markup><Topic Guid=\"0\"><Title>t</Title><Labels>wall</Labels></Topic></Markup>";
        let date = "2026-01-31T12:00:00Z";
        let updated = update(bare, guid, Change::Found(&topic, false), date)
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
        assert_eq!(update(&updated, guid, Change::Found(&topic, false), date), Ok(None));
        let other = BcfTopic { rule: None, ..topic };
        let updated = update(&updated, guid, Change::Found(&other, false), date);
        let updated = updated.expect("XML").expect("a change");
        assert!(
            !updated.contains("rule: ") && updated.contains("<Labels>touch</Labels>"),
            "{updated}"
        );
    }
}
