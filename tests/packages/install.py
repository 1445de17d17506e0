"""Installs each package of a folder into an empty place and does the main job with it: index a repository, list the calls
of a function, answer an MCP client. Of m1nd-fleet: push the index and start from it elsewhere. Prints the size of each package and the seconds from command to first answer.

    python3 tests/packages/install.py PACKAGES REPOSITORY FUNCTION
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

import registry

# Longest time of one command, in seconds.
LIMIT = 120
# Names of the packages of m1nd itself.
ARCHIVE, WHEEL = "m1nd-[0-9]*-linux-*.tar.gz", "m1nd-[0-9]*.whl"


class Skipped(Exception):
    """A tool of this machine is missing."""


class Place:
    """An empty folder to install into, with an environment that knows nothing of this user."""

    def __init__(self, folder, packages, repository, function):
        self.folder, self.packages = pathlib.Path(folder), packages
        self.repository, self.function = repository, function
        self.python_index, self.npm_registry = registry.start(packages)
        for name in ("home", "data", "cache", "cwd"):
            (self.folder / name).mkdir()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / "home"),
            "M1ND_HOME": str(self.folder / "data"),
            "M1ND_NO_DAEMON": "1",
            "TMPDIR": str(self.folder),
            "LANG": "C.UTF-8",
            "npm_config_registry": self.npm_registry,
            "npm_config_cache": str(self.folder / "cache/npm"),
            "npm_config_update_notifier": "false",
            "UV_CACHE_DIR": str(self.folder / "cache/uv"),
            "UV_DEFAULT_INDEX": self.python_index,
            "UV_PYTHON_DOWNLOADS": "never",
            "PIP_INDEX_URL": self.python_index,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_CACHE_DIR": "1",
        }

    def run(self, *command, code=0, **options):
        command = [str(word) for word in command]
        answer = subprocess.run(
            command, env=self.environment, cwd=self.folder / "cwd", capture_output=True, text=True, timeout=LIMIT, **options
        )
        if answer.returncode != code:
            raise AssertionError(f"{' '.join(command)}: {answer.returncode}\n{answer.stdout}\n{answer.stderr}")
        return answer.stdout

    def find(self, pattern):
        """The one package with this name."""
        files = sorted(self.packages.glob(pattern))
        assert len(files) == 1, f"{pattern}: {files}"
        return files[0]

    def unpack(self, pattern):
        with tarfile.open(self.find(pattern)) as archive:
            archive.extractall(self.folder)
        return self.folder / self.find(pattern).name.removesuffix(".tar.gz")


def need(tool):
    path = shutil.which(tool)
    if not path:
        raise Skipped(f"{tool} is not installed")
    return path


# Each way returns the commands with which `m1nd` and `mind` are started once installed, and the package.


def install_archive(place):
    top = place.unpack(ARCHIVE)
    for file in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt", "sbom.cdx.json", "man/man1/m1nd.1", "completions/_m1nd"):
        assert (top / file).stat().st_size > 0, file
    # Rust and the embedded page.
    licences = (top / "THIRD-PARTY.txt").read_text()
    for package in ("tree-sitter-rust ", "serde_json ", "preact "):
        assert f"\n{package}" in licences, package
    return [top / "m1nd"], [top / "mind"], ARCHIVE


def install_fleet(place):
    """m1nd with the program of `m1nd share` beside it, and the package of Python that runs m1nd over many repositories."""
    top, fleet = place.unpack(ARCHIVE), place.unpack("m1nd-fleet-[0-9]*-linux-*.tar.gz")
    for file in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt", "sbom.cdx.json", "README.md"):
        assert (fleet / file).stat().st_size > 0, file
    licences = (fleet / "THIRD-PARTY.txt").read_text()
    for package in ("object_store ", "tokio-postgres ", "rustls "):
        assert f"\n{package}" in licences, package
    place.run(top / "m1nd", "share", "keys", code=2)
    shutil.move(fleet / "m1nd-fleet", top)
    share_index(place, top / "m1nd")
    place.run(sys.executable, "-m", "venv", place.folder / "venv")
    python = place.folder / "venv/bin/python"
    place.run(python, "-m", "pip", "install", "--quiet", "--no-deps", "m1nd-fleet")
    place.run(python, "-c", "import m1nd_fleet.sql, m1nd_fleet.repositories")
    assert "sql/callers.sql" in place.run(python, "-m", "pip", "show", "--files", "m1nd-fleet")
    return [top / "m1nd"], [top / "mind"], "m1nd-fleet-[0-9]*-linux-*.tar.gz"


def share_index(place, m1nd):
    """Pushes the index of the repository to a folder, and starts from it in a clone with a home of its own."""
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", place.repository]
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "all"]):
        place.run(*git, *words)
    clone = place.folder / "clone"
    place.run("git", "clone", "--quiet", place.repository, clone)
    where = ["--store", place.folder / "store", "--repository", "example.org/a/b", "--json"]
    key = json.loads(place.run(m1nd, "share", "keygen", "--json"))["key"]
    place.run(m1nd, "share", "push", "--root", place.repository, *where)
    home = ["--home", place.folder / "other"]
    pulled = json.loads(place.run(m1nd, *home, "share", "pull", "--root", clone, "--trust", key, *where))
    assert pulled["pulled"] and pulled["files_linked"] == 0, pulled


def install_pip(place):
    place.run(sys.executable, "-m", "venv", place.folder / "venv")
    scripts = place.folder / "venv/bin"
    place.run(scripts / "pip", "install", "--quiet", "m1nd")
    assert "m1nd" in place.run(scripts / "pip", "show", "--files", "m1nd")
    return [scripts / "m1nd"], [scripts / "mind"], WHEEL


def run_uvx(place):
    uvx = os.environ.get("UVX") or need("uvx")
    return [uvx, "m1nd"], [uvx, "--from", "m1nd", "mind"], WHEEL


def install_npm(place):
    need("npm")
    place.run("npm", "install", "--prefix", place.folder / "npm", "--no-audit", "--no-fund", "m1nd")
    scripts = place.folder / "npm/node_modules/.bin"
    return [scripts / "m1nd"], [scripts / "mind"], "m1nd-linux-*.tgz"


def run_npx(place):
    need("npx")
    return ["npx", "--yes", "m1nd"], ["npx", "--yes", "--package=m1nd", "--", "mind"], "m1nd-linux-*.tgz"


def install_debian(place):
    need("dpkg-deb")
    root = place.folder / "root"
    place.run("dpkg-deb", "--extract", place.find("*.deb"), root)
    assert place.run("dpkg-deb", "--field", place.find("*.deb"), "Package").strip() == "m1nd"
    for file in ("man/man1/m1nd.1.gz", "doc/m1nd/copyright", "bash-completion/completions/m1nd"):
        assert (root / "usr/share" / file).stat().st_size > 0, file
    return [root / "usr/bin/m1nd"], [root / "usr/bin/mind"], "*.deb"


def install_bundle(place):
    """As a desktop client does: unpack, and start the server that the manifest names."""
    folder = place.folder / "bundle"
    with zipfile.ZipFile(place.find("*.mcpb")) as archive:
        archive.extractall(folder)
        for entry in archive.infolist():
            (folder / entry.filename).chmod(entry.external_attr >> 16)
    config = json.loads((folder / "manifest.json").read_text())["server"]["mcp_config"]
    fill = lambda word: word.replace("${__dirname}", str(folder)).replace("${user_config.root}", str(place.repository))
    place.server = [fill(word) for word in [config["command"], *config["args"]]]
    return place.server[:1], None, "*.mcpb"


WAYS = {
    "tar": install_archive,
    "fleet": install_fleet,
    "pip": install_pip,
    "uvx": run_uvx,
    "npm": install_npm,
    "npx": run_npx,
    "deb": install_debian,
    "mcpb": install_bundle,
}


def ask_server(place, command):
    """Asks over MCP who calls the function."""
    calls = [
        ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        ("tools/call", {"name": "callers", "arguments": {"agent_id": "t", "node_id": place.function}}),
    ]
    server = subprocess.Popen(
        command, env=place.environment, cwd=place.folder / "cwd", text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )
    try:
        for number, (method, parameters) in enumerate(calls):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            while True:
                answer = json.loads(server.stdout.readline())
                if answer.get("id") == number:
                    break
        return answer["result"]["content"][0]["text"]
    finally:
        server.stdin.close()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            raise AssertionError(f"{command[0]} does not end with its client") from None


def do_main_job(place, m1nd, mind):
    """Indexes the repository, asks a question on the command line and over MCP, and starts `mind`."""
    place.run(*m1nd, "ingest", place.repository)
    answer = place.run(*m1nd, "callers", place.function, "--root", place.repository)
    assert f"`{place.function}`" in answer and "calls of" in answer.splitlines()[0], answer
    first = time.monotonic()
    server = getattr(place, "server", None) or [*map(str, m1nd), "serve", "--stdio", "--format", "text", "--root", str(place.repository)]
    answer = ask_server(place, server)
    assert "calls of" in answer.splitlines()[0], answer
    if mind:
        assert "MEMORY.md" in place.run(*mind, "--help")
    # A wrong argument keeps its exit code through every launcher.
    place.run(*m1nd, "no-such-command", code=2)
    return first


def main():
    packages, repository = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    only = sys.argv[4:]
    for name, install in WAYS.items():
        if only and name not in only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "repository"
            shutil.copytree(repository, copy)
            place = Place(folder, packages, copy, sys.argv[3])
            start = time.monotonic()
            try:
                m1nd, mind, package = install(place)
            except Skipped as why:
                print(f"{name:5} skipped: {why}")
                continue
            first = do_main_job(place, m1nd, mind)
            size = place.find(package).stat().st_size
            print(f"{name:5} {size / 1e6:6.1f} MB  {first - start:5.1f} s from command to first answer", flush=True)


main()
