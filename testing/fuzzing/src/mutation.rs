//! Inputs made from others, without looking at what they do: the same number gives
//! the same input on every machine.

use evergraph_graph::random::Random;

/// Longer inputs would only take longer.
const MOST_BYTES: usize = 4096;

const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 47,
    i64::MAX as u64,
    u64::MAX,
];

const TEXTS: [&str; 24] = [
    "0",
    "-1",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "1e400",
    "-0.0",
    "NaN",
    "inf",
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\"",
    "[",
    "{",
    "<",
    "\u{feff}",
    "ä€🦀",
    "9999-12-31",
    "-9999-01-01T00:00",
    "%",
];

/// The mutation of a number, of seeds that are not none.
pub fn mutated(seeds: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random::stream(seed, number);
    let mut input = pick(&mut random, seeds).clone();
    mutate(&mut random, &mut input, seeds);
    // Often one change, seldom many: the more there are, the less is behind the first.
    while random.below(2) == 0 {
        mutate(&mut random, &mut input, seeds);
    }
    input.truncate(MOST_BYTES);
    input
}

/// Below a bound; 0 if that is 0.
fn below(random: &mut Random, bound: usize) -> usize {
    random.below(bound.max(1) as u64) as usize
}

fn pick<'a, T>(random: &mut Random, from: &'a [T]) -> &'a T {
    &from[below(random, from.len())]
}

/// A piece of at most so many bytes.
fn piece(random: &mut Random, bytes: &[u8], most: usize) -> std::ops::Range<usize> {
    let start = below(random, bytes.len());
    let len = below(random, most.min(bytes.len() - start) + 1);
    start..start + len
}

fn mutate(random: &mut Random, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let at = below(random, input.len());
    match below(random, 10) {
        0 if !input.is_empty() => input[at] ^= 1 << below(random, 8),
        1 if !input.is_empty() => input[at] = random.next_u64() as u8,
        2 => {
            let number = pick(random, &NUMBERS).to_le_bytes();
            let width = *pick(random, &[1, 2, 4, 8]);
            for (to, from) in input[at..].iter_mut().zip(&number[..width]) {
                *to = *from;
            }
        }
        3 if !input.is_empty() => {
            input[at] = input[at].wrapping_add_signed(below(random, 9) as i8 - 4);
        }
        4 => input.truncate(at),
        5 => {
            let range = piece(random, input, 16);
            input.drain(range);
        }
        6 => {
            let range = piece(random, input, 64);
            let copied = input[range].to_vec();
            input.splice(at..at, copied);
        }
        7 => {
            let other = pick(random, seeds);
            let range = piece(random, other, 256);
            input.splice(at..at, other[range].iter().copied());
        }
        8 => {
            let text = pick(random, &TEXTS);
            input.splice(at..at, text.bytes());
        }
        _ => {
            let bytes: [u8; 8] = random.next_u64().to_le_bytes();
            input.splice(at..at, bytes);
        }
    }
}

/// As [`mutated`], by words, brackets and clauses: much of it is still a text of the
/// language.
pub fn mutated_text(seeds: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random::stream(seed, number);
    let mut input = pick(&mut random, seeds).clone();
    for _ in 0..=below(&mut random, 4) {
        let words = words(&input);
        if words.is_empty() || below(&mut random, 16) == 0 {
            mutate(&mut random, &mut input, seeds);
            continue;
        }
        let replaced = part(&mut random, &words);
        let given = like(&mut random, &words, words[replaced.start], seeds);
        let (before, rest) = words.split_at(replaced.start);
        let (old, behind) = rest.split_at(replaced.len());
        let parts = match below(&mut random, 8) {
            0 => [before.concat(), behind.concat(), Vec::new(), Vec::new()],
            1 | 2 => [before.concat(), given, old.concat(), behind.concat()],
            _ => [before.concat(), given, Vec::new(), behind.concat()],
        };
        input = parts.concat();
    }
    input.truncate(MOST_BYTES);
    input
}

fn words(bytes: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let words = bytes.chunk_by(|one, next| is_word(one) && is_word(next));
    words.collect()
}

/// Kinds of words that may stand for each other: a keyword with what follows, a name or
/// number, an opening bracket with what is in it, each other sign.
fn kind(word: &[u8]) -> u8 {
    match word[0] {
        first if first.is_ascii_uppercase() && word.len() > 2 => b'K',
        first if first.is_ascii_alphanumeric() => b'n',
        b'<' | b'>' | b'=' | b'+' | b'-' | b'*' | b'/' | b'%' => b'+',
        first => first,
    }
}

/// A word, what is between two brackets, or a clause.
fn part(random: &mut Random, words: &[&[u8]]) -> std::ops::Range<usize> {
    let start = below(random, words.len());
    let mut depth = 0;
    let end = match kind(words[start]) {
        b'(' | b'[' | b'{' => words[start..].iter().position(|word| {
            depth += i32::from(b"([{".contains(&word[0]));
            depth -= i32::from(b")]}".contains(&word[0]));
            depth == 0
        }),
        b'K' => {
            let next = words[start + 1..].iter();
            next.clone()
                .position(|word| kind(word) == b'K')
                .or(Some(next.len()))
        }
        _ => None,
    };
    start..start + end.unwrap_or(0) + 1
}

/// A part of a seed that is of the kind of a word; that of the words themselves at times.
fn like(random: &mut Random, own: &[&[u8]], word: &[u8], seeds: &[Vec<u8>]) -> Vec<u8> {
    for _ in 0..32 {
        let others = words(pick::<Vec<u8>>(random, seeds));
        let from = if below(random, 3) == 0 { own } else { &others };
        if from.is_empty() {
            continue;
        }
        let part = part(random, from);
        if kind(from[part.start]) == kind(word) {
            return from[part].concat();
        }
    }
    word.to_vec()
}
