//! Pictures of the deepest pairs, each with its surroundings.

use maud::{Markup, html};
use obbligato_files::{Clash, Kind};
use obbligato_render::close_up::{AROUND, SIZE};

use super::listed::{Listed, measured};
use crate::{
    check::{close_up::CloseUp, scenes::Scenes},
    failure::Failure,
    html::pictures::Artist,
};

/// The number of pairs with a picture.
const CLOSE_UPS: usize = 24;

/// Returns the id of the picture of the pair at an index of the list, if it has one.
pub fn id(index: usize, listed: &Listed) -> Option<String> {
    (index < CLOSE_UPS && listed.clash.is_some()).then(|| format!("pair-{}", index + 1))
}

/// A picture of the page.
struct Figure {
    id: String,
    picture: Markup,
    words: String,
}

/// Returns the pictures.
pub fn markup(listed: &[Listed], frames: &[Scenes], artist: &mut Artist) -> Result<Markup, Failure> {
    let mut figures = Vec::new();
    let shown = || listed.iter().take(CLOSE_UPS).enumerate();
    for (frame, scenes) in frames.iter().enumerate() {
        let here = shown().filter(|(_, row)| row.frame == frame);
        let here: Vec<(usize, &Listed, &Clash)> = here
            .filter_map(|(index, row)| Some((index, row, row.clash.as_ref()?)))
            .collect();
        if here.is_empty() {
            continue;
        }
        let close_ups = CloseUp::of_all(scenes, here.iter().map(|(_, _, clash)| *clash))?;
        for ((index, row, clash), close_up) in here.into_iter().zip(close_ups) {
            let [a, b] = row.ids(scenes);
            let extent = match clash.kind {
                Kind::Near => format!("{} apart", measured(clash.distance).text()),
                _ => format!("{} deep", measured(clash.depth).text()),
            };
            let words = format!("{}: {a} and {b}, {extent}", index + 1);
            let picture = close_up.draw(|view, focus| artist.draw(view, focus, SIZE, &words));
            let id = id(index, row).unwrap_or_default();
            figures.push((index, Figure { id, picture, words }));
        }
    }
    figures.sort_unstable_by_key(|(index, _)| *index);
    Ok(html! {
        p {
            "The smaller body is solid and the larger one transparent, in the same colour: orange if they overlap, blue if they only touch or are near. "
            "Up to " (AROUND) " others around them are transparent grey. The arrow shows the direction in which the second body must move."
        }
        div.gallery {
            @for (_, figure) in figures {
                figure id=(figure.id) {
                    (figure.picture)
                    figcaption { (figure.words) }
                }
            }
        }
    })
}
