//! Machine code, and batches for it.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use memmap2::{Mmap, MmapMut};

use crate::lower::{self, MOST_SUMMED, UNKNOWN};
use crate::program::{bits_of, changes};
use crate::{Kind, NotCompiled, Program, Results, Type, small_bits};

/// The code of a program, to be called with batches whose inputs are of its kinds.
pub struct Code {
    program: Program,
    types: Vec<Type>,
    nullable: Vec<bool>,
    /// Executable, and not writable.
    memory: Mmap,
}

/// Values of an input, those of nulls included.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// Integers
    Integers(&'a [i64]),
    /// Floats
    Floats(&'a [f64]),
    /// Truth values
    Booleans(&'a [bool]),
    /// Integers of 32 bits
    Ids(&'a [u32]),
    /// Integers of few bits
    Small(SmallIntegers<'a>),
}

/// Integers of [`Type::Small`], those of nulls included.
#[derive(Clone, Copy, Debug)]
pub struct SmallIntegers<'a> {
    integers: &'a [i64],
    bits: u8,
}

impl<'a> SmallIntegers<'a> {
    /// These integers, if they are so small. O(integers)
    pub fn new(integers: &'a [i64]) -> Option<Self> {
        let all = integers
            .iter()
            .fold(0, |all, &number| all | changes(number));
        bits_of(all).map(|bits| SmallIntegers { integers, bits })
    }

    /// The integers.
    pub fn integers(self) -> &'a [i64] {
        self.integers
    }
}

/// Numbers of rows of a column, which has that many.
#[derive(Clone, Copy, Debug)]
pub struct TakenRows<'a> {
    rows: &'a [u32],
    below: usize,
}

impl<'a> TakenRows<'a> {
    /// Rows of a column of so many; `None` if it has not all of them. O(rows)
    pub fn new(rows: &'a [u32], below: usize) -> Option<Self> {
        let are_there = rows.iter().all(|&row| (row as usize) < below);
        are_there.then_some(TakenRows { rows, below })
    }
}

/// An input of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A value a row, and the bits of those that are not null, the lowest first, in words;
    /// without them none is.
    Column(Numbers<'a>, Option<&'a [u64]>),
    /// The same of a column of which some rows are taken.
    Taken(Numbers<'a>, Option<&'a [u64]>, TakenRows<'a>),
    /// The same of all rows.
    Integer(i64),
    /// The same of all rows.
    Float(f64),
    /// The same of all rows.
    Boolean(bool),
}

/// A column of results: a value a row, 0 where it is null, and what is not null; without,
/// nothing is.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Integers
    Integers(Vec<i64>, Option<Vec<bool>>),
    /// Floats
    Floats(Vec<f64>, Option<Vec<bool>>),
    /// Truth values
    Booleans(Vec<bool>, Option<Vec<bool>>),
}

/// Of a term in some rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// In how many of them it is not null.
    pub count: u64,
    /// Of integers: their sum.
    pub sum: Option<i64>,
}

/// A row of the batch has to be looked at by the interpreter, or the inputs are not of the
/// program's kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

type Function = unsafe extern "C" fn(u64, *const [u64; 3], *const u64) -> u64;

impl Code {
    /// Compiles a program. About a millisecond.
    ///
    /// # Errors
    /// Types that do not fit, too many terms; a machine that no code can be made for.
    pub fn compile(program: Program) -> Result<Self, NotCompiled> {
        let types = program.check()?;
        let isa = isa()?;
        let convention = isa.default_call_conv();
        let lowered = lower::lower(&program, &types, convention, isa.frontend_config());
        let mut context = Context::for_function(lowered.function);
        let failed = |error: String| NotCompiled::Machine(error);
        let compiled = context
            .compile(&*isa, &mut ControlPlane::default())
            .map_err(|error| failed(error.inner.to_string()))?;
        // It calls nothing, so that it can lie anywhere.
        if !compiled.buffer.relocs().is_empty() {
            return Err(failed("the code is not whole in itself".into()));
        }
        let bytes = compiled.code_buffer();
        let memory = executable(bytes).map_err(|error| failed(error.to_string()))?;
        Ok(Code {
            program,
            types,
            nullable: lowered.nullable,
            memory,
        })
    }

    /// Its program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Bytes of memory for code: whole pages.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// Appends the numbers of the rows that the program wants, ascending.
    ///
    /// # Errors
    /// [`Unknown`]; then nothing is appended.
    pub fn rows(
        &self,
        inputs: &[Input<'_>],
        rows: usize,
        numbers: &mut Vec<u32>,
    ) -> Result<(), Unknown> {
        if !matches!(self.program.results, Results::Rows(_)) || u32::try_from(rows).is_err() {
            return Err(Unknown);
        }
        let start = numbers.len();
        numbers.resize(start + rows, 0);
        let to = [numbers[start..].as_mut_ptr() as u64];
        let found = self.call(inputs, rows, &to);
        numbers.truncate(start + found.unwrap_or(0));
        found.map(|_| ())
    }

    /// The program's columns of all rows.
    ///
    /// # Errors
    /// [`Unknown`]
    pub fn columns(&self, inputs: &[Input<'_>], rows: usize) -> Result<Vec<Output>, Unknown> {
        if !matches!(self.program.results, Results::Columns(_)) {
            return Err(Unknown);
        }
        let nullable = self.nullable.iter().map(|nullable| match nullable {
            true => Some(vec![false; rows]),
            false => None,
        });
        let columns = self.types.iter().zip(nullable);
        let columns = columns.map(|(of, valid)| match of {
            Type::Integer | Type::Id | Type::Small(_) => Output::Integers(vec![0; rows], valid),
            Type::Float => Output::Floats(vec![0.0; rows], valid),
            Type::Boolean => Output::Booleans(vec![false; rows], valid),
        });
        let mut columns: Vec<Output> = columns.collect();
        let to: Vec<u64> = columns.iter_mut().flat_map(Output::addresses).collect();
        self.call(inputs, rows, &to)?;
        Ok(columns)
    }

    /// How many rows the program wants, and the totals of its other terms in those.
    ///
    /// # Errors
    /// [`Unknown`]; also if a sum has more than 64 bits.
    pub fn totals(
        &self,
        inputs: &[Input<'_>],
        rows: usize,
    ) -> Result<(usize, Vec<Total>), Unknown> {
        let Results::Totals(_, conditions) = self.program.results else {
            return Err(Unknown);
        };
        if rows > MOST_SUMMED {
            return Err(Unknown);
        }
        let types = &self.types[conditions..];
        let mut words = vec![[0u64; 2]; types.len()];
        let to = words.iter_mut().map(|words| words.as_mut_ptr() as u64);
        let to: Vec<u64> = to.collect();
        let count = self.call(inputs, rows, &to)?;
        let totals = words.iter().zip(types).map(|([sum, count], of)| Total {
            count: *count,
            sum: (*of == Type::Integer).then_some(*sum as i64),
        });
        Ok((count, totals.collect()))
    }

    /// Calls the code; `to` are addresses of arrays of so many rows, one for row numbers,
    /// or for each column one for its values and one for its truths, if it may have nulls;
    /// or for each total that of two words.
    fn call(&self, inputs: &[Input<'_>], rows: usize, to: &[u64]) -> Result<usize, Unknown> {
        let kinds = &self.program.inputs;
        if inputs.len() != kinds.len() {
            return Err(Unknown);
        }
        let places = inputs.iter().zip(kinds);
        let places = places.map(|(input, kind)| input.place(*kind, rows).ok_or(Unknown));
        let places: Vec<[u64; 3]> = places.collect::<Result<_, _>>()?;
        // SAFETY: `memory` holds the whole function of this signature, as Cranelift made it
        // for this processor: it has no relocations, and was not writable since. For each
        // row below `rows` it reads one value of each column, one bit of its validity if
        // its kind has one, and the words of `places` and `to`; `Input::place` has checked
        // that there are as many. Rows that are taken lie within their column by
        // `TakenRows::new`, and `Input::place` has checked that it is so long. It writes
        // below `rows` to arrays that the callers made as long, one a place of `to`, at most
        // one number a row; of totals to two words each. It calls nothing, and does not trap: divisors are never 0, nor
        // -1 of the least integer.
        let found = unsafe {
            let function: Function = std::mem::transmute(self.memory.as_ptr());
            function(rows as u64, places.as_ptr(), to.as_ptr())
        };
        match found {
            UNKNOWN => Err(Unknown),
            found => Ok(found as usize),
        }
    }
}

impl Input<'_> {
    /// What is known of it without its rows.
    pub fn kind(&self) -> Kind {
        match self {
            Input::Column(numbers, bits) => Kind::Column {
                of: numbers.of(),
                nullable: bits.is_some(),
                taken: false,
            },
            Input::Taken(numbers, bits, _) => Kind::Column {
                of: numbers.of(),
                nullable: bits.is_some(),
                taken: true,
            },
            Input::Integer(_) => Kind::Same(Type::Integer),
            Input::Float(_) => Kind::Same(Type::Float),
            Input::Boolean(_) => Kind::Same(Type::Boolean),
        }
    }

    /// The words for the code; `None` if it is of another kind or too short.
    fn place(&self, kind: Kind, rows: usize) -> Option<[u64; 3]> {
        let fits = match (self, kind) {
            (Input::Integer(number), Kind::Constant(constant)) => *number == constant,
            (Input::Integer(number), Kind::Same(Type::Small(bits))) => {
                small_bits(*number).is_some_and(|own| own <= bits)
            }
            _ => kind.takes(self.kind()),
        };
        if !fits {
            return None;
        }
        let of_column = |numbers: &Numbers<'_>, bits: Option<&[u64]>, rows: usize| {
            let (address, length) = numbers.place();
            let of_bits = bits.map_or(0, |words| words.as_ptr() as u64);
            let is_long = bits.is_none_or(|words| words.len() >= rows.div_ceil(64));
            (is_long && length >= rows).then_some([address, of_bits])
        };
        match self {
            Input::Column(numbers, bits) => {
                let [values, bits] = of_column(numbers, *bits, rows)?;
                Some([values, bits, 0])
            }
            Input::Taken(numbers, bits, taken) => {
                let [values, bits] = of_column(numbers, *bits, taken.below)?;
                let is_long = taken.rows.len() >= rows;
                is_long.then_some([values, bits, taken.rows.as_ptr() as u64])
            }
            Input::Integer(number) => Some([*number as u64, 0, 0]),
            Input::Float(number) => Some([number.to_bits(), 0, 0]),
            Input::Boolean(truth) => Some([u64::from(*truth), 0, 0]),
        }
    }
}

impl Numbers<'_> {
    /// Their type.
    pub fn of(&self) -> Type {
        match self {
            Numbers::Integers(_) => Type::Integer,
            Numbers::Floats(_) => Type::Float,
            Numbers::Booleans(_) => Type::Boolean,
            Numbers::Ids(_) => Type::Id,
            Numbers::Small(small) => Type::Small(small.bits),
        }
    }

    fn place(&self) -> (u64, usize) {
        match self {
            Numbers::Integers(numbers) => (numbers.as_ptr() as u64, numbers.len()),
            Numbers::Floats(numbers) => (numbers.as_ptr() as u64, numbers.len()),
            Numbers::Booleans(truths) => (truths.as_ptr() as u64, truths.len()),
            Numbers::Ids(ids) => (ids.as_ptr() as u64, ids.len()),
            Numbers::Small(small) => (small.integers.as_ptr() as u64, small.integers.len()),
        }
    }
}

impl Output {
    fn addresses(&mut self) -> [u64; 2] {
        let (values, valid) = match self {
            Output::Integers(values, valid) => (values.as_mut_ptr() as u64, valid),
            Output::Floats(values, valid) => (values.as_mut_ptr() as u64, valid),
            Output::Booleans(values, valid) => (values.as_mut_ptr() as u64, valid),
        };
        let valid = valid.as_mut().map_or(0, |valid| valid.as_mut_ptr() as u64);
        [values, valid]
    }
}

/// The processor of this machine. What Cranelift makes is verified in debug builds.
fn isa() -> Result<OwnedTargetIsa, NotCompiled> {
    let machine = |error: String| NotCompiled::Machine(error);
    if cfg!(target_endian = "big") {
        return Err(machine("bits of nulls lie in another order".into()));
    }
    let mut flags = settings::builder();
    let verifier = match cfg!(debug_assertions) {
        true => "true",
        false => "false",
    };
    for (name, value) in [("opt_level", "speed"), ("enable_verifier", verifier)] {
        let set = flags.set(name, value);
        set.map_err(|error| machine(error.to_string()))?;
    }
    let builder = cranelift_native::builder().map_err(|error| machine(error.into()))?;
    let isa = builder.finish(settings::Flags::new(flags));
    isa.map_err(|error| machine(error.to_string()))
}

/// Pages with code: written first, then executable and never written again.
fn executable(code: &[u8]) -> std::io::Result<Mmap> {
    let mut memory = MmapMut::map_anon(code.len().next_multiple_of(PAGE))?;
    memory[..code.len()].copy_from_slice(code);
    memory.make_exec()
}

/// Bytes of a page, about: memory is given in whole pages.
const PAGE: usize = 4096;
