//! The files of the benchmark's initial data set: CSV with `|` between columns, a
//! header line, dates in milliseconds, lists within a column separated by `;`
//! (Interactive v1, serializer `CsvComposite`, dates as long).

use std::io::{self, Write};

use crate::snb::network::Network;
use crate::snb::rows::{Change, Comment, Event, Forum, Message, Person, Post};
use crate::snb::world::World;

/// Rows to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All.
    Whole,
    /// Those before [`crate::snb::Parameters::cut`]: the rest are updates.
    Initial,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// As in [`FILES`].
    pub name: &'static str,
    /// Rows without the header.
    pub rows: u64,
}

macro_rules! files {
    ($($file:ident $name:literal $header:literal)*) => {
        #[derive(Clone, Copy)]
        enum File { $($file),* }

        /// The names and header lines of all files.
        pub const FILES: [(&str, &str); [$($name),*].len()] = [$(($name, $header)),*];
    };
}

files! {
    Comments "dynamic/comment_0_0.csv" "id|creationDate|locationIP|browserUsed|content|length"
    CommentCreator "dynamic/comment_hasCreator_person_0_0.csv" "Comment.id|Person.id"
    CommentTag "dynamic/comment_hasTag_tag_0_0.csv" "Comment.id|Tag.id"
    CommentPlace "dynamic/comment_isLocatedIn_place_0_0.csv" "Comment.id|Place.id"
    ReplyOfComment "dynamic/comment_replyOf_comment_0_0.csv" "Comment.id|Comment.id"
    ReplyOfPost "dynamic/comment_replyOf_post_0_0.csv" "Comment.id|Post.id"
    Forums "dynamic/forum_0_0.csv" "id|title|creationDate"
    ForumPost "dynamic/forum_containerOf_post_0_0.csv" "Forum.id|Post.id"
    ForumMember "dynamic/forum_hasMember_person_0_0.csv" "Forum.id|Person.id|joinDate"
    ForumModerator "dynamic/forum_hasModerator_person_0_0.csv" "Forum.id|Person.id"
    ForumTag "dynamic/forum_hasTag_tag_0_0.csv" "Forum.id|Tag.id"
    Persons "dynamic/person_0_0.csv" "id|firstName|lastName|gender|birthday|creationDate|locationIP|browserUsed|language|email"
    PersonTag "dynamic/person_hasInterest_tag_0_0.csv" "Person.id|Tag.id"
    PersonPlace "dynamic/person_isLocatedIn_place_0_0.csv" "Person.id|Place.id"
    Knows "dynamic/person_knows_person_0_0.csv" "Person.id|Person.id|creationDate"
    LikesComment "dynamic/person_likes_comment_0_0.csv" "Person.id|Comment.id|creationDate"
    LikesPost "dynamic/person_likes_post_0_0.csv" "Person.id|Post.id|creationDate"
    StudyAt "dynamic/person_studyAt_organisation_0_0.csv" "Person.id|Organisation.id|classYear"
    WorkAt "dynamic/person_workAt_organisation_0_0.csv" "Person.id|Organisation.id|workFrom"
    Posts "dynamic/post_0_0.csv" "id|imageFile|creationDate|locationIP|browserUsed|language|content|length"
    PostCreator "dynamic/post_hasCreator_person_0_0.csv" "Post.id|Person.id"
    PostTag "dynamic/post_hasTag_tag_0_0.csv" "Post.id|Tag.id"
    PostPlace "dynamic/post_isLocatedIn_place_0_0.csv" "Post.id|Place.id"
    Organisations "static/organisation_0_0.csv" "id|type|name|url"
    OrganisationPlace "static/organisation_isLocatedIn_place_0_0.csv" "Organisation.id|Place.id"
    Places "static/place_0_0.csv" "id|name|url|type"
    PlacePlace "static/place_isPartOf_place_0_0.csv" "Place.id|Place.id"
    Tags "static/tag_0_0.csv" "id|name|url"
    TagClass "static/tag_hasType_tagclass_0_0.csv" "Tag.id|TagClass.id"
    TagClasses "static/tagclass_0_0.csv" "id|name|url"
    TagClassAbove "static/tagclass_isSubclassOf_tagclass_0_0.csv" "TagClass.id|TagClass.id"
}

/// Writes all files of a network, in one pass over its rows. `open` is called with
/// the name of each file, in the order of [`FILES`]; to compress or buffer a file, return
/// such a writer.
///
/// # Errors
/// Errors of `open` and of the writers.
pub fn write<W: Write>(
    network: &Network,
    part: Part,
    mut open: impl FnMut(&'static str) -> io::Result<W>,
) -> io::Result<Vec<Written>> {
    let mut files = Vec::with_capacity(FILES.len());
    for (name, header) in FILES {
        let mut file = open(name)?;
        writeln!(file, "{header}")?;
        files.push((file, Written { name, rows: 0 }));
    }
    let mut writer = Writer { files };
    writer.world(network.world())?;
    let cut = match part {
        Part::Whole => i64::MAX,
        Part::Initial => network.parameters().cut(),
    };
    for event in network.events().filter(|event| event.time < cut) {
        writer.event(&event)?;
    }
    writer.finish()
}

/// Ids as one column.
pub(crate) fn list(ids: &[u32]) -> String {
    let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
    ids.join(";")
}

struct Writer<W> {
    files: Vec<(W, Written)>,
}

impl<W: Write> Writer<W> {
    fn row(&mut self, file: File, columns: std::fmt::Arguments<'_>) -> io::Result<()> {
        let (file, written) = &mut self.files[file as usize];
        written.rows += 1;
        file.write_fmt(columns)?;
        file.write_all(b"\n")
    }

    fn finish(self) -> io::Result<Vec<Written>> {
        let flushed = self.files.into_iter().map(|(mut file, written)| {
            file.flush()?;
            Ok(written)
        });
        flushed.collect()
    }

    fn world(&mut self, world: &World) -> io::Result<()> {
        for place in world.places() {
            let (id, name, kind) = (place.id, place.name, place.kind.name());
            self.row(
                File::Places,
                format_args!("{id}|{name}|{}|{kind}", World::url(name)),
            )?;
            if let Some(above) = place.part_of {
                self.row(File::PlacePlace, format_args!("{id}|{above}"))?;
            }
        }
        for organisation in world.organisations() {
            let (id, kind, name) = (
                organisation.id,
                organisation.kind.name(),
                &organisation.name,
            );
            self.row(
                File::Organisations,
                format_args!("{id}|{kind}|{name}|{}", World::url(name)),
            )?;
            self.row(
                File::OrganisationPlace,
                format_args!("{id}|{}", organisation.place),
            )?;
        }
        for tag in world.tags() {
            let (id, name) = (tag.id, &tag.name);
            self.row(File::Tags, format_args!("{id}|{name}|{}", World::url(name)))?;
            self.row(File::TagClass, format_args!("{id}|{}", tag.class))?;
        }
        for class in world.tag_classes() {
            let (id, name) = (class.id, class.name);
            self.row(
                File::TagClasses,
                format_args!("{id}|{name}|{}", World::url(name)),
            )?;
            if let Some(above) = class.above {
                self.row(File::TagClassAbove, format_args!("{id}|{above}"))?;
            }
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match &event.change {
            Change::Person(person) => self.person(person),
            Change::Friendship(f) => {
                let columns = format_args!("{}|{}|{}", f.first, f.second, f.creation_date);
                self.row(File::Knows, columns)
            }
            Change::Forum(forum) => self.forum(forum),
            Change::Membership(m) => self.row(
                File::ForumMember,
                format_args!("{}|{}|{}", m.forum, m.person, m.join_date),
            ),
            Change::Post(post) => self.post(post),
            Change::Comment(comment) => self.comment(comment),
            Change::Like(like) => {
                let (file, message) = match like.message {
                    Message::Post(id) => (File::LikesPost, id),
                    Message::Comment(id) => (File::LikesComment, id),
                };
                self.row(
                    file,
                    format_args!("{}|{message}|{}", like.person, like.creation_date),
                )
            }
        }
    }

    fn tags(&mut self, file: File, id: u64, tags: &[u32]) -> io::Result<()> {
        for tag in tags {
            self.row(file, format_args!("{id}|{tag}"))?;
        }
        Ok(())
    }

    fn person(&mut self, person: &Person) -> io::Result<()> {
        let id = person.id;
        self.row(
            File::Persons,
            format_args!(
                "{id}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
                person.first_name,
                person.last_name,
                person.gender.name(),
                person.birthday,
                person.creation_date,
                person.location_ip,
                person.browser,
                person.languages.join(";"),
                person.emails.join(";"),
            ),
        )?;
        self.row(File::PersonPlace, format_args!("{id}|{}", person.city))?;
        self.tags(File::PersonTag, id, &person.interests)?;
        if let Some(study) = person.study {
            let columns = format_args!("{id}|{}|{}", study.organisation, study.class_year);
            self.row(File::StudyAt, columns)?;
        }
        for job in &person.jobs {
            self.row(
                File::WorkAt,
                format_args!("{id}|{}|{}", job.organisation, job.work_from),
            )?;
        }
        Ok(())
    }

    fn forum(&mut self, forum: &Forum) -> io::Result<()> {
        let id = forum.id;
        self.row(
            File::Forums,
            format_args!("{id}|{}|{}", forum.title, forum.creation_date),
        )?;
        self.row(
            File::ForumModerator,
            format_args!("{id}|{}", forum.moderator),
        )?;
        self.tags(File::ForumTag, id, &forum.tags)
    }

    fn post(&mut self, post: &Post) -> io::Result<()> {
        let id = post.id;
        self.row(
            File::Posts,
            format_args!(
                "{id}|{}|{}|{}|{}|{}|{}|{}",
                post.image_file.as_deref().unwrap_or(""),
                post.creation_date,
                post.location_ip,
                post.browser,
                post.language.unwrap_or(""),
                post.content,
                post.content.chars().count(),
            ),
        )?;
        self.row(File::PostCreator, format_args!("{id}|{}", post.creator))?;
        self.row(File::PostPlace, format_args!("{id}|{}", post.country))?;
        self.row(File::ForumPost, format_args!("{}|{id}", post.forum))?;
        self.tags(File::PostTag, id, &post.tags)
    }

    fn comment(&mut self, comment: &Comment) -> io::Result<()> {
        let id = comment.id;
        self.row(
            File::Comments,
            format_args!(
                "{id}|{}|{}|{}|{}|{}",
                comment.creation_date,
                comment.location_ip,
                comment.browser,
                comment.content,
                comment.content.chars().count(),
            ),
        )?;
        self.row(
            File::CommentCreator,
            format_args!("{id}|{}", comment.creator),
        )?;
        self.row(File::CommentPlace, format_args!("{id}|{}", comment.country))?;
        match comment.reply_of {
            Message::Post(post) => self.row(File::ReplyOfPost, format_args!("{id}|{post}"))?,
            Message::Comment(other) => {
                self.row(File::ReplyOfComment, format_args!("{id}|{other}"))?
            }
        }
        self.tags(File::CommentTag, id, &comment.tags)
    }
}
