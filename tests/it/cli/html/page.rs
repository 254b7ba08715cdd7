//! Reads a page as a browser would.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use scraper::{ElementRef, Html, Selector};
use sha2::{Digest, Sha256};

/// A page that is sound and needs nothing but itself.
pub struct Page(Html);

/// A table of a page. A field is what it sorts by.
pub struct Table {
    pub headings: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

fn selector(text: &str) -> Selector {
    Selector::parse(text).expect("a selector")
}

fn text_of(element: ElementRef<'_>) -> String {
    element.text().collect()
}

impl Page {
    pub fn read(path: &Path) -> Self {
        Self::new(&fs::read_to_string(path).expect("the page is there"))
    }

    pub fn new(text: &str) -> Self {
        let page = Self(Html::parse_document(text));
        assert_eq!(page.0.errors, Vec::<String>::new());
        page.expect_alone();
        page
    }

    /// Asserts that nothing is fetched, and that the one script is the one that its policy names.
    fn expect_alone(&self) {
        const ADDRESSES: [&str; 9] = [
            "src",
            "href",
            "srcset",
            "action",
            "formaction",
            "poster",
            "data",
            "background",
            "xlink:href",
        ];
        for element in self.all("*") {
            let name = element.value().name();
            let fetches = [
                "link", "iframe", "object", "embed", "base", "form", "video", "audio", "use",
            ];
            assert!(!fetches.contains(&name), "{name}");
            for (attribute, value) in element.value().attrs() {
                assert!(!attribute.starts_with("on"), "{name} {attribute}={value}");
                let is_own = value.starts_with('#') || value.starts_with("data:");
                assert!(!ADDRESSES.contains(&attribute) || is_own, "{name} {attribute}={value}");
                assert!(!value.contains("url("), "{name} {attribute}={value}");
            }
        }
        for style in self.all("style").map(text_of) {
            assert!(!style.contains("url(") && !style.contains("@import"), "{style}");
        }
        let ids: Vec<_> = self.all("[id]").filter_map(|element| element.attr("id")).collect();
        for link in self.all("a").filter_map(|link| link.attr("href")) {
            assert!(ids.contains(&link.trim_start_matches('#')), "{link} leads nowhere");
        }
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ids.len(), "{ids:?}");

        let scripts: Vec<String> = self.all("script").map(text_of).collect();
        assert_eq!(scripts.len(), 1);
        let policy = self.all("meta[http-equiv=Content-Security-Policy]").next();
        let policy = policy.and_then(|meta| meta.attr("content")).expect("a policy");
        let digest = base64(&Sha256::digest(&scripts[0]));
        let wanted = format!("script-src 'sha256-{digest}'");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(
            policy.ends_with(&wanted),
            "{policy}: the script has changed, so it is {wanted}"
        );
    }

    fn all<'a>(&'a self, what: &str) -> impl Iterator<Item = ElementRef<'a>> {
        let found: Vec<_> = self.0.select(&selector(what)).collect();
        found.into_iter()
    }

    pub fn title(&self) -> String {
        let titles: Vec<String> = ["title", "h1"].map(|name| self.text(name)).into();
        assert_eq!(titles[0], titles[1]);
        titles[0].clone()
    }

    /// The text of the only element that a selector finds.
    pub fn text(&self, what: &str) -> String {
        let all: Vec<String> = self.all(what).map(text_of).collect();
        assert_eq!(all.len(), 1, "{what}");
        all[0].clone()
    }

    pub fn has(&self, what: &str) -> bool {
        self.all(what).next().is_some()
    }

    /// What the lists of facts say.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let names = self.all("dt").map(text_of);
        names.zip(self.all("dd").map(text_of)).collect()
    }

    pub fn table(&self, id: &str) -> Table {
        let headings: Vec<String> = self.all(&format!("#{id} thead th")).map(text_of).collect();
        assert!(!headings.is_empty(), "no table {id}");
        let cell = selector("td");
        let row = |row: ElementRef<'_>| -> Vec<String> {
            let cells = row.select(&cell);
            cells
                .map(|cell| cell.attr("data-value").map_or_else(|| text_of(cell), str::to_owned))
                .collect()
        };
        let rows: Vec<Vec<String>> = self.all(&format!("#{id} tbody tr")).map(row).collect();
        assert!(rows.iter().all(|row| row.len() == headings.len()), "{id}");
        Table { headings, rows }
    }

    /// The source of the page without some of its elements.
    pub fn without(&self, what: &[&str]) -> String {
        let mut source = self.0.html();
        for element in what.iter().flat_map(|what| self.all(what)) {
            source = source.replace(&element.html(), "");
        }
        source
    }
}

/// RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let chunk = |chunk: &[u8]| {
        let bits = (0..3).fold(0, |bits, k| bits << 8 | u32::from(chunk.get(k).copied().unwrap_or(0)));
        let digit = |k: usize| match k <= chunk.len() {
            true => char::from(DIGITS[(bits >> (18 - 6 * k) & 63) as usize]),
            false => '=',
        };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(chunk).collect()
}
