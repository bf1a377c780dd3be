//! The short reads once more, over the generator's rows in plain maps.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use evergraph_generators::snb::{
    Change, Comment, Event, Forum, Like, Membership, Message, Person, Post,
};

use crate::snb::reads::{Content, ForumOf, Friend, Name, Profile, Recent, Reply};

#[derive(Default)]
pub struct Reference {
    pub persons: BTreeMap<i64, Person>,
    /// Both ways, with the date.
    pub knows: BTreeMap<(i64, i64), i64>,
    pub forums: BTreeMap<i64, Forum>,
    pub posts: BTreeMap<i64, Post>,
    pub comments: BTreeMap<i64, Comment>,
    pub replies: BTreeMap<i64, Vec<i64>>,
    pub members: Vec<Membership>,
    pub likes: Vec<Like>,
}

impl Reference {
    pub fn of(events: impl Iterator<Item = Event>) -> Self {
        let mut reference = Reference::default();
        for event in events {
            reference.add(event.change);
        }
        reference
    }

    pub fn add(&mut self, change: Change) {
        match change {
            Change::Person(person) => {
                self.persons.insert(person.id as i64, person);
            }
            Change::Friendship(f) => {
                let (first, second) = (f.first as i64, f.second as i64);
                self.knows.insert((first, second), f.creation_date);
                self.knows.insert((second, first), f.creation_date);
            }
            Change::Forum(forum) => {
                self.forums.insert(forum.id as i64, forum);
            }
            Change::Post(post) => {
                self.posts.insert(post.id as i64, post);
            }
            Change::Comment(comment) => {
                let parent = id_of(comment.reply_of);
                let id = comment.id as i64;
                self.replies.entry(parent).or_default().push(id);
                self.comments.insert(id, comment);
            }
            Change::Membership(membership) => self.members.push(membership),
            Change::Like(like) => self.likes.push(like),
        }
    }

    /// There is something of everything that a read may come across.
    pub fn assert_interesting(&self) {
        assert!(self.posts.values().any(|post| post.image_file.is_some()));
        assert!(self.posts.values().any(|post| post.image_file.is_none()));
        let is_deep = |comment: &Comment| matches!(comment.reply_of, Message::Comment(_));
        assert!(self.comments.values().any(is_deep));
        assert!(self.replies.values().any(|replies| replies.len() > 2));
        let replies = self
            .message_ids()
            .into_iter()
            .flat_map(|id| self.replies(id));
        let known: BTreeSet<bool> = replies.map(|reply| reply.knows).collect();
        assert_eq!(known.len(), 2, "some authors know each other, some do not");
        let recent = self
            .person_ids()
            .into_iter()
            .map(|id| self.recent_messages(id).len());
        assert_eq!(recent.max(), Some(10));
    }

    pub fn person_ids(&self) -> Vec<i64> {
        self.persons.keys().copied().collect()
    }

    pub fn message_ids(&self) -> Vec<i64> {
        self.posts
            .keys()
            .chain(self.comments.keys())
            .copied()
            .collect()
    }

    pub fn profile(&self, person: i64) -> Option<Profile> {
        let person = self.persons.get(&person)?;
        Some(Profile {
            first_name: person.first_name.into(),
            last_name: person.last_name.into(),
            birthday: person.birthday,
            location_ip: person.location_ip.to_string().into(),
            browser: person.browser.into(),
            city: person.city.into(),
            gender: person.gender.name().into(),
            creation_date: person.creation_date,
        })
    }

    pub fn recent_messages(&self, person: i64) -> Vec<Recent> {
        let is_own = |id: &i64| self.creator_id(*id) == person;
        let own = self.message_ids().into_iter().filter(is_own);
        let mut own: Vec<(i64, i64)> = own.map(|id| (self.date(id), id)).collect();
        own.sort_by_key(|&(date, id)| (Reverse(date), Reverse(id)));
        let row = |&(date, id): &(i64, i64)| {
            let post = self.original(id);
            Recent {
                message: id,
                content: self.content(id).unwrap().content,
                creation_date: date,
                post: post.id as i64,
                poster: self.name(post.creator as i64),
            }
        };
        own.iter().take(10).map(row).collect()
    }

    pub fn friends(&self, person: i64) -> Vec<Friend> {
        let of = |(&(first, second), &since): (&(i64, i64), &i64)| {
            (first == person).then(|| Friend {
                name: self.name(second),
                since,
            })
        };
        let mut friends: Vec<Friend> = self.knows.iter().filter_map(of).collect();
        friends.sort_by_key(|friend| (-friend.since, friend.name.person));
        friends
    }

    pub fn content(&self, message: i64) -> Option<Content> {
        let content = match (self.posts.get(&message), self.comments.get(&message)) {
            (Some(post), _) => post.image_file.as_ref().unwrap_or(&post.content),
            (_, Some(comment)) => &comment.content,
            _ => return None,
        };
        Some(Content {
            creation_date: self.date(message),
            content: content.as_str().into(),
        })
    }

    pub fn creator(&self, message: i64) -> Option<Name> {
        Some(self.name(self.creator_id(message)))
    }

    pub fn forum(&self, message: i64) -> Option<ForumOf> {
        let forum = &self.forums[&(self.original(message).forum as i64)];
        Some(ForumOf {
            forum: forum.id as i64,
            title: forum.title.as_str().into(),
            moderator: self.name(forum.moderator as i64),
        })
    }

    pub fn replies(&self, message: i64) -> Vec<Reply> {
        let author = self.creator_id(message);
        let reply = |id: &i64| {
            let by = self.creator_id(*id);
            Reply {
                comment: *id,
                content: self.content(*id).unwrap().content,
                creation_date: self.date(*id),
                author: self.name(by),
                knows: self.knows.contains_key(&(author, by)),
            }
        };
        let replies = self.replies.get(&message);
        let mut rows: Vec<Reply> = replies.into_iter().flatten().map(reply).collect();
        rows.sort_by_key(|row| (-row.creation_date, row.author.person, row.comment));
        rows
    }

    fn name(&self, person: i64) -> Name {
        let row = &self.persons[&person];
        Name {
            person,
            first_name: row.first_name.into(),
            last_name: row.last_name.into(),
        }
    }

    pub fn original(&self, message: i64) -> &Post {
        match self.comments.get(&message) {
            Some(comment) => self.original(id_of(comment.reply_of)),
            None => &self.posts[&message],
        }
    }

    pub fn date(&self, message: i64) -> i64 {
        let post = self.posts.get(&message).map(|post| post.creation_date);
        post.unwrap_or_else(|| self.comments[&message].creation_date)
    }

    pub fn creator_id(&self, message: i64) -> i64 {
        let post = self.posts.get(&message).map(|post| post.creator);
        post.unwrap_or_else(|| self.comments[&message].creator) as i64
    }
}

pub fn id_of(message: Message) -> i64 {
    let (Message::Post(id) | Message::Comment(id)) = message;
    id as i64
}
