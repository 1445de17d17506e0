// Repositories that the tests serve: a part of this one with its history, and one whose every name is a script.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Folders of this repository that are checked out; the others are skipped, with their reason. */
const FOLDERS = ["crates/base", "crates/graph", "docs"];

export function git(cwd, ...args) {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...identity, ...args], { cwd, stdio: ["ignore", "pipe", "ignore"] }).toString();
}

/** A part of this repository, with one function renamed where it is defined and a memory. */
export function cloneThisRepository(top, folder) {
  execFileSync("git", ["clone", "--quiet", "--local", "--no-checkout", top, folder], { stdio: "ignore" });
  git(folder, "sparse-checkout", "set", ...FOLDERS);
  git(folder, "checkout", "--quiet");
  const file = join(folder, "crates/base/src/cancel.rs");
  writeFileSync(file, readFileSync(file, "utf8").replace("pub struct Cancelled", "pub struct Stopped"));
  return folder;
}

export const SCRIPTS = {
  file: `"><img src=x onerror=window.pwned=1>.js`,
  symbol: "<img src=x onerror=window.pwned=2>",
  heading: "<svg onload=window.pwned=3>",
  commit: "<script>window.pwned=4</script>",
  // git takes no angle brackets in a name; text that is decoded once too often would have them.
  author: "&lt;img src=x onerror=window.pwned=5&gt;",
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
`;
