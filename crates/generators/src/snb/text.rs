//! Texts of messages.

use crate::snb::draw::Draw;
use crate::snb::world::World;

/// Answers of the quick.
const SHORT: [&str; 20] = [
    "ok",
    "yes",
    "no",
    "thanks",
    "thx",
    "good",
    "great",
    "fine",
    "cool",
    "right",
    "maybe",
    "LOL",
    "duh",
    "I see",
    "no way!",
    "not yet",
    "me too",
    "well done",
    "same here",
    "who knows?",
];

#[rustfmt::skip]
const WORDS: [&str; 60] = [
    "about", "after", "all", "and", "another", "because", "before", "best", "between", "book", "city", "concert",
    "critics", "during", "early", "exhibition", "famous", "first", "friends", "from", "great", "has", "history", "in",
    "interview", "known", "last", "later", "many", "most", "never", "new", "of", "often", "old", "only",
    "people", "performance", "picture", "played", "record", "said", "season", "second", "seen", "several", "since", "some",
    "story", "success", "the", "they", "to", "together", "tour", "was", "when", "with", "wrote", "years",
];

/// One text of so many in a thousand is long.
const LONG: u64 = 20;

/// An answer of a few words at most.
pub(crate) fn short(draw: &mut Draw) -> &'static str {
    draw.pick::<&str>(&SHORT)
}

/// A text about some tags: 70 to 130 characters, seldom up to 2000. Never a
/// character that would have to be quoted in a file.
pub(crate) fn about(world: &World, tags: &[u32], draw: &mut Draw) -> String {
    let length = match draw.chance(LONG) {
        true => 200 + draw.below(1800),
        false => 70 + draw.below(60),
    };
    let mut text = String::with_capacity(length + 40);
    for &tag in tags {
        text.push_str(if text.is_empty() {
            "About "
        } else {
            ", about "
        });
        text.push_str(&world.tags()[tag as usize].name.replace('_', " "));
    }
    let mut since_comma = 0;
    while text.len() < length {
        since_comma += 1;
        if since_comma > 4 && draw.chance(150) {
            text.push(',');
            since_comma = 0;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(draw.pick::<&str>(&WORDS));
    }
    text.push('.');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snb::draw::Purpose;

    #[test]
    fn texts_name_their_tags_and_need_no_quotes() {
        let world = World::new();
        let mut draw = Draw::new(1, Purpose::Messages, 0);
        for tag in 0..world.tags().len() as u32 {
            let text = about(&world, &[tag], &mut draw);
            let name = world.tags()[tag as usize].name.replace('_', " ");
            assert!(text.starts_with(&format!("About {name}")), "{text}");
            assert!(!text.contains(['|', '"', '\n', ';']), "{text}");
            assert!((70..2100).contains(&text.len()));
        }
        assert!(about(&world, &[], &mut draw).len() >= 70);
    }
}
