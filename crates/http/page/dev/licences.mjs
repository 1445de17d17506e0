// Writes THIRD-PARTY.txt: the licences of all packages that dist/ is bundled from. With `--check`, only compares.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "THIRD-PARTY.txt";
const RULE = "-".repeat(70);

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const bundled = Object.keys(lock.packages).filter((path) => path && !lock.packages[path].dev && existsSync(path));
const texts = new Map();
for (const path of bundled.sort()) {
  const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const file = readdirSync(path).find((name) => /^(licen[cs]e|copying)/i.test(name));
  const author = manifest.author?.name ?? manifest.author ?? "its authors";
  const text = file ? readFileSync(join(path, file), "utf8").trim() : `Licence: ${manifest.license}. Copyright: ${author}`;
  texts.set(text, [...(texts.get(text) ?? []), `${manifest.name} ${manifest.version} (${manifest.license})`]);
}
const parts = [...texts].map(([text, names]) => `${RULE}\n${names.join("\n")}\n${RULE}\n\n${text}\n`);
const whole = `The page of m1nd contains the following packages. Their licences follow.\n\n${parts.join("\n")}`;
if (!process.argv.includes("--check")) writeFileSync(FILE, whole);
else if (readFileSync(FILE, "utf8") !== whole) {
  console.error(`${FILE} does not list what dist/ is bundled from; run build.sh`);
  process.exit(1);
}
