"""A package index that holds only the packages of one folder, for pip, uv and npm. Everything else does not exist, so an
installation that needs the network fails."""

import base64
import hashlib
import http.server
import json
import pathlib
import tarfile
import threading
import urllib.parse


def read_npm_packages(folder, address):
    """What the registry says about each npm package: its manifest, with the address and the hash of its file."""
    packages = {}
    for file in sorted(folder.glob("*.tgz")):
        with tarfile.open(file) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
        digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
        manifest["dist"] = {"tarball": f"{address}/files/{file.name}", "integrity": f"sha512-{digest}"}
        name, version = manifest["name"], manifest["version"]
        packages[name] = {"name": name, "dist-tags": {"latest": version}, "versions": {version: manifest}}
    return packages


def start(folder):
    """Serves a folder, and returns the addresses for Python and for npm."""
    folder = pathlib.Path(folder)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = urllib.parse.unquote(self.path.split("?")[0])
            name = path.rstrip("/").rsplit("/", 1)[-1]
            if path.startswith("/files/") and (folder / name).is_file():
                return self.answer("application/octet-stream", (folder / name).read_bytes())
            if path.startswith("/simple/") and (wheels := sorted(folder.glob(f"{name.replace('-', '_')}-*.whl"))):
                links = "".join(f'<a href="/files/{wheel.name}">{wheel.name}</a>\n' for wheel in wheels)
                return self.answer("text/html", f"<!DOCTYPE html><html><body>{links}</body></html>".encode())
            if name in packages:
                return self.answer("application/json", json.dumps(packages[name]).encode())
            self.send_error(404)

        def answer(self, kind, body):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}"
    packages = read_npm_packages(folder, address)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"{address}/simple/", f"{address}/"
