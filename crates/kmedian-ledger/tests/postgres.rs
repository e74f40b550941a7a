//! A ledger on a real PostgreSQL server, which these tests start on the loopback interface: the same
//! books as in a file, and never overspent, whatever happens to processes, server and connections.
//!
//! The processes are this very test binary, run again with `child` as the only test and a part to
//! play in the environment.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use kmedian_ledger::{Amount, ErrorKind, Ledger, Purpose};

/// Where `cargo xtask test` has found the programs of PostgreSQL.
const PROGRAMS: &str = "KMEDIAN_POSTGRES";
const PART: &str = "KMEDIAN_LEDGER_TEST_PART";
const PLACE: &str = "KMEDIAN_LEDGER_TEST_FILE";

/// What each reservation asks for.
const SHARE: &str = "0.01";

/// A slow machine is no failure: nobody gives up before the test runner does.
const PATIENCE: Duration = Duration::from_secs(120);

fn note(text: &str) -> Purpose {
    Purpose { note: text.into(), ..Purpose::default() }
}

fn spend(text: &str) -> Amount {
    Amount::to_spend(text).unwrap()
}

/// A server with an empty database, in a temporary folder; stopped and removed at the end.
struct Server {
    folder: PathBuf,
    port: u16,
}

impl Server {
    fn start() -> Self {
        let folder = said(as_owner("mktemp").args(["-d", "/tmp/kmedian-postgres-XXXXXX"]));
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let server = Self { folder: folder.trim().into(), port: free.port() };
        said(
            program("initdb")
                .args([
                    "--auth",
                    "trust",
                    "--username",
                    "kmedian",
                    "--encoding",
                    "UTF8",
                    "--no-locale",
                    "-D",
                ])
                .arg(server.data()),
        );
        server.control(&["-w", "start"]);
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Starts, stops or restarts the server.
    fn control(&self, what: &[&str]) {
        let folder = self.folder.display();
        let options = format!("-h 127.0.0.1 -p {} -k {folder}", self.port);
        let mut control = program("pg_ctl");
        control.arg("-D").arg(self.data()).args(["-o", &options, "-l"]);
        control.arg(self.folder.join("log")).args(what);
        // The server must not keep the pipes of this test open.
        let ended =
            control.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(ended.unwrap().success(), "pg_ctl {what:?}");
    }

    fn url(&self) -> PathBuf {
        self.url_at(self.port)
    }

    fn url_at(&self, port: u16) -> PathBuf {
        format!("postgres://kmedian@127.0.0.1:{port}/postgres").into()
    }

    fn sql(&self) -> postgres::Client {
        let url = self.url();
        postgres::Client::connect(url.to_str().unwrap(), postgres::NoTls).unwrap()
    }

    /// The server with a dataset `visits`.
    fn with(budget: &str) -> Self {
        let server = Self::start();
        Ledger::create_with_dataset(
            &server.url(),
            "visits",
            Amount::to_allow(budget).unwrap(),
            None,
        )
        .unwrap();
        server
    }

    /// The number of entries, after a check that the books are in order.
    fn entries(&self) -> u64 {
        let ledger = Ledger::open(&self.url()).unwrap();
        let visits = ledger.dataset("visits").unwrap();
        assert!(visits.spent <= visits.budget);
        assert_eq!(ledger.entries("visits").unwrap().len() as u64, visits.entries);
        ledger.verify().unwrap();
        visits.entries
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut control = program("pg_ctl");
        control.arg("-D").arg(self.data()).args(["-m", "immediate", "stop"]);
        let _ = control.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let _ = as_owner("rm").arg("-rf").arg(&self.folder).status();
    }
}

/// A program of PostgreSQL.
fn program(name: &str) -> Command {
    let folder = PathBuf::from(env::var_os(PROGRAMS).expect("`cargo xtask test` sets it"));
    as_owner(folder.join(name).to_str().unwrap())
}

/// A program, run by whoever may own a server: root may not, so Debian's user `postgres` does.
fn as_owner(program: &str) -> Command {
    let root =
        fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let mut command = Command::new(if root { "runuser" } else { program });
    if root {
        command.args(["-u", "postgres", "--", program]);
    }
    command.current_dir("/");
    command
}

/// What a program says, which must succeed.
fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Starts a process that plays a part with a ledger.
fn start(part: &str, place: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child", "--nocapture", "--test-threads", "1"])
        .env(PART, part)
        .env(PLACE, place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for the end of a child: how often it said each of two words, and whether all went well.
fn end(child: Child) -> (u64, u64, bool) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let said = |word| text.lines().filter(|line| line.ends_with(word)).count() as u64;
    (said("reserved"), said("unknown"), output.status.success())
}

/// Waits until a child has said a word, byte by byte: what comes after it is counted later.
fn wait_for(child: &mut Child, word: &str) {
    let out = child.stdout.as_mut().unwrap();
    let mut text = Vec::new();
    while !text.ends_with(format!("{word}\n").as_bytes()) {
        let mut byte = [0];
        out.read_exact(&mut byte).unwrap();
        text.extend(byte);
    }
}

fn tell(word: &str) {
    println!("{word}");
    io::stdout().flush().unwrap();
}

/// Says a word, and waits until the parent answers.
fn pause(word: &str) {
    tell(word);
    let mut answer = String::new();
    if io::stdin().read_line(&mut answer).unwrap() == 0 {
        std::process::exit(1);
    }
}

/// Plays the part that the environment names, with the ledger that it names.
#[test]
#[ignore = "run by the other tests, as a process of its own"]
fn child() {
    let (part, place) = (env::var(PART).unwrap(), PathBuf::from(env::var_os(PLACE).unwrap()));
    match part.as_str() {
        "create" => Ledger::create_or_open(&place).map(drop).unwrap(),
        "spend all" => spend_all(&place, false),
        "spend all through failures" => spend_all(&place, true),
        _ => one_run(&place),
    }
}

/// A private run that stops at every step.
fn one_run(place: &Path) {
    let mut ledger = Ledger::open(place).unwrap();
    pause("opened");
    let reserved = ledger.reserve("visits", spend(SHARE), &note("a run")).unwrap();
    pause("reserved");
    pause("computed");
    reserved.record("sha256:0123").unwrap();
    pause("recorded");
}

/// Spends until nothing is left, and says so for each reservation, after it is made; and for each
/// whose fate it does not know.
fn spend_all(place: &Path, through_failures: bool) {
    let mut open = None;
    loop {
        if open.is_none() {
            match Ledger::open(place) {
                Ok(mut ledger) => {
                    let patient = ledger.set_patience(PATIENCE);
                    open = patient.is_ok().then_some(ledger);
                }
                Err(error) if through_failures => drop(error),
                Err(error) => panic!("{error}"),
            }
        }
        let Some(ledger) = &mut open else {
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        match ledger.reserve("visits", spend(SHARE), &note("one of many")) {
            Ok(_) => tell("reserved"),
            Err(error) if error.kind() == ErrorKind::Exhausted => return,
            Err(error) if through_failures => {
                if error.kind() == ErrorKind::Unconfirmed {
                    tell("unknown");
                }
                open = None;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_keeps_the_same_books_as_a_file() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let none = Ledger::open(&server.url()).unwrap_err();
    assert!(
        none.to_string().ends_with("there is no ledger in this database; create one"),
        "{none}"
    );
    let mut told = Vec::new();
    for place in [server.url(), folder.path().join("ledger.db")] {
        let mut ledger = Ledger::create_or_open(&place).unwrap();
        ledger.create_dataset("visits", Amount::to_allow("1").unwrap(), None).unwrap();
        ledger.create_dataset("Äpfel", Amount::to_allow("0.3").unwrap(), None).unwrap();
        let first = ledger.reserve("visits", spend("0.5"), &note("k = 3,\nε")).unwrap();
        assert!(first.fixed_change());
        let again = first.clone();
        first.record("sha256:1").unwrap();
        let twice = again.record("sha256:2").unwrap_err();
        let _ = ledger.reserve("visits", spend("0.5"), &note("")).unwrap();
        let refused = [
            ledger.reserve("visits", spend("0.000000000001"), &note("")).unwrap_err(),
            ledger.reserve("Visits", spend("0.1"), &note("")).unwrap_err(),
            ledger.create_dataset("VISITS", Amount::to_allow("1").unwrap(), None).unwrap_err(),
            twice,
        ];
        let refused = refused.map(|error| {
            let text = error.to_string();
            (error.kind(), text.split_once(": ").unwrap().1.to_owned())
        });
        let datasets = ledger.datasets().unwrap();
        let datasets: Vec<_> = datasets
            .into_iter()
            .map(|one| (one.name, one.budget, one.spent, one.entries, one.change))
            .collect();
        let events = ledger.verify().unwrap().events();
        told.push((refused, datasets, ledger.entries("visits").unwrap(), events));
    }
    assert_eq!(told[0], told[1]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn nothing_that_was_spent_can_be_taken_back_by_sql() {
    let server = Server::with("1");
    let mut ledger = Ledger::open(&server.url()).unwrap();
    let first = ledger.reserve("visits", spend("0.5"), &note("")).unwrap();
    first.record("h").unwrap();
    let before = ledger.verify().unwrap();
    let entry =
        "INSERT INTO kmedian_ledger.entry (number, dataset, epsilon, note, reserved) VALUES";
    for change in [
        "DELETE FROM kmedian_ledger.entry".to_owned(),
        "DELETE FROM kmedian_ledger.event".to_owned(),
        "TRUNCATE kmedian_ledger.release".to_owned(),
        "TRUNCATE kmedian_ledger.dataset CASCADE".to_owned(),
        "UPDATE kmedian_ledger.dataset SET budget = 5".to_owned(),
        "UPDATE kmedian_ledger.version SET number = 1".to_owned(),
        "SET session_replication_role = replica; DELETE FROM kmedian_ledger.entry".to_owned(),
        format!("{entry} (1, 1, 1, '', '') ON CONFLICT (number) DO UPDATE SET epsilon = 1"),
        format!("{entry} (9, 1, 1, '', '')"),
        format!("{entry} (2, 1, 500000000001, '', '')"),
        format!("{entry} (2, 1, -1, '', '')"),
    ] {
        assert!(server.sql().batch_execute(&change).is_err(), "{change}");
    }
    assert_eq!(ledger.verify().unwrap(), before);
    // A member of the team who may add rows, and nothing else.
    let grants = "CREATE ROLE ann LOGIN; GRANT USAGE ON SCHEMA kmedian_ledger TO ann;
        GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA kmedian_ledger TO ann";
    server.sql().batch_execute(grants).unwrap();
    let as_ann = format!("postgres://ann@127.0.0.1:{}/postgres", server.port);
    let hers = Ledger::open(Path::new(&as_ann))
        .unwrap()
        .reserve("visits", spend("0.1"), &note(""))
        .unwrap();
    hers.record("sha256:2").unwrap();
    let dropped = "ALTER TABLE kmedian_ledger.entry DISABLE TRIGGER ALL";
    let mut sql = postgres::Client::connect(&as_ann, postgres::NoTls).unwrap();
    assert!(sql.batch_execute(dropped).is_err());
    // Who drops the triggers is found out by the chain.
    let edit = "ALTER TABLE kmedian_ledger.entry DISABLE TRIGGER ALL; UPDATE kmedian_ledger.entry SET epsilon = 1";
    server.sql().batch_execute(edit).unwrap();
    let error = ledger.verify().unwrap_err();
    assert!(error.to_string().contains("event 2, entry 1, is not as it was written"), "{error}");
    let refused = ledger.reserve("visits", spend("0.1"), &note("")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Broken);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn sixteen_processes_spend_the_budget_exactly() {
    let server = Server::start();
    let creators: Vec<Child> = (0..16).map(|_| start("create", &server.url())).collect();
    assert!(creators.into_iter().map(end).all(|(_, _, well)| well));
    let mut ledger = Ledger::open(&server.url()).unwrap();
    ledger.create_dataset("visits", Amount::to_allow("0.8").unwrap(), None).unwrap();
    let children: Vec<Child> = (0..16).map(|_| start("spend all", &server.url())).collect();
    let ends: Vec<_> = children.into_iter().map(end).collect();
    assert!(ends.iter().all(|&(_, _, well)| well), "{ends:?}");
    assert_eq!(ends.iter().map(|&(reserved, ..)| reserved).sum::<u64>(), 80, "{ends:?}");
    assert_eq!(server.entries(), 80);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_kill_at_any_step_leaves_spent_what_was_reserved() {
    let server = Server::with("1");
    for (step, entries, released) in
        [("opened", 0, 0), ("reserved", 1, 0), ("computed", 2, 0), ("recorded", 3, 1)]
    {
        let mut child = start("one run", &server.url());
        for word in ["opened", "reserved", "computed", "recorded"] {
            wait_for(&mut child, word);
            if word == step {
                break;
            }
            child.stdin.as_mut().unwrap().write_all(b"go on\n").unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(server.entries(), entries, "killed when {step}");
        let found = Ledger::open(&server.url()).unwrap().entries("visits").unwrap();
        assert_eq!(found.iter().filter(|entry| entry.release.is_some()).count(), released);
    }
}

/// Kills fall into the middle of transactions too. What a process said it had reserved is spent;
/// one more may be, which it could not say any more.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_kill_at_any_moment_loses_no_reservation() {
    let server = Server::with("1000");
    let mut before = 0;
    for round in 0..12 {
        let mut child = start("spend all", &server.url());
        wait_for(&mut child, "reserved");
        thread::sleep(Duration::from_micros(900 * round));
        child.kill().unwrap();
        let reserved = 1 + end(child).0;
        // The server notices that the process is gone, or has finished what it was asked.
        thread::sleep(Duration::from_millis(300));
        let new = server.entries() - before;
        assert!(new == reserved || new == reserved + 1, "{reserved} reserved, {new} spent");
        before += new;
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_crashes_in_the_middle_forgets_nothing() {
    let server = Server::with("1");
    let mut children: Vec<Child> =
        (0..4).map(|_| start("spend all through failures", &server.url())).collect();
    wait_for(&mut children[0], "reserved");
    for _ in 0..2 {
        server.control(&["-m", "immediate", "-w", "restart"]);
        thread::sleep(Duration::from_millis(200));
    }
    let ends: Vec<_> = children.into_iter().map(end).collect();
    assert!(ends.iter().all(|&(_, _, well)| well), "{ends:?}");
    let reserved = 1 + ends.iter().map(|end| end.0).sum::<u64>();
    let unknown: u64 = ends.iter().map(|end| end.1).sum();
    let entries = server.entries();
    assert_eq!(entries, 100);
    assert!(reserved <= entries && entries <= reserved + unknown, "{reserved} {unknown} {entries}");
}

/// Passes bytes on between a client and the server, until the client sends `COMMIT`: then it drops
/// both connections, either before the server gets it or after the server has answered.
fn cut_at_commit(port: u16, after: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut server = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (mut to_client, mut from_server) =
            (client.try_clone().unwrap(), server.try_clone().unwrap());
        let (cut, is_cut) = std::sync::mpsc::channel::<()>();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = from_server.read(&mut bytes) {
                if is_cut.try_recv().is_ok() || to_client.write_all(&bytes[..read]).is_err() {
                    break;
                }
            }
            let _ = to_client.shutdown(std::net::Shutdown::Both);
            let _ = from_server.shutdown(std::net::Shutdown::Both);
        });
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = client.read(&mut bytes) {
            if bytes[..read].windows(6).any(|word| word == b"COMMIT") {
                if after {
                    cut.send(()).unwrap();
                    server.write_all(&bytes[..read]).unwrap();
                } else {
                    let _ = client.shutdown(std::net::Shutdown::Both);
                    let _ = server.shutdown(std::net::Shutdown::Both);
                }
                return;
            }
            server.write_all(&bytes[..read]).unwrap();
        }
    });
    own
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_connection_that_is_lost_at_the_commit_counts_as_spent() {
    let server = Server::with("1");
    for (after, entries) in [(true, 1), (false, 1)] {
        let through = server.url_at(cut_at_commit(server.port, after));
        let mut ledger = Ledger::open(&through).unwrap();
        let error = ledger.reserve("visits", spend("0.1"), &note("")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unconfirmed, "{error}");
        assert!(error.to_string().contains("count it as spent"), "{error}");
        thread::sleep(Duration::from_millis(300));
        assert_eq!(server.entries(), entries);
    }
    // Nothing is left locked.
    let mut ledger = Ledger::open(&server.url()).unwrap();
    let _ = ledger.reserve("visits", spend("0.9"), &note("")).unwrap();
    let refused = ledger.reserve("visits", spend("0.01"), &note("")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Exhausted);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_file_moves_to_a_server_with_its_hashes() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let file = folder.path().join("ledger.db");
    let mut ledger = Ledger::create_or_open(&file).unwrap();
    ledger.create_dataset("visits", Amount::to_allow("1").unwrap(), None).unwrap();
    ledger.create_dataset("tills", Amount::to_allow("2").unwrap(), None).unwrap();
    let first = ledger.reserve("visits", spend("0.5"), &note("first")).unwrap();
    first.record("sha256:1").unwrap();
    let waiting = ledger.reserve("tills", spend("0.25"), &note("second")).unwrap();
    let (chain, entries) = (ledger.verify().unwrap(), ledger.entries("visits").unwrap());

    assert_eq!(Ledger::move_to_server(&file, &server.url()).unwrap(), chain);
    let mut moved = Ledger::open(&server.url()).unwrap();
    assert_eq!(
        (moved.verify().unwrap(), moved.entries("visits").unwrap()),
        (chain.clone(), entries)
    );
    // Neither who has the file open nor who opens it can spend there any more.
    let late = ledger.reserve("visits", spend("0.1"), &note("")).unwrap_err();
    assert_eq!(
        (late.kind(), Ledger::open(&file).unwrap_err().kind()),
        (ErrorKind::Moved, ErrorKind::Moved)
    );
    assert_eq!(waiting.record("sha256:2").unwrap_err().kind(), ErrorKind::Moved);
    // Once more changes nothing, even after something was spent there.
    let _ = moved.reserve("visits", spend("0.5"), &note("")).unwrap();
    assert_eq!(
        Ledger::move_to_server(&file, &server.url()).unwrap().events_since(chain.head()),
        Some(1)
    );
    assert_eq!(
        moved.reserve("visits", spend("0.1"), &note("")).unwrap_err().kind(),
        ErrorKind::Exhausted
    );

    let other = folder.path().join("other.db");
    Ledger::create_with_dataset(&other, "x", Amount::to_allow("1").unwrap(), None).unwrap();
    let refused = Ledger::move_to_server(&other, &server.url()).unwrap_err();
    assert!(refused.to_string().contains("another ledger in this database"), "{refused}");
    let _ = Ledger::open(&other).unwrap().reserve("x", spend("0.1"), &note("")).unwrap();
}
