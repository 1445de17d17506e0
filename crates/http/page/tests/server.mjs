// The server under test: `m1nd serve --http` on a repository. With PAGE_DEV=1, dist/ is served instead of the page in the
// program, which then need not be built after each change of the page.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MEMORY } from "./repositories.mjs";

const START_MS = 60_000;

export async function startServer({ binary, root, home, memory = false }) {
  mkdirSync(home, { recursive: true });
  const env = { ...process.env, M1ND_HOME: home, MIND_HOME: join(home, "mind"), M1ND_NO_DAEMON: "1" };
  if (memory) {
    execFileSync(binary, ["memory", "init", "--no-claude-md", root], { env, stdio: "ignore" });
    writeFileSync(join(root, ".mind", "MEMORY.md"), MEMORY);
  }
  execFileSync(binary, ["ingest", root], { env, stdio: "ignore" });
  const child = spawn(binary, ["serve", "--http", "127.0.0.1:0", "--root", root], { env, stdio: ["ignore", "ignore", "pipe"] });
  const address = await readAddress(child);
  const file = join(home, "http", "token");
  if (!existsSync(file)) throw new Error(`the server wrote no token to ${file}`);
  const token = readFileSync(file, "utf8").trim();
  // The server saves its index before it ends.
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill();
    });
  if (!process.env.PAGE_DEV) return { address, token, stop };
  const { startServer: startForDevelopment } = await import("../dev/server.mjs");
  const front = await startForDevelopment({ upstream: address });
  return { address: front.address, token, stop: () => { front.stop(); return stop(); } };
}

function readAddress(child) {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`the server did not start: ${text}`)), START_MS);
    child.stderr.on("data", (data) => {
      text += data;
      const match = /listening on (https?:\/\/\S+)/.exec(text);
      if (!match) return;
      clearTimeout(timer);
      resolve(match[1].replace(/\/$/, ""));
    });
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}
