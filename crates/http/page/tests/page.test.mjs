// End-to-end tests of the page in Chromium. M1ND is the program under test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { testAccess } from "./access.mjs";
import { testFrame } from "./frame.mjs";
import { testHostileText } from "./hostile.mjs";
import { testMap } from "./map.mjs";
import { testPlace } from "./place.mjs";
import { cloneThisRepository, createHostileRepository, git } from "./repositories.mjs";
import { startServer } from "./server.mjs";
import { testViews } from "./views.mjs";

const binary = process.env.M1ND;
if (!binary) throw new Error("M1ND is not set, expected the path of the program");
const top = git(fileURLToPath(new URL(".", import.meta.url)), "rev-parse", "--show-toplevel").trim();

/** What all tests share; filled before the first. */
const shared = {};
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "m1nd-page-"));
  const root = cloneThisRepository(top, join(folder, "project"));
  shared.root = root;
  [shared.browser, shared.server, shared.hostile] = await Promise.all([
    launch(),
    startServer({ binary, root, home: join(folder, "home"), memory: true }),
    startServer({ binary, root: createHostileRepository(join(folder, "hostile")), home: join(folder, "hostile-home") }),
  ]);
});

after(async () => {
  await shared.browser?.close();
  await Promise.all([shared.server?.stop(), shared.hostile?.stop()]);
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Tests that run at once: most of their time is waiting for the server. */
const options = { concurrency: 2 };

describe("frame", options, () => testFrame(shared));
describe("map", options, () => testMap(shared));
describe("place", options, () => testPlace(shared));
describe("change, memory, health and way", options, () => testViews(shared));
describe("script in the repository", options, () => testHostileText(shared));
describe("access", options, () => testAccess(shared));
