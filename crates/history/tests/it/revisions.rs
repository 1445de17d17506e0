//! Texts that name commits, and the files of a commit.

use m1nd_base::Cancel;
use m1nd_history::{Contents, GitFolder, NoRevision};

use crate::repository::{Put, Repository};

#[test]
fn what_people_write_for_a_commit() {
    let mut repository = Repository::new();
    let first = repository.commit("ann", "first", &[Put("a.py", "1\n")]);
    let second = repository.commit("ann", "second", &[Put("src/b.py", "1\n"), Put("a.py", "2\n")]);
    let third = repository.commit("ann", "third", &[Put("c.py", "1\n")]);
    let tag = format!("object {second}\ntype commit\ntag v1\ntagger a <a@b> 1700000000 +0000\n\ntext\n");
    let tag = repository.write(gix_object::Kind::Tag, tag.as_bytes());
    repository.tree.write(".git/packed-refs", format!("{tag} refs/tags/v1\n{first} refs/heads/old/one\n"));
    let git = GitFolder::find(repository.tree.path()).expect("a repository");
    let contents = Contents::open(&git).expect("objects");
    let resolve = |text: &str| contents.resolve(&git, text).map(|id| id.name());
    let cases = [
        ("HEAD", third),
        ("@", third),
        ("main", third),
        ("refs/heads/main", third),
        ("v1", second),
        ("old/one", first),
        ("HEAD~2", first),
        ("HEAD^", second),
        ("v1~1", first),
        (" main^^ ", first),
    ];
    for (text, expected) in cases {
        assert_eq!(resolve(text), Ok(expected.to_string()), "{text}");
    }
    let name = second.to_string();
    assert_eq!(resolve(&name[..10]), Ok(name.clone()));
    assert_eq!(resolve(&name.to_uppercase()), Ok(name.clone()));
    for bad in ["", "nothing", "HEAD~x", "abc", "../HEAD", "refs/heads/../../HEAD", "0000000"] {
        assert!(matches!(resolve(bad), Err(NoRevision::NotFound(_))), "{bad}: {:?}", resolve(bad));
    }
    assert!(matches!(resolve("HEAD~3"), Err(NoRevision::TooFar(_))));
    let second = contents.resolve(&git, "v1").expect("a commit");
    let files = contents.files(second, &Cancel::new()).expect("files");
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a.py", "src/b.py"]);
    assert_eq!(&*contents.blob(files[0].blob).expect("content"), b"2\n");
}
