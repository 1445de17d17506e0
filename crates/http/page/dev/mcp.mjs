// A session of the tools over standard input and output.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export function startTools(binary, root, home) {
  const child = spawn(binary, ["serve", "--stdio", "--root", root], {
    env: { ...process.env, M1ND_HOME: home },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map();
  let next = 1;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const send = (method, params) =>
    new Promise((resolve) => {
      const id = next++;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  const ready = send("initialize", {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "page", version: "1" },
  });
  return {
    async call(name, args) {
      await ready;
      const answer = await send("tools/call", { name, arguments: { agent_id: "page", ...args } });
      if (answer.error) return { failed: true, value: { error: answer.error.message } };
      const text = answer.result.content[0].text;
      let value;
      try {
        value = JSON.parse(text);
      } catch {
        value = { error: text };
      }
      return { failed: answer.result.isError === true, value };
    },
    async list() {
      await ready;
      return (await send("tools/list", {})).result.tools;
    },
    stop: () => child.kill(),
  };
}
