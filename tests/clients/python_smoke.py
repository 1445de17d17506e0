"""Drives the built `m1nd` with the official Python MCP client, as an agent's host would.

Usage: python_smoke.py PATH/TO/m1nd [REPOSITORY]

Without a repository a small one is made. Exits with 1 and says what is wrong at the first difference.
"""

import asyncio
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client

AGENT = {"agent_id": "python-smoke"}

FIXTURE = {
    "shop/__init__.py": "",
    "shop/price.py": "def net(value):\n    return value * 2\n\n\ndef gross(value):\n    return net(value) + 1\n",
    "shop/order.py": "from shop.price import gross\n\n\nclass Order:\n    def total(self):\n        return gross(3)\n",
    "tests/test_order.py": "from shop.order import Order\n\n\ndef test_total():\n    assert Order().total() == 7\n",
    "README.md": "# Shop\n\nPrices and orders.\n",
    ".mind/MEMORY.md": "# Shop\n\n## Gotchas\n- Prices are in cents -> divide before showing\n\n## 2026-01-05\n"
    "**Decided:** round in `gross` because taxes are by line\n",
}

# The program that the tests of the tools index: the minimal call of every tool works on it.
PROGRAM = pathlib.Path(__file__).parent.parent / "fixtures" / "program.txt"

# Useful calls on the fixture, and a check of each answer. Every other tool is only called as `help` says.
CALLS = {
    "ingest": ({"path": "."}, lambda a: a["node_count"] > 0),
    "health": ({}, lambda a: a["node_count"] > 0),
    "help": ({"tool_name": "impact"}, lambda a: "impact" in json.dumps(a)),
    "search": ({"query": "gross"}, lambda a: "shop/price.py" in json.dumps(a)),
    "glob": ({"pattern": "*.py"}, lambda a: "shop/order.py" in json.dumps(a)),
    "view": ({"file_path": "shop/price.py"}, lambda a: "def net" in json.dumps(a)),
    "seek": ({"query": "gross price"}, lambda a: "gross" in json.dumps(a["results"])),
    "activate": ({"query": "gross price"}, lambda a: "total" in json.dumps(a["activated"])),
    "missing": ({"query": "gross price"}, lambda a: a["members"] > 0),
    "learn": (
        {"query": "gross price", "feedback": "correct", "node_ids": ["file::shop/price.py::fn::gross"]},
        lambda a: a["nodes_found"] == 1 and a["ledger_id"] > 0,
    ),
    "resonate": ({"node_id": "file::shop/price.py::fn::gross"}, lambda a: "net" in json.dumps(a["harmonics"])),
    "warmup": ({"task_description": "gross price"}, lambda a: a["primed_nodes"] > 0),
    "trace": (
        {"error_text": 'Traceback (most recent call last):\n  File "/srv/shop/price.py", line 6, in gross\nTypeError: x'},
        lambda a: "file::shop/price.py::fn::gross" in json.dumps(a["suspects"]),
    ),
    "scan": ({"pattern": "test_coverage"}, lambda a: a["files_scanned"] > 0),
    "why": (
        {"source": "file::shop/order.py::class::Order::fn::total", "target": "file::shop/price.py::fn::net"},
        lambda a: "file::shop/price.py::fn::gross" in json.dumps(a),
    ),
    "impact": ({"node_id": "file::shop/price.py::fn::net"}, lambda a: "Order" in json.dumps(a)),
    "mind_search": ({"query": "why do we round there"}, lambda a: "taxes" in json.dumps(a["results"][0])),
    "mind_edges": ({"intent": "show prices in cents to users"}, lambda a: a["result"][0]["source"] == "project"),
    "mind_add_global_edge": (
        {"title": "x", "description": "y", "workaround": "z", "detection": {"intent": ["frobnicate"]}},
        lambda a: a["id"].startswith("edge_") and a["verified_count"] == 0,
    ),
    "mind_status": ({}, lambda a: a["current_project"]["stats"]["decisions"] == 1),
}


def expect(condition, what):
    if not condition:
        raise SystemExit(f"FAILED: {what}")


def field(value, snake, camel):
    """The SDK renamed its fields between its versions."""
    return getattr(value, snake) if hasattr(value, snake) else getattr(value, camel)


def body(result):
    """The answer of a call and whether it is an error; where it has two forms, they have to be the same."""
    answer = field(result, "structured_content", "structuredContent")
    text = json.loads(result.content[0].text)
    if answer is None:
        # Sent once, to a client that was given no schema of it.
        answer = {"result": text} if isinstance(text, list) else text
    # A list is a list as text, and a member of an object as structure.
    expect(text == (answer["result"] if isinstance(text, list) else answer), "text and structure are the same")
    return answer, bool(field(result, "is_error", "isError"))


def program():
    """The files of PROGRAM: a line `//- PATH` starts each."""
    pieces = PROGRAM.read_text().split("//- ")[1:]
    return dict(piece.split("\n", 1) for piece in pieces)


def make_fixture(folder, files=FIXTURE):
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def make_large(folder, modules):
    """Enough code that an ingest can be observed and stopped."""
    for number in range(modules):
        functions = "\n".join(f"def f{number}_{k}(x):\n    return x + {k}\n" for k in range(40))
        imports = f"from m{number - 1} import f{number - 1}_0\n" if number else ""
        (folder / f"m{number}.py").write_text(imports + functions)


def server(binary, repository, home, *more):
    arguments = ["serve", "--stdio", "--root", str(repository), *more]
    return StdioServerParameters(command=binary, args=arguments, env={**os.environ, "M1ND_HOME": str(home), "MIND_HOME": str(home / "mind")})


async def wait_for_index(session, arguments=AGENT):
    for _ in range(6000):
        answer, _ = body(await session.call_tool("health", arguments))
        if answer["node_count"] > 0:
            return
        await asyncio.sleep(0.1)
    raise SystemExit("FAILED: the index was not built in the background")


async def session_on_fixture(binary, repository, home, own):
    async with stdio_client(server(binary, repository, home)) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        expect(field(hello, "server_info", "serverInfo").name == "m1nd-mcp", "the server's name")
        print("protocol", field(hello, "protocol_version", "protocolVersion"))
        await wait_for_index(session)
        tools = (await session.list_tools()).tools
        names = [tool.name for tool in tools]
        expect(set(CALLS) <= set(names), f"every expected tool is listed: {names}")
        if own:
            for name, (arguments, check) in CALLS.items():
                answer, is_error = body(await session.call_tool(name, {**AGENT, **arguments}))
                expect(not is_error, f"{name} answers: {answer}")
                expect(check(answer), f"{name} answers right: {json.dumps(answer)[:2000]}")
                print("ok", name)
        else:
            for name in ("health", "seek", "search", "glob"):
                arguments = {"query": "main", "pattern": "*"} if name != "health" else {}
                schema = next(field(tool, "input_schema", "inputSchema") for tool in tools if tool.name == name)
                arguments = {key: value for key, value in arguments.items() if key in schema["properties"]}
                started = time.monotonic()
                answer, is_error = body(await session.call_tool(name, {**AGENT, **arguments}))
                expect(not is_error, f"{name} answers: {answer}")
                print("ok", name, f"{(time.monotonic() - started) * 1000:.0f} ms", f"{len(json.dumps(answer))} bytes")
        await errors(session)
        if own:
            await resources_and_prompts(session)


async def resources_and_prompts(session):
    listed = [resource.uri for resource in (await session.list_resources()).resources]
    expect([str(uri) for uri in listed] == ["m1nd://overview", "m1nd://memory"], f"the resources: {listed}")
    templates = (await session.list_resource_templates()).resource_templates
    expect([template.name for template in templates] == ["file", "symbol"], f"the templates: {templates}")
    for uri, words in (
        ("m1nd://overview", "shop/price.py"),
        ("m1nd://memory", "Prices are in cents"),
        ("m1nd://file/shop/price.py", "5  def gross(value):"),
        ("m1nd://symbol/file::shop/price.py::fn::gross", "shop/order.py"),
    ):
        contents = (await session.read_resource(uri)).contents
        expect(words in contents[0].text, f"{uri} has {words!r}: {contents[0].text}")
    try:
        answer = await session.read_resource("m1nd://file/../x")
        raise SystemExit(f"FAILED: a file outside the root was read: {answer}")
    except MCPError as error:
        expect(error.error.code == -32002, f"the code of a resource that is not there: {error.error}")
    prompts = (await session.list_prompts()).prompts
    expect(len(prompts) == 4, f"the prompts: {prompts}")
    for prompt in prompts:
        arguments = {argument.name: "`gross`" for argument in prompt.arguments}
        message = (await session.get_prompt(prompt.name, arguments)).messages[0]
        expect(message.role == "user" and "`gross`" in message.content.text, f"{prompt.name}: {message}")
    print("ok resources and prompts")


# Tools whose answers have one form: the memory tools promise an exact schema.
ONE_FORM = ("mind_search", "mind_edges", "mind_add_global_edge", "mind_status")


async def minimal_calls(binary, folder):
    """Every listed tool answers the call that `help` gives as its smallest useful one, as JSON and as text."""
    for form in ("json", "text"):
        repository, home = folder / f"program-{form}", folder / f"home-program-{form}"
        make_fixture(repository, program())
        parameters = server(binary, repository, home, "--format", form)
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            await wait_for_index(session, {**AGENT, "format": "json"})
            # After `federate` all tools answer over the repositories that it names.
            for tool in sorted((await session.list_tools()).tools, key=lambda tool: tool.name == "federate"):
                manual, _ = body(await session.call_tool("help", {**AGENT, "tool_name": tool.name, "format": "json"}))
                call = manual["minimal_calls"][0]
                before = manual.get("calls_before", [])

                async def prepared(arguments):
                    for earlier in before:
                        await session.call_tool(earlier["tool"], earlier["arguments"])
                    arguments = await walking(session, arguments)
                    return await session.call_tool(call["tool"], arguments)

                result = await prepared(call["arguments"])
                if form == "json" or tool.name in ONE_FORM:
                    answer, is_error = body(result)
                    expect(not is_error, f"{call} answers: {answer}")
                elif overwrites(tool.annotations):
                    # It would find its own work done the second time.
                    lines(tool.name, result)
                else:
                    lines(tool.name, result)
                    # A call may ask for the other form.
                    again = {**call["arguments"], "format": "json"}
                    answer, is_error = body(await session.call_tool(call["tool"], await walking(session, again)))
                    if is_error:
                        # The first call used up what came before it.
                        answer, is_error = body(await prepared(again))
                    expect(not is_error, f"{call} answers as JSON: {answer}")
            print("ok minimal call of every tool as", form)


def overwrites(hints):
    """Whether a tool may destroy something, which is the protocol's default for one that writes."""
    reads = field(hints, "read_only_hint", "readOnlyHint")
    return not reads and field(hints, "destructive_hint", "destructiveHint") is not False


async def walking(session, arguments):
    """Arguments whose perspectives and previews, if they name any, exist: ids are random, so no example can have one."""
    if "preview_id" in arguments:
        edit = {"agent_id": arguments["agent_id"], "file_path": "notes.py", "new_content": "NOTE = 1\n"}
        preview, _ = body(await session.call_tool("edit_preview", {**edit, "format": "json"}))
        return {**arguments, "preview_id": preview["preview_id"]}
    if not any(name.startswith("perspective_id") for name in arguments):
        return arguments
    agent = {"agent_id": arguments["agent_id"], "format": "json"}

    async def ask(tool, **more):
        answer, is_error = body(await session.call_tool(tool, {**agent, **more}))
        expect(not is_error, f"{tool} answers: {answer}")
        return answer

    at = await ask("perspective_start", query="validate credentials")
    place = {"perspective_id": at["perspective_id"], "route_set_version": at["route_set_version"], "route_index": 1}
    at = await ask("perspective_follow", **place)
    named = {name: at["perspective_id"] for name in arguments if name.startswith("perspective_id")}
    if "route_set_version" in arguments:
        named["route_set_version"] = at["route_set_version"]
    return {**arguments, **named}


def lines(name, result):
    """Checks an answer as text: not empty, not JSON, and not the same again as structure."""
    text = result.content[0].text
    expect(not field(result, "is_error", "isError"), f"{name} answers: {text}")
    expect(text.strip() and not text.lstrip().startswith("{"), f"{name} answers with lines: {text}")
    expect(field(result, "structured_content", "structuredContent") is None, f"{name} sends its answer once")
    expect("\x1b" not in text, f"{name} has no escape codes: {text!r}")


async def errors(session):
    cases = [
        ("impact", AGENT, "invalid_params"),
        ("seek", {}, "invalid_params"),
        ("seek", {**AGENT, "query": True}, "invalid_params"),
        ("seek", {**AGENT, "query": "x", "bogus": 1}, "invalid_params"),
        ("no_such_tool", AGENT, "unknown_tool"),
        ("impact", {**AGENT, "node_id": "file::no/such/file.xyz"}, "node_not_found"),
    ]
    for name, arguments, code in cases:
        answer, is_error = body(await session.call_tool(name, arguments))
        expect(is_error and answer["code"] == code, f"{name} {arguments} is {code}: {answer}")
        expect(answer["error"] and answer["suggested_next_step"], f"the error says what to do: {answer}")
    print("ok errors")
    answer, is_error = body(await session.call_tool("health", {}))
    expect(not is_error and any(row["agent_id"] == "mcp" for row in answer["active_sessions"]), f"who called: {answer}")
    print("ok a call without agent_id")


async def progress_and_cancellation(binary, folder):
    repository, home = folder / "large", folder / "home-large"
    repository.mkdir()
    async with stdio_client(server(binary, repository, home, "--no-watch")) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        make_large(repository, 700)
        seen = []

        async def on_progress(progress, total, message):
            seen.append((progress, total, message))

        call = session.call_tool("ingest", {**AGENT, "path": "."}, progress_callback=on_progress)
        answer, is_error = body(await call)
        expect(not is_error, f"the ingest succeeds: {answer}")
        expect(seen, "progress was reported")
        expect(all(a[0] < b[0] for a, b in zip(seen, seen[1:])), f"progress grows: {seen}")
        counted = [re.fullmatch(r"[a-z ]+ (\d+) of (\d+)", message) for _, total, message in seen if total]
        expect(counted and all(counted), f"progress names stage, count and total: {seen}")
        print("ok progress:", len(seen), "notices, such as", seen[len(seen) // 2])

        before, _ = body(await session.call_tool("health", AGENT))
        for file in repository.glob("*.py"):
            file.write_text(file.read_text() + "\n\ndef added():\n    return 1\n")
        # A task that is cancelled makes the client send notifications/cancelled.
        task = asyncio.create_task(session.call_tool("ingest", {**AGENT, "path": "."}))
        await asyncio.sleep(0.2)
        task.cancel()
        try:
            await task
            print("note: the ingest was faster than its cancellation")
        except asyncio.CancelledError:
            started = time.monotonic()
            after, _ = body(await session.call_tool("health", AGENT))
            expect(after["node_count"] >= before["node_count"], "the index is intact after a cancelled ingest")
            print(f"ok cancellation, health answered after {(time.monotonic() - started) * 1000:.0f} ms")


class Agent:
    """One agent of a session, whose calls have to succeed or to fail with a given code."""

    def __init__(self, session, name):
        self.session, self.agent = session, {"agent_id": name, "format": "json"}

    async def ok(self, tool, **arguments):
        answer, is_error = body(await self.session.call_tool(tool, {**self.agent, **arguments}))
        expect(not is_error, f"{tool} {arguments} answers: {answer}")
        return answer

    async def fails(self, code, tool, **arguments):
        answer, is_error = body(await self.session.call_tool(tool, {**self.agent, **arguments}))
        expect(is_error and answer["code"] == code, f"{tool} {arguments} fails with {code}: {answer}")


async def explore(agent, query, other):
    """The workflow of docs/navigation.md; `other` may not touch the perspectives. Returns the nodes of the way."""
    start = await agent.ok("perspective_start", query=query)
    own = {"perspective_id": start["perspective_id"]}
    await agent.ok("perspective_routes", **own, page=1, page_size=3)
    first = {**own, "route_id": start["routes"][0]["route_id"], "route_set_version": start["route_set_version"]}
    why = await agent.ok("perspective_inspect", **first)
    expect(0 <= why["score_breakdown"]["anchor_relevance"] <= 1, f"the parts of a score: {why}")
    peek = await agent.ok("perspective_peek", **first)
    expect(len(json.dumps(peek["content"])) < 20_000, "a look is bounded")
    at = await agent.ok("perspective_follow", **first)
    now = {**own, "route_set_version": at["route_set_version"]}
    await agent.ok("perspective_suggest", **now)
    fork = await agent.ok("perspective_branch", **own, branch_name="the other way")
    branch = {"perspective_id": fork["branch_perspective_id"]}
    one = await agent.ok("perspective_follow", **now, route_id=at["routes"][0]["route_id"])
    await agent.ok("perspective_follow", **{**now, **branch}, route_id=at["routes"][1]["route_id"])
    ends = {"perspective_id_a": own["perspective_id"], "perspective_id_b": branch["perspective_id"]}
    both = await agent.ok("perspective_compare", **ends)
    shared = both["node_ids"]["shared"]
    expect(at["new_focus"] in shared, f"both went through {at['new_focus']}: {shared}")
    await other.fails("handle_not_yours", "perspective_back", **own)
    back = await agent.ok("perspective_back", **own)
    expect(back["routes"] == at["routes"], "back shows the routes of the stop before, exactly")
    for open_one in (own, branch):
        expect((await agent.ok("perspective_close", **open_one))["closed"], "a perspective is closed")
    return [at["new_focus"], one["new_focus"]]


async def two_agents(binary, folder):
    """Two agents explore, remember, lock and edit a real project at the same time: the source of this client."""
    import mcp

    repository, home = folder / "mcp", folder / "home-mcp"
    source = pathlib.Path(mcp.__file__).parent
    shutil.copytree(source, repository / "mcp", ignore=shutil.ignore_patterns("__pycache__"))
    parameters = server(binary, repository, home)
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await wait_for_index(session)
        ann, bob = Agent(session, "ann"), Agent(session, "bob")
        ways = await asyncio.gather(
            explore(ann, "how a request waits for its response", bob),
            explore(bob, "where a transport reads lines from standard input", ann),
        )
        expect(ways[0] != ways[1], f"each went its own way: {ways}")
        visited = [{"node_external_id": node, "annotation": "on the way"} for node in dict.fromkeys(ways[0])]
        trail = await ann.ok("trail_save", label="responses", visited_nodes=visited)
        resumed = await bob.ok("trail_resume", trail_id=trail["trail_id"])
        states = {row["state"] for row in resumed["nodes"]} if "nodes" in resumed else {"unchanged"}
        expect(states == {"unchanged"}, f"nothing changed since the trail: {resumed}")
        target = "mcp/shared/exceptions.py"
        lock = await ann.ok("lock_create", scope="node", root_nodes=[target], strict=True)
        text = (repository / target).read_text() + "\n# edited\n"
        await bob.fails("write_refused", "apply", file_path=target, new_content=text)
        await bob.fails("handle_not_yours", "lock_diff", lock_id=lock["lock_id"])
        await ann.ok("apply", file_path=target, new_content=text)
        await ann.ok("lock_diff", lock_id=lock["lock_id"])
        await ann.ok("lock_release", lock_id=lock["lock_id"])
        await bob.ok("apply", file_path=target, new_content=text + "# twice\n")
    print("ok two agents on", sum(1 for _ in repository.rglob("*.py")), "files")


def run_on_a_terminal(binary, arguments, repository, home, rows=0, **more):
    """The exit code of a run on a terminal of this many rows, and what the terminal shows."""
    ours, theirs = pty.openpty()
    if rows:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    environment = {**os.environ, "M1ND_HOME": str(home), "TERM": "xterm", **more}
    for name in ("NO_COLOR", "PAGER", "M1ND_PAGER"):
        if name not in more:
            environment.pop(name, None)
    process = subprocess.Popen([binary, *arguments], cwd=repository, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            break
        seen += piece
    os.close(ours)
    return process.wait(), seen.decode()


def on_a_terminal(binary, repository, home):
    """What a person sees: a bar, colours, and the help when nothing is asked."""
    for arguments, words in (([], "Commands:"), (["ingest"], "Most central"), (["status"], "generation"), (["doctor"], "is indexed")):
        code, text = run_on_a_terminal(binary, arguments, repository, home)
        expect(code == 0 and words in text, f"m1nd {arguments} works on a terminal: {text}")
        expect("\x1b[" in text, f"m1nd {arguments} is coloured on a terminal: {text!r}")
    print("ok terminal")
    search, pager = ["search", "gross"], "sed s/^/paged-/"
    cases = (
        ({}, [], 3, False, "no pager is chosen"),
        ({"PAGER": pager}, [], 3, True, "the answer is longer than the screen"),
        ({"PAGER": pager}, [], 60, False, "the answer fits"),
        ({"PAGER": pager}, ["--no-pager"], 3, False, "it was asked not to"),
        ({"PAGER": pager, "M1ND_PAGER": "cat"}, [], 3, False, "the own pager is none"),
        ({"M1ND_PAGER": pager}, [], 3, True, "the own pager"),
        ({"M1ND_PAGER": "/no/such/pager"}, [], 3, False, "the pager does not exist"),
    )
    for variables, flags, rows, is_paged, why in cases:
        code, text = run_on_a_terminal(binary, [*search, *flags], repository, home, rows, **variables)
        expect(code == 0 and ("paged-" in text) == is_paged, f"{why}: {text!r}")
        expect("shop/price.py" in text and "\x1b[35m" in text, f"the answer is shown in colour: {text!r}")
    for variables, flags in (({"NO_COLOR": "1"}, []), ({"TERM": "dumb"}, []), ({}, ["--color", "never"])):
        _, text = run_on_a_terminal(binary, [*search, *flags], repository, home, **variables)
        expect("shop/price.py" in text and "\x1b" not in text, f"no colours with {variables} {flags}: {text!r}")
    print("ok colours and pager")


async def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="m1nd-smoke-") as name:
        folder = pathlib.Path(name)
        if len(sys.argv) > 2:
            await session_on_fixture(binary, pathlib.Path(sys.argv[2]).resolve(), folder / "home", own=False)
            return
        repository = folder / "shop"
        make_fixture(repository)
        await session_on_fixture(binary, repository, folder / "home", own=True)
        await minimal_calls(binary, folder)
        await two_agents(binary, folder)
        on_a_terminal(binary, repository, folder / "home")
        await progress_and_cancellation(binary, folder)
    print("all fine")


asyncio.run(main())
