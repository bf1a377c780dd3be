//! The rows of a network. Ids are unique within a kind; posts and comments are one
//! kind, messages. Times are milliseconds since 1970 (UTC).

use std::net::Ipv4Addr;

/// The gender that the benchmark gives a person, of which its names depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gender {
    /// `female`
    Female,
    /// `male`
    Male,
}

impl Gender {
    /// As the benchmark writes it.
    pub fn name(self) -> &'static str {
        match self {
            Gender::Female => "female",
            Gender::Male => "male",
        }
    }
}

/// A person studied at a university.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Study {
    /// Its id in [`crate::snb::world::World::organisations`].
    pub organisation: u32,
    /// The year of graduation.
    pub class_year: i32,
}

/// A person works at a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its id in [`crate::snb::world::World::organisations`].
    pub organisation: u32,
    /// The year of the first day.
    pub work_from: i32,
}

/// A person with an account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Person {
    /// Dense, from 0.
    pub id: u64,
    pub first_name: &'static str,
    pub last_name: &'static str,
    pub gender: Gender,
    /// Midnight (UTC) of the day of birth.
    pub birthday: i64,
    pub creation_date: i64,
    pub location_ip: Ipv4Addr,
    pub browser: &'static str,
    /// Codes of ISO 639-1.
    pub languages: Vec<&'static str>,
    pub emails: Vec<String>,
    /// The id of a place.
    pub city: u32,
    /// Ids of tags, ascending.
    pub interests: Vec<u32>,
    pub study: Option<Study>,
    pub jobs: Vec<Job>,
}

/// Two persons know each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Friendship {
    /// The lower of the two ids.
    pub first: u64,
    /// The higher of the two ids.
    pub second: u64,
    /// Since when.
    pub creation_date: i64,
}

/// A place for messages: a wall, an album or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Forum {
    pub id: u64,
    pub title: String,
    pub creation_date: i64,
    /// The id of a person.
    pub moderator: u64,
    /// Ids of tags, ascending.
    pub tags: Vec<u32>,
}

/// A person joins a forum. Moderators are no members of their own forums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Membership {
    pub forum: u64,
    pub person: u64,
    pub join_date: i64,
}

/// A message that starts a thread. It has an image or a content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Post {
    pub id: u64,
    pub image_file: Option<String>,
    pub creation_date: i64,
    pub location_ip: Ipv4Addr,
    pub browser: &'static str,
    /// Of the content.
    pub language: Option<&'static str>,
    /// Empty if there is an image.
    pub content: String,
    /// The id of a person.
    pub creator: u64,
    pub forum: u64,
    /// The id of a place.
    pub country: u32,
    /// Ids of tags, ascending.
    pub tags: Vec<u32>,
}

/// A post or a comment, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    /// A post.
    Post(u64),
    /// A comment.
    Comment(u64),
}

/// A message that answers another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Comment {
    pub id: u64,
    pub creation_date: i64,
    pub location_ip: Ipv4Addr,
    pub browser: &'static str,
    pub content: String,
    /// The id of a person.
    pub creator: u64,
    /// The id of a place.
    pub country: u32,
    pub reply_of: Message,
    /// Ids of tags, ascending.
    pub tags: Vec<u32>,
}

/// A person likes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Like {
    pub person: u64,
    pub message: Message,
    pub creation_date: i64,
}

/// The row that an event creates.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the rows say it")]
pub enum Change {
    Person(Person),
    Friendship(Friendship),
    Forum(Forum),
    Membership(Membership),
    Post(Post),
    Comment(Comment),
    Like(Like),
}

/// Something comes into being at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub time: i64,
    /// The time of the youngest thing it refers to; 0 if there is none (persons).
    /// At least [`crate::snb::CAUSAL_GAP`] before `time`.
    pub depends_on: i64,
    /// Row that is created.
    pub change: Change,
}
