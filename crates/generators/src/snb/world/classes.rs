//! The classes of tags and how the tags of each are called.

/// A class of tags.
pub(crate) struct ClassEntry {
    pub(crate) name: &'static str,
    /// The class above; the first class has none.
    pub(crate) above: Option<&'static str>,
    pub(crate) tags: Tags,
}

/// Names of the tags of a class.
#[derive(Clone, Copy)]
pub(crate) enum Tags {
    /// Only classes below have tags.
    Below,
    /// Persons; the number tells their names apart from those of other classes.
    Persons(usize),
    /// `{adjective}_{noun}` with one of these nouns.
    Works(&'static [&'static str]),
    /// `The_{noun plural}`.
    Bands,
}

const fn class(name: &'static str, above: &'static str, tags: Tags) -> ClassEntry {
    ClassEntry {
        name,
        above: Some(above),
        tags,
    }
}

use Tags::*;

/// Classes above come first.
#[rustfmt::skip]
pub(crate) const CLASSES: [ClassEntry; 44] = [
    ClassEntry { name: "Thing", above: None, tags: Below },
    class("Agent", "Thing", Below),
    class("Person", "Agent", Persons(0)),
    class("Artist", "Person", Below),
    class("MusicalArtist", "Artist", Persons(1)),
    class("Actor", "Artist", Persons(2)),
    class("Comedian", "Actor", Persons(3)),
    class("Writer", "Artist", Persons(4)),
    class("Painter", "Artist", Persons(5)),
    class("ComicsCreator", "Artist", Persons(6)),
    class("Architect", "Person", Persons(7)),
    class("Athlete", "Person", Below),
    class("SoccerPlayer", "Athlete", Persons(8)),
    class("TennisPlayer", "Athlete", Persons(9)),
    class("BasketballPlayer", "Athlete", Persons(10)),
    class("Cyclist", "Athlete", Persons(11)),
    class("Cricketer", "Athlete", Persons(12)),
    class("SnookerPlayer", "Athlete", Persons(13)),
    class("GolfPlayer", "Athlete", Persons(14)),
    class("SoccerManager", "Person", Persons(15)),
    class("Politician", "Person", Persons(16)),
    class("PrimeMinister", "Politician", Persons(17)),
    class("Senator", "Politician", Persons(18)),
    class("OfficeHolder", "Person", Persons(19)),
    class("Judge", "Person", Persons(20)),
    class("Scientist", "Person", Persons(21)),
    class("Astronaut", "Person", Persons(22)),
    class("Philosopher", "Person", Persons(23)),
    class("MilitaryPerson", "Person", Persons(24)),
    class("Royalty", "Person", Below),
    class("Monarch", "Royalty", Persons(25)),
    class("Cleric", "Person", Below),
    class("Saint", "Cleric", Persons(26)),
    class("Model", "Person", Persons(27)),
    class("Organisation", "Agent", Below),
    class("Band", "Organisation", Bands),
    class("Company", "Organisation", Works(&["Systems", "Motors", "Foods", "Instruments", "Films", "Records"])),
    class("Work", "Thing", Below),
    class("Film", "Work", Works(&["Night", "Road", "Journey", "Letter", "Mirror", "Heist", "Harvest", "Garden"])),
    class("Book", "Work", Works(&["Island", "Winter", "Witness", "Chronicle", "Orchard", "Lighthouse", "Republic", "Atlas"])),
    class("MusicalWork", "Work", Below),
    class("Album", "MusicalWork", Works(&["Sessions", "Tapes", "Horizon", "Echoes", "Weather", "Machine"])),
    class("Song", "MusicalWork", Works(&["Rain", "Heart", "River", "Summer", "Fire", "Train", "Moon", "Highway"])),
    class("Place", "Thing", Works(&["Falls", "Bay", "Mountains", "Valley", "Lakes", "Plateau"])),
];

/// Adjectives of works and places.
#[rustfmt::skip]
pub(crate) const ADJECTIVES: [&str; 24] = [
    "Silent", "Golden", "Last", "Broken", "Northern", "Hidden", "Endless", "Paper", "Crimson", "Distant", "Electric", "Frozen",
    "Hollow", "Quiet", "Second", "Velvet", "Wild", "Wooden", "Burning", "Early", "Glass", "Lost", "Open", "Silver",
];

/// Nouns of bands.
#[rustfmt::skip]
pub(crate) const NOUNS: [&str; 24] = [
    "Lanterns", "Otters", "Satellites", "Carpenters", "Comets", "Foxes", "Gardeners", "Harbours", "Icicles", "Jugglers", "Kites", "Magpies",
    "Navigators", "Owls", "Pilots", "Ravens", "Sparrows", "Telegrams", "Umbrellas", "Voyagers", "Windmills", "Anchors", "Bicycles", "Drummers",
];
