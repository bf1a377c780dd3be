//! Parameters that the queries of SNB Interactive are called with.

use evergraph::property::value::Value;
use evergraph_generators::snb::{Change, Comment, Like, Message, Network, queries};
use evergraph_generators::snb::{Forum, Friendship, Membership, Person, Post};

/// Values by name.
pub type Call = Vec<(&'static str, Value)>;

/// So many calls of each short read, then of each complex read, as the generator draws
/// them.
pub fn of_network(network: &Network, calls: usize) -> Vec<Vec<Call>> {
    let short = queries::short_parameters(network, calls);
    let complex = queries::parameters(network, calls);
    short.iter().chain(&complex).map(of_rows).collect()
}

/// Calls of one query.
pub fn of_rows(parameters: &queries::Parameters) -> Vec<Call> {
    let columns = parameters.columns;
    let call = |row: &Vec<String>| {
        let values = columns.iter().zip(row);
        values
            .map(|(name, value)| (*name, typed(name, value)))
            .collect()
    };
    parameters.rows.iter().map(call).collect()
}

/// An integer where it is one, but for names of things.
fn typed(name: &str, value: &str) -> Value {
    match value.parse::<i64>() {
        Ok(number) if !name.ends_with("Name") => number.into(),
        _ => value.into(),
    }
}

/// The parameters of the update that adds a row; which it is says
/// [`number`](crate::snb::updates::number).
pub fn of_change(change: &Change) -> Call {
    match change {
        Change::Person(person) => of_person(person),
        Change::Like(like) => of_like(like),
        Change::Forum(forum) => of_forum(forum),
        Change::Membership(Membership {
            forum,
            person,
            join_date,
        }) => vec![
            ("forumId", id(*forum)),
            ("personId", id(*person)),
            ("joinDate", (*join_date).into()),
        ],
        Change::Post(post) => of_post(post),
        Change::Comment(comment) => of_comment(comment),
        Change::Friendship(Friendship {
            first,
            second,
            creation_date,
        }) => vec![
            ("person1Id", id(*first)),
            ("person2Id", id(*second)),
            ("creationDate", (*creation_date).into()),
        ],
    }
}

fn of_person(row: &Person) -> Call {
    let pair =
        |organisation: u32, year: i32| Value::from(vec![i64::from(organisation), i64::from(year)]);
    let study = row.study.iter();
    let study = study.map(|study| pair(study.organisation, study.class_year));
    let jobs = row.jobs.iter();
    let jobs = jobs.map(|job| pair(job.organisation, job.work_from));
    vec![
        ("personId", id(row.id)),
        ("personFirstName", row.first_name.into()),
        ("personLastName", row.last_name.into()),
        ("gender", row.gender.name().into()),
        ("birthday", row.birthday.into()),
        ("creationDate", row.creation_date.into()),
        ("locationIP", row.location_ip.to_string().into()),
        ("browserUsed", row.browser.into()),
        ("cityId", id(row.city)),
        ("languages", row.languages.clone().into()),
        ("emails", row.emails.clone().into()),
        ("tagIds", tags(&row.interests)),
        ("studyAt", study.collect()),
        ("workAt", jobs.collect()),
    ]
}

fn of_like(row: &Like) -> Call {
    let (name, message) = match row.message {
        Message::Post(post) => ("postId", post),
        Message::Comment(comment) => ("commentId", comment),
    };
    vec![
        ("personId", id(row.person)),
        (name, id(message)),
        ("creationDate", row.creation_date.into()),
    ]
}

fn of_forum(row: &Forum) -> Call {
    vec![
        ("forumId", id(row.id)),
        ("forumTitle", row.title.as_str().into()),
        ("creationDate", row.creation_date.into()),
        ("moderatorPersonId", id(row.moderator)),
        ("tagIds", tags(&row.tags)),
    ]
}

fn of_post(row: &Post) -> Call {
    vec![
        ("postId", id(row.id)),
        ("imageFile", row.image_file.as_deref().unwrap_or("").into()),
        ("creationDate", row.creation_date.into()),
        ("locationIP", row.location_ip.to_string().into()),
        ("browserUsed", row.browser.into()),
        ("language", row.language.into()),
        ("content", row.content.as_str().into()),
        ("length", length(&row.content)),
        ("authorPersonId", id(row.creator)),
        ("forumId", id(row.forum)),
        ("countryId", id(row.country)),
        ("tagIds", tags(&row.tags)),
    ]
}

fn of_comment(row: &Comment) -> Call {
    let none = || Value::Integer(-1);
    let (post, comment) = match row.reply_of {
        Message::Post(post) => (id(post), none()),
        Message::Comment(comment) => (none(), id(comment)),
    };
    vec![
        ("commentId", id(row.id)),
        ("creationDate", row.creation_date.into()),
        ("locationIP", row.location_ip.to_string().into()),
        ("browserUsed", row.browser.into()),
        ("content", row.content.as_str().into()),
        ("length", length(&row.content)),
        ("authorPersonId", id(row.creator)),
        ("countryId", id(row.country)),
        ("replyToPostId", post),
        ("replyToCommentId", comment),
        ("tagIds", tags(&row.tags)),
    ]
}

/// The generator's ids have 50 bits.
fn id(id: impl Into<u64>) -> Value {
    Value::Integer(id.into() as i64)
}

fn length(content: &str) -> Value {
    Value::Integer(content.chars().count() as i64)
}

fn tags(ids: &[u32]) -> Value {
    ids.iter().copied().collect()
}
