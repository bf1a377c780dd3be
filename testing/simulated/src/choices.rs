//! Choosers of a power cut's outcome, which is a sequence of choices.

/// A small deterministic generator (SplitMix64), so that a seed is a run.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose whole future is `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound` (which is not zero).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next_u64() % bound
    }
}

/// How the choices are made that a script does not fix.
///
/// Of the options of one choice the first is what was durable before, the last
/// what was stored last.
#[derive(Clone, Debug)]
pub enum Rest {
    /// Nothing that was not fenced survived.
    Oldest,
    /// Everything survived.
    Newest,
    /// Everything survived but the choice of this number.
    AllBut(usize),
    /// Nothing survived but the choice of this number.
    Only(usize),
    /// The choices before this number survived, the later ones did not.
    Before(usize),
    /// Each choice is newest with probability `percent`, else any option.
    Random {
        /// Source of randomness.
        random: Random,
        /// Share of choices that take the newest option.
        percent: u8,
    },
}

/// Subject of a choice, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The content of a line or sector.
    Unit { file: u32, unit: u32 },
    /// The size of a file.
    Size { file: u32 },
    /// The file that a name refers to.
    Name { name: u32 },
    /// How far the stores of the whole program got (eADR).
    Cut,
}

/// One choice that was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub option: u32,
    pub options: u32,
    pub what: What,
}

/// Makes the choices of one execution: first by script, then by rule.
#[derive(Debug)]
pub(super) struct Chooser {
    pub script: Vec<u32>,
    pub rest: Rest,
    pub taken: Vec<Taken>,
}

impl Chooser {
    pub fn new() -> Self {
        Self {
            script: Vec::new(),
            rest: Rest::Oldest,
            taken: Vec::new(),
        }
    }

    /// One of `0..options`. A scripted option that does not exist (an older
    /// script, a shortened one) becomes the newest there is.
    pub fn choose(&mut self, options: u32, what: What) -> u32 {
        let number = self.taken.len();
        let newest = options - 1;
        let option = match self.script.get(number) {
            Some(&scripted) => scripted.min(newest),
            None => match &mut self.rest {
                Rest::Oldest => 0,
                Rest::Newest => newest,
                Rest::AllBut(but) if *but == number => 0,
                Rest::AllBut(_) => newest,
                Rest::Only(only) if *only == number => newest,
                Rest::Only(_) => 0,
                Rest::Before(split) if number < *split => newest,
                Rest::Before(_) => 0,
                Rest::Random { random, percent } => {
                    if random.below(100) < u64::from(*percent) {
                        newest
                    } else {
                        random.below(u64::from(options)) as u32
                    }
                }
            },
        };
        self.taken.push(Taken {
            option,
            options,
            what,
        });
        option
    }
}
