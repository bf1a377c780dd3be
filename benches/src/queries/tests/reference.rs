//! The reads over the generator's rows in plain maps, as the benchmark defines them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use evergraph_generators::snb::world::World;
use evergraph_generators::snb::{Message, Person, Post};
use serde_json::{Value as Json, json};

use crate::snb::tests::reference::{Reference as Rows, id_of};

const DAY: i64 = 24 * 60 * 60 * 1000;

pub struct Reference<'a> {
    rows: &'a Rows,
    world: &'a World,
    friends: BTreeMap<i64, BTreeSet<i64>>,
    messages: BTreeMap<i64, Vec<i64>>,
}

impl<'a> Reference<'a> {
    pub fn new(rows: &'a Rows, world: &'a World) -> Self {
        let mut friends: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for &(one, other) in rows.knows.keys() {
            friends.entry(one).or_default().insert(other);
        }
        let mut messages: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for message in rows.message_ids() {
            let of = messages.entry(rows.creator_id(message)).or_default();
            of.push(message);
        }
        Reference {
            rows,
            world,
            friends,
            messages,
        }
    }

    /// Short read 1 to 7 of a person or a message.
    pub fn short(&self, number: usize, id: i64) -> Vec<Json> {
        let rows = self.rows;
        match number {
            1 => {
                let one = rows.profile(id);
                let row = one.map(|p| {
                    json!([
                        *p.first_name,
                        *p.last_name,
                        p.birthday,
                        *p.location_ip,
                        *p.browser,
                        p.city,
                        *p.gender,
                        p.creation_date
                    ])
                });
                row.into_iter().collect()
            }
            2 => {
                let recent = rows.recent_messages(id).into_iter();
                let row = recent.map(|r| {
                    json!([
                        r.message,
                        *r.content,
                        r.creation_date,
                        r.post,
                        r.poster.person,
                        *r.poster.first_name,
                        *r.poster.last_name
                    ])
                });
                row.collect()
            }
            3 => {
                let friends = rows.friends(id).into_iter();
                let row = friends.map(|f| {
                    json!([
                        f.name.person,
                        *f.name.first_name,
                        *f.name.last_name,
                        f.since
                    ])
                });
                row.collect()
            }
            4 => {
                let one = rows.content(id);
                one.map(|c| json!([c.creation_date, *c.content]))
                    .into_iter()
                    .collect()
            }
            5 => {
                let one = rows.creator(id);
                let row = one.map(|n| json!([n.person, *n.first_name, *n.last_name]));
                row.into_iter().collect()
            }
            6 => {
                let one = rows.forum(id);
                let row = one.map(|f| {
                    json!([
                        f.forum,
                        *f.title,
                        f.moderator.person,
                        *f.moderator.first_name,
                        *f.moderator.last_name
                    ])
                });
                row.into_iter().collect()
            }
            _ => {
                let replies = rows.replies(id).into_iter();
                let row = replies.map(|r| {
                    json!([
                        r.comment,
                        *r.content,
                        r.creation_date,
                        r.author.person,
                        *r.author.first_name,
                        *r.author.last_name,
                        r.knows
                    ])
                });
                row.collect()
            }
        }
    }

    /// A complex read with the values of a call as they are written.
    pub fn complex(&self, name: &str, call: &[String]) -> Vec<Json> {
        let number = |at: usize| call[at].parse::<i64>().expect("a number");
        let (person, of) = (number(0), |at: usize| call[at].as_str());
        let days = || number(1)..number(1) + number(2) * DAY;
        match name {
            "complex-1" => self.by_name(person, of(1)),
            "complex-2" => self.recent(&self.friends_of(person), |date| date <= number(1)),
            "complex-3" => self.in_countries(person, days(), [of(3), of(4)]),
            "complex-4" => self.new_tags(person, days()),
            "complex-5" => self.new_forums(person, number(1)),
            "complex-6" => self.tags_beside(person, of(1)),
            "complex-7" => self.likers(person),
            "complex-8" => self.repliers(person),
            "complex-9" => self.recent(&self.around(person), |date| date < number(1)),
            "complex-10" => self.strangers(person, number(1)),
            "complex-11" => self.jobs(person, of(1), number(2)),
            "complex-12" => self.experts(person, of(1)),
            "complex-13" => {
                let distance = self.distances(person).get(&number(1)).copied();
                vec![json!([distance.unwrap_or(-1)])]
            }
            _ => self.paths(person, number(1)),
        }
    }

    fn friends_of(&self, person: i64) -> BTreeSet<i64> {
        self.friends.get(&person).cloned().unwrap_or_default()
    }

    /// Friends, and friends of friends, without the person.
    fn around(&self, person: i64) -> BTreeSet<i64> {
        let friends = self.friends_of(person);
        let further = friends.iter().flat_map(|friend| self.friends_of(*friend));
        let mut all: BTreeSet<i64> = further.chain(friends.iter().copied()).collect();
        all.remove(&person);
        all
    }

    /// How many friendships everyone is away.
    fn distances(&self, person: i64) -> BTreeMap<i64, i64> {
        let mut distances = BTreeMap::from([(person, 0)]);
        let mut waiting = VecDeque::from([person]);
        while let Some(next) = waiting.pop_front() {
            for friend in self.friends_of(next) {
                if !distances.contains_key(&friend) {
                    distances.insert(friend, distances[&next] + 1);
                    waiting.push_back(friend);
                }
            }
        }
        distances
    }

    fn person(&self, id: i64) -> &Person {
        &self.rows.persons[&id]
    }

    fn messages_of(&self, person: i64) -> &[i64] {
        self.messages.get(&person).map_or(&[], Vec::as_slice)
    }

    fn posts_of(&self, person: i64) -> impl Iterator<Item = &Post> {
        let messages = self.messages_of(person).iter();
        messages.filter_map(|message| self.rows.posts.get(message))
    }

    fn place(&self, id: u32) -> &str {
        self.world.places()[id as usize].name
    }

    fn tag(&self, id: u32) -> &str {
        &self.world.tags()[id as usize].name
    }

    fn content(&self, message: i64) -> String {
        let content = self.rows.content(message);
        content.expect("a message").content.to_string()
    }

    fn by_name(&self, person: i64, first_name: &str) -> Vec<Json> {
        let mut found: Vec<(i64, &str, i64)> = Vec::new();
        for (id, distance) in self.distances(person) {
            let row = self.person(id);
            if (1..=3).contains(&distance) && row.first_name == first_name {
                found.push((distance, row.last_name, id));
            }
        }
        found.sort_unstable();
        found.truncate(20);
        let at = |organisation: u32, year: i32| {
            let organisation = &self.world.organisations()[organisation as usize];
            json!({
                "organizationName": organisation.name,
                "year": year,
                "placeName": self.place(organisation.place),
            })
        };
        let row = |(distance, last_name, id): (i64, &str, i64)| {
            let row = self.person(id);
            let study = row.study.iter();
            let study: Vec<Json> = study.map(|s| at(s.organisation, s.class_year)).collect();
            let jobs = row.jobs.iter();
            let jobs: Vec<Json> = jobs.map(|j| at(j.organisation, j.work_from)).collect();
            json!([
                id,
                last_name,
                distance,
                row.birthday,
                row.creation_date,
                row.gender.name(),
                row.browser,
                row.location_ip.to_string(),
                row.emails,
                row.languages,
                self.place(row.city),
                study,
                jobs,
            ])
        };
        found.into_iter().map(row).collect()
    }

    /// The last twenty messages of persons on dates that count.
    fn recent(&self, of: &BTreeSet<i64>, counts: impl Fn(i64) -> bool) -> Vec<Json> {
        let messages = of.iter().flat_map(|&person| self.messages_of(person));
        let dated = messages.map(|&message| (Reverse(self.rows.date(message)), message));
        let mut found: Vec<(Reverse<i64>, i64)> = dated.filter(|one| counts(one.0.0)).collect();
        found.sort_unstable();
        found.truncate(20);
        let row = |(date, message): (Reverse<i64>, i64)| {
            let person = self.rows.creator_id(message);
            let name = self.person(person);
            let content = self.content(message);
            json!([
                person,
                name.first_name,
                name.last_name,
                message,
                content,
                date.0
            ])
        };
        found.into_iter().map(row).collect()
    }

    fn in_countries(&self, person: i64, days: std::ops::Range<i64>, of: [&str; 2]) -> Vec<Json> {
        let mut found = Vec::new();
        for friend in self.around(person) {
            let home = self.world.places()[self.person(friend).city as usize].part_of;
            if of.contains(&self.place(home.expect("a city has a country"))) {
                continue;
            }
            let in_country = |name: &str| {
                let messages = self.messages_of(friend).iter();
                let there = messages.filter(|&message| {
                    let post = self.rows.posts.get(message).map(|post| post.country);
                    let country = post.unwrap_or_else(|| self.rows.comments[message].country);
                    days.contains(&self.rows.date(*message)) && self.place(country) == name
                });
                there.count()
            };
            let [x, y] = of.map(in_country);
            if x > 0 && y > 0 {
                found.push((Reverse(x + y), friend, x, y));
            }
        }
        found.sort_unstable();
        found.truncate(20);
        let row = |(count, friend, x, y): (Reverse<usize>, i64, usize, usize)| {
            let name = self.person(friend);
            json!([friend, name.first_name, name.last_name, x, y, count.0])
        };
        found.into_iter().map(row).collect()
    }

    /// Names by how often they came, the most frequent ten.
    fn most_frequent(counts: BTreeMap<&str, usize>) -> Vec<Json> {
        let counts = counts
            .into_iter()
            .map(|(name, count)| (Reverse(count), name));
        let mut counts: Vec<(Reverse<usize>, &str)> = counts.collect();
        counts.sort_unstable();
        counts.truncate(10);
        let row = |(count, name): (Reverse<usize>, &str)| json!([name, count.0]);
        counts.into_iter().map(row).collect()
    }

    fn new_tags(&self, person: i64, days: std::ops::Range<i64>) -> Vec<Json> {
        let (mut counts, mut old) = (BTreeMap::new(), BTreeSet::new());
        for friend in self.friends_of(person) {
            for post in self.posts_of(friend) {
                let tags = post.tags.iter().map(|&tag| self.tag(tag));
                if post.creation_date < days.start {
                    old.extend(tags);
                } else if post.creation_date < days.end {
                    tags.for_each(|tag| *counts.entry(tag).or_default() += 1);
                }
            }
        }
        counts.retain(|tag, _| !old.contains(tag));
        Self::most_frequent(counts)
    }

    fn new_forums(&self, person: i64, after: i64) -> Vec<Json> {
        let around = self.around(person);
        let mut posts: BTreeMap<u64, usize> = BTreeMap::new();
        for member in &self.rows.members {
            if member.join_date > after && around.contains(&(member.person as i64)) {
                let own = self.posts_of(member.person as i64);
                let there = own.filter(|post| post.forum == member.forum);
                *posts.entry(member.forum).or_default() += there.count();
            }
        }
        let posts = posts
            .into_iter()
            .map(|(forum, count)| (Reverse(count), forum));
        let mut posts: Vec<(Reverse<usize>, u64)> = posts.collect();
        posts.sort_unstable();
        posts.truncate(20);
        let title = |forum: u64| &self.rows.forums[&(forum as i64)].title;
        let row = |(count, forum): (Reverse<usize>, u64)| json!([title(forum), count.0]);
        posts.into_iter().map(row).collect()
    }

    fn tags_beside(&self, person: i64, name: &str) -> Vec<Json> {
        let mut counts = BTreeMap::new();
        for friend in self.around(person) {
            for post in self.posts_of(friend) {
                let tags: Vec<&str> = post.tags.iter().map(|&tag| self.tag(tag)).collect();
                if tags.contains(&name) {
                    let others = tags.into_iter().filter(|tag| *tag != name);
                    others.for_each(|tag| *counts.entry(tag).or_default() += 1);
                }
            }
        }
        Self::most_frequent(counts)
    }

    fn likers(&self, person: i64) -> Vec<Json> {
        let mut last: BTreeMap<i64, (i64, Reverse<i64>)> = BTreeMap::new();
        for like in &self.rows.likes {
            let message = id_of(like.message);
            if self.rows.creator_id(message) == person {
                let one = (like.creation_date, Reverse(message));
                let known = last.entry(like.person as i64).or_insert(one);
                *known = one.max(*known);
            }
        }
        let last = last.into_iter();
        let last = last.map(|(liker, (date, message))| (Reverse(date), liker, message.0));
        let mut last: Vec<(Reverse<i64>, i64, i64)> = last.collect();
        last.sort_unstable();
        last.truncate(20);
        let row = |(date, liker, message): (Reverse<i64>, i64, i64)| {
            let name = self.person(liker);
            let minutes = (date.0 - self.rows.date(message)) / 60_000;
            let is_new = !self.friends_of(person).contains(&liker);
            let content = self.content(message);
            json!([
                liker,
                name.first_name,
                name.last_name,
                date.0,
                message,
                content,
                minutes,
                is_new
            ])
        };
        last.into_iter().map(row).collect()
    }

    fn repliers(&self, person: i64) -> Vec<Json> {
        let comments = self.rows.comments.values();
        let to_person = comments.filter(|one| self.rows.creator_id(id_of(one.reply_of)) == person);
        let mut found: Vec<_> = to_person
            .map(|one| (Reverse(one.creation_date), one.id))
            .collect();
        found.sort_unstable();
        found.truncate(20);
        let row = |(date, id): (Reverse<i64>, u64)| {
            let comment = &self.rows.comments[&(id as i64)];
            let name = self.person(comment.creator as i64);
            json!([
                name.id,
                name.first_name,
                name.last_name,
                date.0,
                id,
                comment.content
            ])
        };
        found.into_iter().map(row).collect()
    }

    fn strangers(&self, person: i64, month: i64) -> Vec<Json> {
        let friends = self.friends_of(person);
        let interests = &self.person(person).interests;
        let mut found = Vec::new();
        for stranger in self.around(person).difference(&friends) {
            let row = self.person(*stranger);
            let (born, day) = month_and_day(row.birthday);
            let is_in_time = born == month && day >= 21 || born == month % 12 + 1 && day < 22;
            if is_in_time {
                let score = |post: &Post| match post.tags.iter().any(|tag| interests.contains(tag))
                {
                    true => 1,
                    false => -1,
                };
                let score: i64 = self.posts_of(*stranger).map(score).sum();
                found.push((Reverse(score), *stranger));
            }
        }
        found.sort_unstable();
        found.truncate(10);
        let row = |(score, id): (Reverse<i64>, i64)| {
            let row = self.person(id);
            let city = self.place(row.city);
            json!([
                id,
                row.first_name,
                row.last_name,
                score.0,
                row.gender.name(),
                city
            ])
        };
        found.into_iter().map(row).collect()
    }

    fn jobs(&self, person: i64, country: &str, before: i64) -> Vec<Json> {
        let mut found = Vec::new();
        for friend in self.around(person) {
            for job in &self.person(friend).jobs {
                let company = &self.world.organisations()[job.organisation as usize];
                let from = i64::from(job.work_from);
                if from < before && self.place(company.place) == country {
                    found.push((from, friend, Reverse(&company.name)));
                }
            }
        }
        found.sort_unstable();
        found.truncate(10);
        let row = |(from, friend, company): (i64, i64, Reverse<&String>)| {
            let name = self.person(friend);
            json!([friend, name.first_name, name.last_name, company.0, from])
        };
        found.into_iter().map(row).collect()
    }

    fn experts(&self, person: i64, class: &str) -> Vec<Json> {
        let classes = self.world.tag_classes();
        let is_in_class = |tag: &u32| {
            let mut at = Some(self.world.tags()[*tag as usize].class);
            while let Some(class_id) = at {
                if classes[class_id as usize].name == class {
                    return true;
                }
                at = classes[class_id as usize].above;
            }
            false
        };
        let mut found = Vec::new();
        for friend in self.friends_of(person) {
            let (mut count, mut names) = (0, BTreeSet::new());
            for message in self.messages_of(friend) {
                let comment = self.rows.comments.get(message);
                let Some(Message::Post(post)) = comment.map(|comment| comment.reply_of) else {
                    continue;
                };
                let tags = self.rows.posts[&(post as i64)].tags.iter();
                let mut tags = tags.filter(|tag| is_in_class(tag)).peekable();
                count += usize::from(tags.peek().is_some());
                names.extend(tags.map(|&tag| self.tag(tag)));
            }
            if count > 0 {
                found.push((Reverse(count), friend, names));
            }
        }
        found.sort_unstable();
        found.truncate(20);
        let row = |(count, friend, names): (Reverse<usize>, i64, BTreeSet<&str>)| {
            let name = self.person(friend);
            json!([friend, name.first_name, name.last_name, names, count.0])
        };
        found.into_iter().map(row).collect()
    }

    fn paths(&self, from: i64, to: i64) -> Vec<Json> {
        let distances = self.distances(to);
        let mut paths = match distances.contains_key(&from) {
            true => vec![vec![from]],
            false => Vec::new(),
        };
        for _ in 0..distances.get(&from).copied().unwrap_or(0) {
            let longer = |path: Vec<i64>| -> Vec<Vec<i64>> {
                let last = *path.last().expect("a path has a person");
                let nearer = self.friends_of(last);
                let nearer = nearer
                    .into_iter()
                    .filter(|one| distances[one] < distances[&last]);
                let longer = nearer.map(|next| path.iter().copied().chain([next]).collect());
                longer.collect()
            };
            paths = paths.into_iter().flat_map(longer).collect();
        }
        let weight = |path: &Vec<i64>| -> f64 {
            let pairs = path.windows(2);
            pairs
                .map(|pair| self.weight(pair[0], pair[1]) + self.weight(pair[1], pair[0]))
                .sum()
        };
        let mut found: Vec<(f64, Vec<i64>)> = paths
            .into_iter()
            .map(|path| (weight(&path), path))
            .collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        found
            .into_iter()
            .map(|(weight, path)| json!([path, weight]))
            .collect()
    }

    /// How much one replies to another.
    fn weight(&self, one: i64, other: i64) -> f64 {
        let comments = self.messages_of(one).iter();
        let comments = comments.filter_map(|message| self.rows.comments.get(message));
        let to_other =
            comments.filter(|comment| self.rows.creator_id(id_of(comment.reply_of)) == other);
        to_other
            .map(|comment| match comment.reply_of {
                Message::Post(_) => 1.0,
                Message::Comment(_) => 0.5,
            })
            .sum()
    }
}

/// Month and day of a moment: months are counted from a March of the year 0.
fn month_and_day(milliseconds: i64) -> (i64, i64) {
    let days = milliseconds.div_euclid(DAY) + 719_468;
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    (
        month % 12 + 3 - 12 * i64::from(month >= 10),
        of_year - (153 * month + 2) / 5 + 1,
    )
}
