//! The texts that topics of version 3.0 may have, `extensions.xsd`.

use std::collections::BTreeSet;
use std::ops::Range;

use roxmltree::Node;

use crate::bcf::markup::{CLOSED, OPEN, TYPE, labels_of, parse};
use crate::bcf::xml::{appended, child, escaped};
use crate::bcf::{AUTHOR, BcfTopic};

/// The name of the file.
pub const EXTENSIONS: &str = "extensions.xml";

/// An empty file.
const EMPTY: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Extensions>\n</Extensions>\n";

/// The lists, in their order, and the elements of each.
const LISTS: [[&str; 2]; 7] = [
    ["TopicTypes", "TopicType"],
    ["TopicStatuses", "TopicStatus"],
    ["Priorities", "Priority"],
    ["TopicLabels", "TopicLabel"],
    ["Users", "User"],
    ["SnippetTypes", "SnippetType"],
    ["Stages", "Stage"],
];

/// The texts of the topics that are written: the list of each, and the text.
pub struct Extensions(BTreeSet<(&'static str, String)>);

impl Extensions {
    pub fn new() -> Self {
        let texts = [
            ("TopicTypes", TYPE),
            ("TopicStatuses", OPEN),
            ("TopicStatuses", CLOSED),
            ("Users", AUTHOR),
        ];
        Self(texts.into_iter().map(|(list, text)| (list, text.to_owned())).collect())
    }

    /// Adds the texts of a topic.
    pub fn add(&mut self, topic: &BcfTopic<'_>) {
        self.0.insert(("Priorities", topic.priority.to_owned()));
        self.0
            .extend(labels_of(topic).into_iter().map(|label| ("TopicLabels", label)));
    }

    /// Returns the file with all texts, or `None` if that of the earlier archive has them.
    pub fn update(&self, earlier: Option<&str>) -> Result<Option<String>, String> {
        let mut text = earlier.unwrap_or(EMPTY).to_owned();
        let mut is_changed = earlier.is_none();
        for place in 0..LISTS.len() {
            if let Some((range, new)) = self.edit(&text, place)? {
                text.replace_range(range, &new);
                is_changed = true;
            }
        }
        Ok(is_changed.then_some(text))
    }

    /// Returns the edit that adds what a list lacks: a range of the text, and what replaces it.
    fn edit(&self, text: &str, place: usize) -> Result<Option<(Range<usize>, String)>, String> {
        let document = parse(text)?;
        let (root, [list, item]) = (document.root_element(), LISTS[place]);
        let node = child(root, list);
        let is_there = |value: &str| {
            let mut items = node.into_iter().flat_map(|node| node.children());
            items.any(|node| node.has_tag_name(item) && node.text() == Some(value))
        };
        let missing = self.0.iter().filter(|(of, value)| *of == list && !is_there(value));
        let items: String = missing
            .map(|(_, value)| format!("  <{item}>{}</{item}>\n  ", escaped(value)))
            .collect();
        if items.is_empty() {
            return Ok(None);
        }
        if let Some(node) = node {
            return Ok(Some(appended(text, &node, &items)));
        }
        let list = format!("  <{list}>\n  {items}</{list}>\n");
        let is_later = |node: &Node<'_, '_>| {
            let later = LISTS.iter().skip(place + 1);
            later.into_iter().any(|[list, _]| node.has_tag_name(*list))
        };
        Ok(Some(match root.children().find(is_later) {
            Some(next) => (
                next.range().start..next.range().start,
                list.trim_start().to_owned() + "  ",
            ),
            None => appended(text, &root, &list),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_file_keeps_its_texts_and_gets_those_that_it_lacks() {
        let extensions = Extensions::new();
        let whole = extensions.update(None).expect("XML").expect("a new file");
        assert_eq!(extensions.update(Some(&whole)), Ok(None));
        for earlier in [
            "<Extensions/>",
            "<Extensions></Extensions>",
            "<Extensions><TopicTypes><TopicType>Clash</TopicType></TopicTypes><Users/></Extensions>",
            "<Extensions><TopicStatuses><TopicStatus>Open</TopicStatus></TopicStatuses><Stages/></Extensions>",
        ] {
            let updated = extensions.update(Some(earlier)).expect("XML").expect("a change");
            let document = parse(&updated).expect("XML");
            let lists = document.root_element().children().filter(Node::is_element);
            let places: Vec<_> = lists
                .map(|node| LISTS.iter().position(|[list, _]| node.has_tag_name(*list)))
                .collect();
            assert!(places.is_sorted() && places.iter().all(Option::is_some), "{updated}");
            for text in [TYPE, OPEN, CLOSED, AUTHOR] {
                assert_eq!(updated.matches(&format!(">{text}<")).count(), 1, "{updated}");
            }
            assert_eq!(extensions.update(Some(&updated)), Ok(None), "{updated}");
        }
    }
}
