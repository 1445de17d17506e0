// Fails when the scripts, compressed one by one, exceed the budget.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const BUDGET = 250_000;
const folder = fileURLToPath(new URL("../dist/assets/", import.meta.url));
const total = readdirSync(folder)
  .filter((name) => name.endsWith(".js"))
  .reduce((sum, name) => sum + gzipSync(readFileSync(folder + name), { level: 9 }).length, 0);
console.log(`scripts: ${total} bytes compressed, of at most ${BUDGET}`);
if (total > BUDGET) process.exit(1);
