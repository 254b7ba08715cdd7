//! Reads a page, and rejects errors that a browser would tolerate.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};
use sha2::{Digest, Sha256};

/// Elements without an end tag.
const VOID: [&str; 3] = ["img", "input", "meta"];

/// Elements that fetch or navigate.
const FETCHING: [&str; 10] = [
    "link", "iframe", "object", "embed", "base", "form", "video", "audio", "use", "image",
];

/// Attributes with addresses.
const ADDRESSES: [&str; 8] = [
    "src",
    "href",
    "srcset",
    "action",
    "formaction",
    "poster",
    "data",
    "background",
];

/// A page that is well-formed and self-contained, as XML without script and style.
pub struct Page(String);

/// A table of a page. A field is the value by which it sorts.
pub struct Table {
    pub headings: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Page {
    pub fn read(path: &Path) -> Self {
        Self::new(&fs::read_to_string(path).expect("the page is there"))
    }

    pub fn new(text: &str) -> Self {
        let (text, style) = cut(text, "style");
        let (mut text, script) = cut(&text, "script");
        for name in VOID {
            text = ended(&text, name);
        }
        let page = Self(text);
        page.expect_alone();
        page.expect_script(&script);
        assert!(!style.contains("url(") && !style.contains("@import"), "{style}");
        page
    }

    fn document(&self) -> Document<'_> {
        let options = ParsingOptions {
            allow_dtd: true,
            ..ParsingOptions::default()
        };
        Document::parse_with_options(&self.0, options).unwrap_or_else(|error| panic!("{error}: {}", self.0))
    }

    /// Asserts that nothing is fetched, and that ids are unique and links lead to them.
    fn expect_alone(&self) {
        let document = self.document();
        let mut ids: Vec<&str> = elements(&document).filter_map(|node| node.attribute("id")).collect();
        for node in elements(&document) {
            let name = node.tag_name().name();
            assert!(!FETCHING.contains(&name), "{name}");
            for attribute in node.attributes() {
                let (attribute, value) = (attribute.name(), attribute.value());
                assert!(
                    !attribute.starts_with("on") && attribute != "style",
                    "{name} {attribute}={value}"
                );
                let is_own = match value.strip_prefix('#') {
                    Some(id) => ids.contains(&id),
                    None => value.starts_with("data:image/png;base64,"),
                };
                assert!(!ADDRESSES.contains(&attribute) || is_own, "{name} {attribute}={value}");
                assert!(!value.contains("url("), "{name} {attribute}={value}");
            }
        }
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "{ids:?}");
    }

    /// Asserts that the only script is the one that the page's policy names.
    fn expect_script(&self, script: &str) {
        let document = self.document();
        let metas = elements(&document).filter(|node| node.attribute("http-equiv") == Some("Content-Security-Policy"));
        let policies: Vec<&str> = metas.filter_map(|node| node.attribute("content")).collect();
        let wanted = format!("script-src 'sha256-{}'", base64(&Sha256::digest(script)));
        assert_eq!(policies.len(), 1);
        assert!(policies[0].starts_with("default-src 'none'; "), "{policies:?}");
        assert!(
            policies[0].ends_with(&wanted),
            "{policies:?}: the script has changed, its hash is {wanted}"
        );
    }

    pub fn title(&self) -> String {
        let document = self.document();
        // Parts of plots have titles, too.
        let title = elements(&document).find(|node| is(*node, "title")).map(text_of);
        let heading = self.text("h1");
        assert_eq!(title.as_ref(), Some(&heading));
        heading
    }

    /// Returns the text of the only element of this name, `name.class` or `#id`.
    pub fn text(&self, what: &str) -> String {
        let document = self.document();
        let all: Vec<String> = elements(&document)
            .filter(|node| is(*node, what))
            .map(text_of)
            .collect();
        assert_eq!(all.len(), 1, "{what}");
        all[0].clone()
    }

    /// Returns the file of the only picture in the element with this id.
    pub fn picture(&self, id: &str) -> String {
        let document = self.document();
        let figure = elements(&document).find(|node| node.attribute("id") == Some(id));
        let figure = figure.unwrap_or_else(|| panic!("no picture {id}"));
        let sources = figure.descendants().filter(|node| is(*node, "img"));
        let sources: Vec<&str> = sources.filter_map(|node| node.attribute("src")).collect();
        assert_eq!(sources.len(), 1, "{id}");
        sources[0].to_owned()
    }

    pub fn count(&self, what: &str) -> usize {
        elements(&self.document()).filter(|node| is(*node, what)).count()
    }

    /// Returns the contents of the lists of facts.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let document = self.document();
        let names = elements(&document).filter(|node| is(*node, "dt")).map(text_of);
        let facts = elements(&document).filter(|node| is(*node, "dd")).map(text_of);
        names.zip(facts).collect()
    }

    pub fn table(&self, id: &str) -> Table {
        let document = self.document();
        let table = elements(&document).find(|node| node.attribute("id") == Some(id));
        let table = table.unwrap_or_else(|| panic!("no table {id}"));
        let within = |node: Node<'_, '_>, name: &str| -> Vec<String> {
            let cells = node.descendants().filter(|cell| is(*cell, name));
            cells
                .map(|cell| {
                    cell.attribute("data-value")
                        .map_or_else(|| text_of(cell), str::to_owned)
                })
                .collect()
        };
        let headings = within(table, "th");
        let rows = table.descendants().filter(|node| is(*node, "tr")).skip(1);
        let rows: Vec<Vec<String>> = rows.map(|row| within(row, "td")).collect();
        assert!(rows.iter().all(|row| row.len() == headings.len()), "{id}");
        Table { headings, rows }
    }

    /// Returns the source of the page without some of its elements.
    pub fn without(&self, what: &[&str]) -> String {
        let document = self.document();
        let left_out = elements(&document).filter(|node| what.iter().any(|what| is(*node, what)));
        let mut source = self.0.clone();
        let mut ranges: Vec<_> = left_out.map(|node| node.range()).collect();
        assert!(ranges.len() >= what.len());
        ranges.sort_by_key(|range| range.start);
        ranges
            .into_iter()
            .rev()
            .for_each(|range| source.replace_range(range, ""));
        source
    }
}

fn elements<'a>(document: &'a Document<'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(Node::is_element)
}

fn is(node: Node<'_, '_>, what: &str) -> bool {
    if let Some(id) = what.strip_prefix('#') {
        return node.attribute("id") == Some(id);
    }
    let (name, class) = what.split_once('.').unwrap_or((what, ""));
    let mut classes = node.attribute("class").unwrap_or_default().split(' ');
    node.has_tag_name(name) && (class.is_empty() || classes.any(|other| other == class))
}

fn text_of(node: Node<'_, '_>) -> String {
    let texts = node.descendants().filter(Node::is_text);
    texts.filter_map(|node| node.text()).collect()
}

/// Returns the text without the content of the only element of that name, and that content.
fn cut(text: &str, name: &str) -> (String, String) {
    let [start, end] = [format!("<{name}>"), format!("</{name}>")];
    assert_eq!(text.matches(&format!("<{name}")).count(), 1, "{name}");
    let (before, rest) = text.split_once(&start).expect("it begins");
    let (inside, after) = rest.split_once(&end).expect("it ends");
    (format!("{before}{after}"), inside.to_owned())
}

/// Returns the text with elements of that name closed as XML requires.
fn ended(text: &str, name: &str) -> String {
    let start = format!("<{name} ");
    let mut parts = text.split(&start);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (attributes, after) = part.split_once('>').expect("a tag ends");
        all += &format!("{start}{attributes}/>{after}");
    }
    all
}

/// Encodes base64 as in RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let chunk = |chunk: &[u8]| {
        let bits = (0..3).fold(0, |bits, k| (bits << 8) | u32::from(chunk.get(k).copied().unwrap_or(0)));
        let digit = |k: usize| match k <= chunk.len() {
            true => char::from(DIGITS[((bits >> (18 - 6 * k)) & 63) as usize]),
            false => '=',
        };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(chunk).collect()
}
