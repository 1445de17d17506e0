"""Tests `m1nd share` with the built programs, a server of S3, a web server and a folder.

Usage: share.py M1ND [REPOSITORY]. With a repository, also measures: its newest commit is cloned, the parent is pushed.
"""

import functools
import http.server
import json
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import boto3
from moto.server import ThreadedMotoServer

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
NAME = ["--repository", "example.org/a/b"]
BUCKET = "indexes"


class Machine:
    """Somebody with a home and a clone."""

    def __init__(self, folder, name, clone=None):
        self.home, self.clone = folder / f"home-{name}", folder / f"clone-{name}"
        self.home.mkdir()
        if clone:
            git(folder, "clone", "--quiet", str(clone), str(self.clone))

    def run(self, *arguments, **more):
        environment = {**os.environ, "M1ND_HOME": str(self.home), "M1ND_NO_DAEMON": "1", **more}
        environment.pop("M1ND_SHARE_KEY", None) if "M1ND_SHARE_KEY" not in more else None
        return subprocess.run([PROGRAM, *arguments], cwd=self.clone, env=environment, capture_output=True, text=True)

    def answer(self, *arguments, **more):
        done = self.run(*arguments, "--json", **more)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return json.loads(done.stdout)

    def refuse(self, word, *arguments, **more):
        done = self.run(*arguments, **more)
        assert done.returncode != 0, (arguments, done.stdout)
        assert word in done.stderr and "next:" in done.stderr, (word, done.stderr)

    def export(self):
        rows = [self.run("export", "--what", what, "--quiet") for what in ("nodes", "edges")]
        assert all(row.returncode == 0 for row in rows), [row.stderr for row in rows]
        return "".join(row.stdout for row in rows)


def git(folder, *arguments):
    who = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "change")


def build_repository(folder):
    """Two commits: the second edits, adds and removes a file."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    files = {f"pkg/m{i}.py": f"from pkg.m{i + 1} import f{i + 1}\n\ndef f{i}():\n    return f{i + 1}()\n" for i in range(60)}
    files["pkg/m60.py"] = "def f60():\n    return 1\n"
    files["pkg/__init__.py"] = ""
    write(folder, files)
    (folder / "pkg/m7.py").unlink()
    write(folder, {"pkg/m3.py": "def f3():\n    return 0\n", "pkg/new.py": "from pkg.m1 import f1\n\ndef new():\n    f1()\n"})


def check_store(folder, url, repository, environment, damage, pull_url=None):
    """The whole way through one store."""
    pull_url = pull_url or url
    ci, dev = Machine(folder, "ci", repository), Machine(folder, "dev", repository)
    git(ci.clone, "checkout", "--quiet", "HEAD~1")
    run = functools.partial
    push = run(ci.answer, "share", "push", "--store", url, *NAME, **environment)
    pull = ["share", "pull", "--store", pull_url, *NAME]
    # Nobody can push without a key, or what is not committed.
    ci.refuse("key to sign with", "share", "push", "--store", url, *NAME, **environment)
    key = ci.answer("share", "keygen")["key"]
    assert (ci.home / "share/key").stat().st_mode & 0o777 == 0o600
    (ci.clone / "private.py").write_text("password = 1\n")
    ci.refuse("private.py", "share", "push", "--store", url, *NAME, **environment)
    (ci.clone / "private.py").unlink()
    pushed = push()
    assert pushed["new_parts"] == pushed["parts"] > 0, pushed
    assert push()["new_parts"] == 0
    # A key that is not trusted is refused, and nothing is here afterwards.
    dev.refuse("not trusted", *pull, **environment)
    other = Machine(folder, "other", repository).answer("share", "keygen")["key"]
    dev.refuse("not trusted", *pull, "--trust", other, **environment)
    assert not list(dev.home.glob("projects/*/snapshots/*")), "something was taken in"
    dev.answer("share", "trust", key, "CI")
    assert dev.answer("share", "keys")["trusted"] == [{"key": key, "name": "CI"}]
    # What is damaged is refused, and its owner can make it good.
    damage()
    dev.refuse("damaged", *pull, **environment)
    assert ci.answer("share", "push", "--store", url, "--rewrite", *NAME, **environment)["new_parts"] == pushed["parts"]
    # The child starts from the index of its parent, and is what a cold ingest gives.
    status = dev.answer("share", "status", "--store", pull_url, *NAME, **environment)
    assert status["here"] is None and status["stored"]["distance"] == 1 and status["stored"]["key_name"] == "CI", status
    pulled = dev.answer(*pull, **environment)
    assert pulled["pulled"] and pulled["distance"] == 1 and 0 < pulled["files_linked"] < 20, pulled
    cold = Machine(folder, "cold")
    cold.clone = dev.clone
    assert dev.export() == cold.export(), "pulled and cold indexes differ"
    assert not list(dev.home.glob("share/transfer-*")), "files are left"
    # An index that is as near is kept.
    assert dev.answer(*pull, **environment)["pulled"] is False
    assert dev.answer(*pull, "--force", **environment)["fetched_parts"] == 0
    assert dev.export() == cold.export()


def serve_s3():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    environment = {
        "AWS_ENDPOINT": endpoint, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
    }
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")
    client.create_bucket(Bucket=BUCKET)
    return server, client, environment


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        repository = folder / "repository"
        build_repository(repository)
        server, client, s3 = serve_s3()

        def damage_objects():
            for row in client.list_objects_v2(Bucket=BUCKET)["Contents"]:
                if "/parts/" in row["Key"]:
                    body = client.get_object(Bucket=BUCKET, Key=row["Key"])["Body"].read()
                    client.put_object(Bucket=BUCKET, Key=row["Key"], Body=body[:-1])

        (folder / "s3").mkdir()
        check_store(folder / "s3", f"s3://{BUCKET}/team", repository, s3, damage_objects)
        print("S3: pushed, refused, pulled; equal to a cold ingest")

        def damage_files(store):
            for part in store.glob("*/parts/*/*"):
                part.write_bytes(part.read_bytes()[:-1])

        for name in ("file", "http"):
            place, store = folder / name, folder / name / "store"
            place.mkdir()
            url, web = store.as_uri(), None
            if name == "http":
                handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(store))
                handler.func.log_message = lambda *_: None
                web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
                threading.Thread(target=web.serve_forever, daemon=True).start()
            pull_url = f"http://127.0.0.1:{web.server_port}/" if web else None
            check_store(place, url, repository, {}, functools.partial(damage_files, store), pull_url)
            print(f"{name}: the same")
            if web:
                web.shutdown()
        check_without_store(folder, repository)
        server.stop()
    if len(sys.argv) > 2:
        measure(pathlib.Path(sys.argv[2]))


def check_without_store(folder, repository):
    """Without the store or the program, everything else works as before."""
    dev = Machine(folder, "offline", repository)
    dev.refuse("cannot be reached", "share", "pull", "--store", "http://127.0.0.1:1/", *NAME)
    dev.refuse("cannot be reached", "share", "pull", "--store", str(folder / "nowhere"), *NAME)
    assert dev.run("ingest").returncode == 0
    assert dev.run("callers", "f1").returncode == 0
    alone = folder / "alone"
    alone.mkdir()
    shutil.copy(PROGRAM, alone / "m1nd")
    done = subprocess.run([alone / "m1nd", "share", "keys"], env={"M1ND_HOME": str(dev.home), "PATH": "/nowhere"}, capture_output=True, text=True)
    assert done.returncode != 0 and "m1nd-fleet" in done.stderr and "install" in done.stderr, done.stderr
    print("offline and without m1nd-fleet: it says so, and the rest works")


def measure(source):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ci, dev, cold = Machine(folder, "ci", source), Machine(folder, "dev", source), Machine(folder, "cold")
        cold.clone = dev.clone
        store = (folder / "store").as_uri()
        git(ci.clone, "checkout", "--quiet", "HEAD~1")
        ci.answer("share", "keygen")

        def timed(what, work):
            before, start = os.times(), time.monotonic()
            answer = work()
            after = os.times()
            used = after.children_user + after.children_system - before.children_user - before.children_system
            print(f"{what:34} {time.monotonic() - start:7.2f} s, {used:7.2f} s of processors")
            return answer

        timed("cold ingest", lambda: cold.run("ingest", "--quiet"))
        first = timed("push of the parent, with its ingest", lambda: ci.answer("share", "push", "--store", store, *NAME))
        pull = ["share", "pull", "--store", store, "--trust", first["key"], *NAME]
        pulled = timed("pull of the child, with its ingest", lambda: dev.answer(*pull))
        git(ci.clone, "checkout", "--quiet", git(dev.clone, "rev-parse", "HEAD").strip())
        second = timed("push of the child", lambda: ci.answer("share", "push", "--store", store, *NAME))
        print("equal:", dev.export() == cold.export())
        for what, row in (("parent", first), ("child", second)):
            print(what, {name: row[name] for name in ("files", "parts", "new_parts", "bytes", "sent_bytes")})
        print({name: pulled[name] for name in ("distance", "files_linked", "fetched_parts", "fetched_bytes")})


main()
