//! The update stream: everything from [`crate::snb::Parameters::cut`] on, in the order
//! of time, as the benchmark writes it.
//!
//! A line is `time|dependency time|operation|…` without a header; operations 1 to 8
//! add a person, a like of a post, a like of a comment, a forum, a membership, a
//! post, a comment, a friendship (specification of Interactive v1, table 2.19).

use std::io::{self, Write};

use crate::snb::CAUSAL_GAP;
use crate::snb::csv::list;
use crate::snb::network::Network;
use crate::snb::rows::{Change, Comment, Event, Forum, Message, Person, Post};

/// Updates that are sorted in memory at a time, about; some hundred bytes each.
const AT_A_TIME: u64 = 200_000;

/// Updates a person and the whole time, about.
const EVENTS_OF_PERSON: u64 = 600;

/// Counts of written updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Updates of both streams.
    pub updates: u64,
    /// The time of the first update; 0 without updates.
    pub first: i64,
    /// The time of the last update.
    pub last: i64,
}

impl Summary {
    /// The text of `updateStream.properties`, without which the benchmark's driver does
    /// not start. Milliseconds.
    pub fn properties(&self) -> String {
        let steps = self.updates.saturating_sub(1).max(1);
        let between = (self.last - self.first) / steps as i64;
        format!(
            "ldbc.snb.interactive.gct_delta_duration:{CAUSAL_GAP}\n\
             ldbc.snb.interactive.min_write_event_start_time:{}\n\
             ldbc.snb.interactive.max_write_event_start_time:{}\n\
             ldbc.snb.interactive.update_interleave:{between}\n\
             ldbc.snb.interactive.num_events:{}\n",
            self.first, self.last, self.updates
        )
    }
}

/// All updates in the order of time. Goes over the network once for some hundred
/// thousand updates, so memory is bounded whatever the scale.
pub fn updates(network: &Network) -> impl Iterator<Item = Event> + '_ {
    let parameters = network.parameters();
    let expected = parameters.persons * EVENTS_OF_PERSON;
    let expected = (expected as f64 * parameters.update_part) as u64;
    in_slices(network, 1 + expected / AT_A_TIME)
}

/// All updates, in so many passes over the network.
fn in_slices(network: &Network, slices: u64) -> impl Iterator<Item = Event> + '_ {
    let (cut, end) = (network.parameters().cut(), network.parameters().end);
    let slices = slices.clamp(1, (end - cut).max(1) as u64) as i64;
    let bound =
        move |slice: i64| cut + ((end - cut) as i128 * slice as i128 / slices as i128) as i64;
    (0..slices).flat_map(move |slice| {
        let times = bound(slice)..bound(slice + 1);
        let events = network.events().filter(|event| times.contains(&event.time));
        let mut events: Vec<Event> = events.collect();
        // Stable, and the order of rows is fixed, so there are no ties to break.
        events.sort_by_key(|event| event.time);
        events
    })
}

/// Writes both streams.
///
/// # Errors
/// Errors of the writers.
pub fn write(
    network: &Network,
    persons: &mut impl Write,
    forums: &mut impl Write,
) -> io::Result<Summary> {
    let mut summary = Summary::default();
    for update in updates(network) {
        if summary.updates == 0 {
            summary.first = update.time;
        }
        summary.last = update.time;
        summary.updates += 1;
        match update.change {
            Change::Person(_) => write_update(persons, &update)?,
            _ => write_update(forums, &update)?,
        }
    }
    persons.flush()?;
    forums.flush()?;
    Ok(summary)
}

/// One line of a stream.
fn write_update(to: &mut impl Write, update: &Event) -> io::Result<()> {
    write!(to, "{}|{}|", update.time, update.depends_on)?;
    match &update.change {
        Change::Person(person) => write_person(to, person)?,
        Change::Like(like) => {
            let (operation, message) = match like.message {
                Message::Post(id) => (2, id),
                Message::Comment(id) => (3, id),
            };
            write!(
                to,
                "{operation}|{}|{message}|{}",
                like.person, like.creation_date
            )?;
        }
        Change::Forum(forum) => write_forum(to, forum)?,
        Change::Membership(m) => write!(to, "5|{}|{}|{}", m.forum, m.person, m.join_date)?,
        Change::Post(post) => write_post(to, post)?,
        Change::Comment(comment) => write_comment(to, comment)?,
        Change::Friendship(f) => write!(to, "8|{}|{}|{}", f.first, f.second, f.creation_date)?,
    }
    to.write_all(b"\n")
}

fn write_person(to: &mut impl Write, person: &Person) -> io::Result<()> {
    let study = person
        .study
        .iter()
        .map(|study| format!("{},{}", study.organisation, study.class_year));
    let jobs = person
        .jobs
        .iter()
        .map(|job| format!("{},{}", job.organisation, job.work_from));
    write!(
        to,
        "1|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
        person.id,
        person.first_name,
        person.last_name,
        person.gender.name(),
        person.birthday,
        person.creation_date,
        person.location_ip,
        person.browser,
        person.city,
        person.languages.join(";"),
        person.emails.join(";"),
        list(&person.interests),
        study.collect::<Vec<_>>().join(";"),
        jobs.collect::<Vec<_>>().join(";"),
    )
}

fn write_forum(to: &mut impl Write, forum: &Forum) -> io::Result<()> {
    let (id, title, date) = (forum.id, &forum.title, forum.creation_date);
    write!(
        to,
        "4|{id}|{title}|{date}|{}|{}",
        forum.moderator,
        list(&forum.tags)
    )
}

fn write_post(to: &mut impl Write, post: &Post) -> io::Result<()> {
    write!(
        to,
        "6|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
        post.id,
        post.image_file.as_deref().unwrap_or(""),
        post.creation_date,
        post.location_ip,
        post.browser,
        post.language.unwrap_or(""),
        post.content,
        post.content.chars().count(),
        post.creator,
        post.forum,
        post.country,
        list(&post.tags),
    )
}

/// `-1` stands for the parent that a comment does not have.
fn write_comment(to: &mut impl Write, comment: &Comment) -> io::Result<()> {
    let (post, parent) = match comment.reply_of {
        Message::Post(id) => (id.to_string(), "-1".to_string()),
        Message::Comment(id) => ("-1".to_string(), id.to_string()),
    };
    write!(
        to,
        "7|{}|{}|{}|{}|{}|{}|{}|{}|{post}|{parent}|{}",
        comment.id,
        comment.creation_date,
        comment.location_ip,
        comment.browser,
        comment.content,
        comment.content.chars().count(),
        comment.creator,
        comment.country,
        list(&comment.tags),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snb::Parameters;

    #[test]
    fn the_number_of_passes_changes_nothing() {
        let network = Network::new(Parameters::with_persons(30).with_seed(4)).unwrap();
        let at_once: Vec<Event> = in_slices(&network, 1).collect();
        assert!(at_once.is_sorted_by_key(|event| event.time));
        let mut expected: Vec<Event> = network.events().collect();
        expected.retain(|event| event.time >= network.parameters().cut());
        assert_eq!(at_once.len(), expected.len());
        for slices in [2, 7] {
            assert!(
                at_once
                    .iter()
                    .eq(&in_slices(&network, slices).collect::<Vec<_>>())
            );
        }
    }
}
