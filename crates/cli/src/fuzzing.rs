//! Command lines of any words, as `testing/fuzzing` has targets for other input: the
//! parsers of arguments that live in this crate are behind them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use clap::Parser;
use evergraph_fuzzing::mutation::mutated;

use crate::Cli;

const MUTATIONS: u64 = 20_000;

const SEEDS: &[&str] = &[
    "import db a.csv --format csv --ids map --weighted --timestamps --separator ;",
    "import db a.txt --source-column 2 --skip-bad 3 --snapshot-every 1mo --chunk-bytes 16..256",
    "import db nodes.csv ties.jsonl --label A --type B --medium dax --resume",
    "import db --nodes A:B=a.csv,b.csv --relationships C=c.csv --key S=A.id --dry-run",
    "import db - --on-conflict merge --duplicates skip --dangling create --max-rejects 3",
    "run db pagerank --as-of 2016-05-01T12:30Z --threads 2 --memory-limit 1000 --timeout 1.5",
    "run db bfs --source 3 --over a..b --param verify=true --json",
    "run db pagerank --keep x --checkpoint-memory 1000 --hot degree",
    "snapshot db create x --time 2016-05",
    "snapshot db retain --keep-last 3 --keep-for 14d --keep run*",
    "export db out.csv --format neo4j --labels A,B --types C",
    "generate kron --scale 10 --degree 16 --seed 7 -o out.txt",
    "index db create i --label A --key a --rule unique",
    "seal db --shape sorted --compressed --memory-limit 1000000",
    "delete-edges db a.txt --separator tab --skip-bad 2",
    "maintain db pagerank --name x --param damping=0.5",
    "results db show x",
];

#[test]
fn command_lines_of_any_words_are_read_or_refused() {
    let seeds: Vec<Vec<u8>> = SEEDS.iter().map(|line| line.as_bytes().to_vec()).collect();
    let parse = |line: &[u8]| {
        let words = line.split(|&byte| byte == b' ').map(OsStr::from_bytes);
        Cli::try_parse_from([OsStr::new("evergraph")].into_iter().chain(words)).is_ok()
    };
    for seed in SEEDS {
        assert!(parse(seed.as_bytes()), "{seed}");
    }
    let mut read = 0;
    for number in 0..MUTATIONS {
        let line = mutated(&seeds, 16, number);
        match std::panic::catch_unwind(|| parse(&line)) {
            Ok(is_read) => read += u64::from(is_read),
            Err(_) => panic!("{:?}", String::from_utf8_lossy(&line)),
        }
    }
    let share = 100 * read / MUTATIONS;
    assert!(share >= 10, "only {share} % of the command lines are read");
}
