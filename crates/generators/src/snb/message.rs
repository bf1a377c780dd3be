//! Posts, the threads of comments below them, and likes.

use std::net::Ipv4Addr;

use crate::snb::CAUSAL_GAP;
use crate::snb::draw::Draw;
use crate::snb::forum::{Kind, Member, Room};
use crate::snb::network::Network;
use crate::snb::parameters::DAY;
use crate::snb::rows::{Change, Comment, Event, Like, Message, Person, Post};
use crate::snb::text;

/// Messages of a forum, at most; ids have 20 bits for them.
const MOST_MESSAGES: u64 = 1 << 20;

const MINUTE: i64 = 60_000;
const MOST_COMMENTS: usize = 40;
const MOST_PHOTOS: usize = 20;

/// Author of a message, with place and browser.
struct Writing {
    creator: u32,
    location_ip: Ipv4Addr,
    browser: &'static str,
    country: u32,
}

/// A message of the thread at hand.
#[derive(Clone, Copy)]
struct Written {
    message: Message,
    time: i64,
}

/// All messages of a forum.
pub(crate) fn messages(network: &Network, room: &Room, draw: Draw, events: &mut Vec<Event>) {
    Thread {
        network,
        room,
        draw,
        next: room.forum.id * MOST_MESSAGES,
        events,
    }
    .write();
}

struct Thread<'a> {
    network: &'a Network,
    room: &'a Room,
    draw: Draw,
    /// The id of the next message.
    next: u64,
    events: &'a mut Vec<Event>,
}

impl Thread<'_> {
    fn write(&mut self) {
        match self.room.kind {
            Kind::Album => self.photos(),
            Kind::Wall => {
                let popular = f64::from(self.moderator().popularity).min(3.0);
                let left = self.left(self.room.forum.creation_date);
                let most = 30.0 * left * (0.5 + 0.5 * popular);
                let count = (most * self.draw.unit()) as usize;
                self.posts(count, 700);
            }
            Kind::Group => {
                let count = 5 + self.draw.below(20 + self.room.members.len());
                self.posts(count, 100);
            }
        }
    }

    fn moderator(&self) -> &crate::snb::person::Profile {
        &self.network.profiles[self.room.members[0].person as usize]
    }

    /// The part of the time of the network that is left.
    fn left(&self, time: i64) -> f64 {
        let parameters = &self.network.parameters;
        (parameters.end - time) as f64 / (parameters.end - parameters.start) as f64
    }

    fn id(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// An album: images by the moderator, second by second, with likes only.
    fn photos(&mut self) {
        let moderator = self.room.members[0];
        let count = 1 + self.draw.below(MOST_PHOTOS);
        for i in 0..count as i64 {
            let time = self.room.forum.creation_date + CAUSAL_GAP + i * 1000;
            if time >= self.network.parameters.end {
                return;
            }
            let writing = self.writing(moderator.person);
            let id = self.id();
            let image = Some(format!("photo{id}.jpg"));
            let tags = Vec::new();
            let depends_on = self.room.forum.creation_date;
            let post = self.post(id, time, &writing, image, None, String::new(), tags);
            self.push(time, depends_on, Change::Post(post));
            self.likes(Written {
                message: Message::Post(id),
                time,
            });
        }
    }

    /// Texts, by the moderator in so many of a thousand cases.
    fn posts(&mut self, count: usize, by_moderator: u64) {
        for _ in 0..count {
            let (time, tag) = self.occasion();
            let present = self.room.present(time);
            if time >= self.network.parameters.end || present == 0 {
                continue;
            }
            let author = if self.draw.chance(by_moderator) {
                0
            } else {
                self.draw.below(present)
            };
            let author = self.room.members[author];
            let person = self.network.person(author.person);
            let tags = self.tags_of(&person, tag);
            let content = text::about(self.network.world(), &tags, &mut self.draw);
            let language = *self.draw.pick(&person.languages);
            let writing = self.writing(author.person);
            let id = self.id();
            let post = self.post(
                id,
                time,
                &writing,
                None,
                Some(language),
                content,
                tags.clone(),
            );
            self.push(time, author.since, Change::Post(post));
            let post = Written {
                message: Message::Post(id),
                time,
            };
            self.likes(post);
            self.comments(post, &tags);
        }
    }

    /// A time for a post: any, or that of an event at which many write about the same
    /// tag.
    fn occasion(&mut self) -> (i64, Option<u32>) {
        let (from, end) = (
            self.room.forum.creation_date + CAUSAL_GAP,
            self.network.parameters.end,
        );
        let any = self.draw.time(from, end);
        if !self.draw.chance(200) {
            return (any, None);
        }
        match self.network.occasions().near(any) {
            Some(occasion) => {
                let time = occasion.time + self.draw.delay(MINUTE, 3 * DAY);
                (time.max(from), Some(occasion.tag))
            }
            None => (any, None),
        }
    }

    fn tags_of(&mut self, person: &Person, tag: Option<u32>) -> Vec<u32> {
        let mut tags: Vec<u32> = tag.into_iter().collect();
        if let Some(&tag) = self.room.forum.tags.first() {
            tags.push(tag);
        }
        if self.draw.chance(500) {
            tags.push(*self.draw.pick(&person.interests));
        }
        tags.sort_unstable();
        tags.dedup();
        tags
    }

    /// Answers to the post and to each other.
    fn comments(&mut self, post: Written, tags: &[u32]) {
        let members = self.room.members.len();
        let unit = self.draw.unit();
        let count = (unit * unit * 1.3 * members.min(MOST_COMMENTS) as f64) as usize;
        let mut thread = vec![post];
        for _ in 0..count {
            let parent = match self.draw.chance(500) {
                true => post,
                false => *self.draw.pick(&thread),
            };
            let time = parent.time + self.draw.delay(10 * MINUTE, 60 * DAY);
            let present = self.room.present(time);
            if time >= self.network.parameters.end || present == 0 {
                continue;
            }
            let author = self.room.members[self.draw.below(present)];
            let comment = self.comment(time, author, parent, tags);
            thread.push(comment);
            self.likes(comment);
        }
    }

    fn comment(&mut self, time: i64, author: Member, parent: Written, tags: &[u32]) -> Written {
        let short = self.draw.chance(550);
        let tags = if short { &[] } else { tags };
        let content = match short {
            true => text::short(&mut self.draw).to_string(),
            false => text::about(self.network.world(), tags, &mut self.draw),
        };
        let writing = self.writing(author.person);
        let id = self.id();
        let comment = Comment {
            id,
            creation_date: time,
            location_ip: writing.location_ip,
            browser: writing.browser,
            content,
            creator: u64::from(writing.creator),
            country: writing.country,
            reply_of: parent.message,
            tags: tags.to_vec(),
        };
        self.push(
            time,
            author.since.max(parent.time),
            Change::Comment(comment),
        );
        Written {
            message: Message::Comment(id),
            time,
        }
    }

    /// A few members like a message; the author may be one of them.
    fn likes(&mut self, written: Written) {
        if !self.draw.chance(150) {
            return;
        }
        let members = self.room.members.len();
        let count = 1 + self.draw.below(1 + members.min(40) / 4);
        for i in self.draw.distinct(count, members) {
            let member = self.room.members[i];
            let earliest = written.time.max(member.since);
            let time = earliest + self.draw.delay(MINUTE, 7 * DAY);
            if time < self.network.parameters.end {
                let like = Like {
                    person: u64::from(member.person),
                    message: written.message,
                    creation_date: time,
                };
                self.push(time, earliest, Change::Like(like));
            }
        }
    }

    /// From the own country and with the own browser, mostly.
    fn writing(&mut self, creator: u32) -> Writing {
        let world = self.network.world();
        let home = world.country_of_city(self.network.profiles[creator as usize].city);
        let travels = self.draw.chance(50);
        let country = if travels {
            self.draw.below(world.country_count())
        } else {
            home
        };
        Writing {
            creator,
            location_ip: crate::snb::person::address(country, &mut self.draw),
            browser: if self.draw.chance(900) {
                crate::snb::person::own_browser(&self.network.parameters, creator)
            } else {
                crate::snb::person::browser(&mut self.draw)
            },
            country: country as u32,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the columns of a row")]
    fn post(
        &self,
        id: u64,
        time: i64,
        writing: &Writing,
        image_file: Option<String>,
        language: Option<&'static str>,
        content: String,
        tags: Vec<u32>,
    ) -> Post {
        Post {
            id,
            image_file,
            creation_date: time,
            location_ip: writing.location_ip,
            browser: writing.browser,
            language,
            content,
            creator: u64::from(writing.creator),
            forum: self.room.forum.id,
            country: writing.country,
            tags,
        }
    }

    fn push(&mut self, time: i64, depends_on: i64, change: Change) {
        self.events.push(Event {
            time,
            depends_on,
            change,
        });
    }
}
