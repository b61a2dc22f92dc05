use super::*;
use crate::snapshot::{self, Snapshot};
use crate::{Bodies, ic};
use manybody_ranks::{End, threads};
use std::fs;

/// What rank 0 makes of the writers; the others write, each to what `open` gives for its number.
fn on_ranks<R>(
    ranks: usize,
    block: u64,
    open: impl Fn(usize, &Path, &[u64]) -> io::Result<File> + Sync,
    work: impl FnOnce(&Writers) -> R,
) -> R {
    let mut teams = threads::teams(ranks);
    let root = teams.remove(0);
    std::thread::scope(|scope| {
        for team in teams {
            let open = &open;
            scope.spawn(move || {
                while let Ok(words) = team.broadcast(Vec::new()) {
                    let mut reader = Reader::of(&words);
                    assert_eq!(Kind::get(&mut reader).unwrap(), Kind::Write);
                    let (_, made_of) = (reader.number().unwrap(), reader.numbers().unwrap());
                    assert!(made_of.is_empty());
                    let own = team.clone();
                    let done = serve_by(&|path, nonce| open(own.rank(), path, nonce), &mut reader, &team);
                    assert!(done.is_ok() || team.has_ended(), "{done:?}");
                }
                team.leave(0, "");
            });
        }
        // dropped with a test that fails, so that the others end
        let root = root;
        let done = work(&Writers { team: root.clone(), block });
        root.leave(0, "");
        done
    })
}

fn plain(n: usize) -> Snapshot {
    Snapshot { bodies: ic::by_name("plummer", &ic::Request::new(n, 5)).unwrap().bodies, ..Snapshot::default() }
}

/// Several types of bodies in no order, softenings, other columns.
fn rich(n: usize) -> Snapshot {
    let mut found = plain(n);
    let Bodies { eps, kind, extra, .. } = &mut found.bodies;
    *eps = Some((0..n).map(|k| k as f64 / 7.0).collect());
    *kind = Some((0..n).map(|k| (k * 7 % 5) as u8).collect());
    extra.insert("age".into(), (0..n).map(|k| k as f64 + 0.5).collect());
    found.meta.insert("long".into(), "text ".repeat(10_000));
    found
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_bytes_are_those_of_one_process() {
    for (found, sizes) in [
        (plain(0), &[8, 64][..]),
        (plain(1), &[8, 64]),
        (plain(1000), &[8, 4096, 8192, 1 << 20]),
        (rich(1000), &[1024, 4096, 1 << 20]),
    ] {
        let expected = snapshot::write_bytes("b.hdf5", &found, &snapshot::WriteOptions::default()).unwrap().0;
        for (ranks, block) in [2, 3, 5].into_iter().flat_map(|ranks| sizes.iter().map(move |block| (ranks, *block))) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("b.hdf5");
            on_ranks(
                ranks,
                block,
                |_, path, nonce| open(path, nonce),
                |writers| {
                    // the second over the first
                    for _ in 0..2 {
                        let (notes, why) = snapshot::write_shared(&path, &found, writers).unwrap();
                        assert!(notes.is_empty() && why.is_none(), "{notes:?} {why:?}");
                        assert!(
                            fs::read(&path).unwrap() == expected,
                            "{} bodies, {ranks} ranks, {block}",
                            found.bodies.len()
                        );
                        assert_eq!(names(folder.path()), ["b.hdf5"]);
                    }
                },
            );
            assert_eq!(snapshot::read(&path).unwrap(), found);
        }
    }
}

/// Here ranks have a file of their own each: together they have all bytes, each in one of them.
#[test]
fn each_rank_writes_the_blocks_that_are_its_own() {
    const BLOCK: usize = 4096;
    let folder = tempfile::tempdir().unwrap();
    let name = |rank: usize| folder.path().join(format!("{rank}.hdf5"));
    let own = |rank: usize, _: &Path, _: &[u64]| OpenOptions::new().create_new(true).write(true).open(name(rank));
    let found = plain(3000);
    let expected = snapshot::write_bytes("b.hdf5", &found, &snapshot::WriteOptions::default()).unwrap().0;
    on_ranks(3, BLOCK as u64, own, |writers| snapshot::write_shared(&name(0), &found, writers).unwrap());
    let files = [0, 1, 2].map(|rank| fs::read(name(rank)).unwrap());
    assert_eq!(files[0].len(), expected.len());
    let mut written = [0; 3];
    for (k, block) in expected.chunks(BLOCK).enumerate() {
        let has = |rank: usize| files[rank].get(k * BLOCK..k * BLOCK + block.len()) == Some(block);
        let rank = (0..3).find(|rank| has(*rank)).unwrap();
        written[rank] += 1;
        // the others have left a hole
        let is_hole =
            |file: &Vec<u8>| file[(k * BLOCK).min(file.len())..].iter().take(block.len()).all(|byte| *byte == 0);
        assert!((0..3).filter(|other| *other != rank).all(|other| is_hole(&files[other])), "block {k}");
    }
    assert!(written[1] > 10 && written[2] > 10 && written[0] > written[1], "{written:?}");
}

#[test]
fn a_rank_that_does_not_see_the_folder_makes_rank_0_write_alone() {
    let found = rich(500);
    let expected = snapshot::write_bytes("b.hdf5", &found, &snapshot::WriteOptions::default()).unwrap().0;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.hdf5");
    let blind = |rank: usize, path: &Path, nonce: &[u64]| match rank {
        2 => open(&path.with_file_name("elsewhere"), nonce),
        _ => open(path, nonce),
    };
    on_ranks(4, 1024, blind, |writers| {
        for _ in 0..2 {
            let why = snapshot::write_shared(&path, &found, writers).unwrap().1.unwrap();
            assert!(why.starts_with("rank 2 cannot write it (") && why.contains("os error"), "{why}");
            assert!(fs::read(&path).unwrap() == expected);
        }
    });
    assert_eq!(names(folder.path()), ["b.hdf5"]);
}

#[test]
fn a_file_of_another_nonce_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.tmp");
    let nonce = [1, 2, 3, 4_u64];
    for content in [&b"short"[..], &[7; 100], bytemuck::cast_slice(&[1, 2, 3, 5_u64])] {
        fs::write(&path, content).unwrap();
        assert!(open(&path, &nonce).is_err());
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    fs::write(&path, bytemuck::cast_slice::<u64, u8>(&nonce)).unwrap();
    assert!(open(&path, &nonce).is_ok() && open(&path, &nonce[..3]).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_refuses_a_block_is_an_error_that_names_its_rank() {
    let found = plain(3000);
    // the second so large that rank 1 has one or two, and answers for them at the end only
    for block in [1024, 32768] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.hdf5");
        fs::write(&path, "before").unwrap();
        let full = |rank: usize, path: &Path, nonce: &[u64]| match rank {
            1 => OpenOptions::new().write(true).open("/dev/full"),
            _ => open(path, nonce),
        };
        let (error, ended) = on_ranks(3, block, full, |writers| {
            let error = snapshot::write_shared(&path, &found, writers).unwrap_err();
            (error, writers.team.ended())
        });
        let text = error.to_string();
        let says = text.contains("b.hdf5") && text.contains("rank 1: No space");
        assert!(matches!(error, Error::Io { .. }) && says, "{block}: {text}");
        assert_eq!(ended, Some(End::Cancelled));
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["b.hdf5".into()], b"before".to_vec()));
    }
}

#[test]
fn a_file_has_its_name_when_all_have_synced_it_and_not_before() {
    let found = plain(3000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.hdf5");
    let mut teams = threads::teams(2);
    std::thread::scope(|scope| {
        let (slow, place) = (teams.pop().unwrap(), &path);
        let served = scope.spawn(move || {
            let words = slow.broadcast(Vec::new()).unwrap();
            let mut reader = Reader::of(&words);
            assert_eq!(Kind::get(&mut reader).unwrap(), Kind::Write);
            let (_, _) = (reader.number().unwrap(), reader.numbers().unwrap());
            let (temporary, nonce) = (reader.text().unwrap(), reader.numbers().unwrap());
            let [of_letters, of_answers] = [slow.next_tag(), slow.next_tag()];
            let mut file = open(Path::new(&temporary), nonce).unwrap();
            slow.send(0, of_answers, vec![0]).unwrap();
            while let Some((offset, words)) = slow.receive(0, of_letters).unwrap().split_first() {
                file.seek(SeekFrom::Start(*offset)).unwrap();
                file.write_all(bytemuck::cast_slice(words)).unwrap();
                slow.send(0, of_answers, vec![0]).unwrap();
            }
            std::thread::sleep(std::time::Duration::from_millis(300));
            let early = place.exists();
            slow.send(0, of_answers, vec![0]).unwrap();
            slow.leave(0, "");
            early
        });
        let root = teams.pop().unwrap();
        snapshot::write_shared(&path, &found, &Writers { team: root.clone(), block: 1024 }).unwrap();
        assert!(path.exists() && !served.join().unwrap());
        root.leave(0, "");
    });
    assert_eq!(snapshot::read(&path).unwrap(), found);
}

/// Before it has opened the file, and between blocks.
#[test]
fn a_rank_that_is_lost_leaves_what_was_there() {
    for blocks in [None, Some(0), Some(3)] {
        let found = plain(3000);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.hdf5");
        fs::write(&path, "before").unwrap();
        let mut teams = threads::teams(3);
        std::thread::scope(|scope| {
            let (dying, other) = (teams.pop().unwrap(), teams.pop().unwrap());
            scope.spawn(move || {
                let words = dying.broadcast(Vec::new()).unwrap();
                let [of_letters, of_answers] = [dying.next_tag(), dying.next_tag()];
                assert!(!words.is_empty());
                for k in 0..blocks.map_or(0, |blocks| blocks + 1) {
                    dying.send(0, of_answers, vec![0]).unwrap();
                    if Some(k) != blocks {
                        dying.receive(0, of_letters).unwrap();
                    }
                }
                // dropped: it ends without a word
            });
            scope.spawn(move || {
                assert!(crate::ranks::serve(&other).is_ok_and(|status| status == 1));
            });
            let root = teams.pop().unwrap();
            let error = snapshot::write_shared(&path, &found, &Writers { team: root.clone(), block: 1024 });
            let error = error.unwrap_err();
            assert!(matches!(error, Error::Rank { rank: 2, .. }), "{error}");
            root.leave(1, "a rank was lost");
        });
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["b.hdf5".into()], b"before".to_vec()));
    }
}

/// Beyond what 32 bits count, in a file with holes.
#[test]
fn offsets_have_64_bits() {
    const BLOCK: u64 = 1 << 12;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.tmp");
    let start = (1 << 33) + 3 * BLOCK + 100;
    let bytes: Vec<u8> = (0..5 * BLOCK).map(|k| (k % 251) as u8).collect();
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
    on_ranks(
        3,
        BLOCK,
        |_, path, nonce| open(path, nonce),
        |writers| {
            let job = job(&mut file, &path).unwrap().unwrap();
            carry_out(&writers.team, job, || {
                let mut shared = SharedFile::of(&writers.team, &mut file, BLOCK);
                assert_eq!(shared.begin().unwrap(), None);
                shared.set_len(start + bytes.len() as u64).unwrap();
                // without a checksum, for which all the holes would be read
                shared.deals = true;
                shared.seek(SeekFrom::End(-(bytes.len() as i64))).unwrap();
                shared.write_all(&bytes).unwrap();
                shared.end().unwrap();
                Ok(())
            })
            .unwrap();
        },
    );
    assert_eq!(file.metadata().unwrap().len(), start + bytes.len() as u64);
    let mut found = vec![0; bytes.len()];
    file.seek(SeekFrom::Start(start)).unwrap();
    file.read_exact(&mut found).unwrap();
    assert!(found == bytes);
}
