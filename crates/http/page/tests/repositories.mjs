// Repositories that the tests serve: a part of this one with its history, and one whose every name is a script.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Paths of this repository that the first project has, with their history. */
const PATHS = ["crates/base", "crates/graph", "docs"];

export function git(cwd, ...args) {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...identity, ...args], { cwd, stdio: ["ignore", "pipe", "ignore"] }).toString();
}

/** A part of this repository with its history; in the work tree, a type is renamed only where it is defined. */
export function cloneThisRepository(top, folder) {
  mkdirSync(folder);
  git(folder, "init", "--quiet");
  const history = execFileSync("git", ["fast-export", "HEAD", "--", ...PATHS], { cwd: top, maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] });
  execFileSync("git", ["fast-import", "--quiet", "--force"], { cwd: folder, input: history, stdio: ["pipe", "ignore", "ignore"] });
  const [branch] = git(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
  git(folder, "checkout", "--quiet", "--force", branch);
  const file = join(folder, "crates/base/src/cancel.rs");
  writeFileSync(file, readFileSync(file, "utf8").replace("pub struct Cancelled", "pub struct Stopped"));
  writeFileSync(join(folder, "crates/base/src/broken.rs"), "pub fn broken( {\n");
  return folder;
}

export const SCRIPTS = {
  file: `"><img src=x onerror=window.pwned=1>.js`,
  symbol: "<img src=x onerror=window.pwned=2>",
  heading: "<svg onload=window.pwned=3>",
  commit: "<script>window.pwned=4</script>",
  // git takes no angle brackets in a name; text that is decoded once too often would have them.
  author: "&lt;img src=x onerror=window.pwned=5&gt; x",
  trail: "<img src=x onerror=window.pwned=6>",
};

/** A project in which file, symbol, heading, commit and author are script. */
export function createHostileRepository(folder) {
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "src", SCRIPTS.file), `export class Attack {\n  "${SCRIPTS.symbol}"() {\n    return helper("</script><script>window.pwned=7</script>");\n  }\n}\nexport function helper(text) {\n  return text;\n}\n`);
  writeFileSync(join(folder, "src", "main.js"), `import { helper } from "./helper.js";\nexport function start() {\n  return helper("${SCRIPTS.symbol}");\n}\n`);
  writeFileSync(join(folder, "src", "helper.js"), "export function helper(text) {\n  return text;\n}\n");
  writeFileSync(join(folder, "README.md"), `# ${SCRIPTS.heading}\n\n\`helper\` and \`missingThing()\` in \`src/helper.js\`.\n`);
  git(folder, "init", "--quiet");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--author", `${SCRIPTS.author} <x@example.com>`, "-m", SCRIPTS.commit);
  return folder;
}

export const MEMORY = `# Memory

## 2026-10-02

### Decisions
- Cancellation is cooperative, since threads cannot be stopped: see \`crates/base/src/cancel.rs\`
- Text of the memory stays text: &lt;img src=x onerror=window.pwned=8&gt; <img src=x onerror=window.pwned=9>

### Learnings
- A snapshot is never written again once it is renamed into place

Decided to count plums. Learned that figs rot
`;
