// Chromium, and pages of it that record what must not happen: errors, dialogs, requests to other hosts.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PROGRAMS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const WAIT_MS = 20_000;

export async function launch() {
  const executablePath = PROGRAMS.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("chromium is not installed");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
}

/** Opens a view. Options: width, height, theme, token (false: none), before (called with the page before it loads). */
export async function openView(browser, server, path, options = {}) {
  const { width = 1280, height = 720, theme = "dark", token = server.token, before, allowErrors = false } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce", hasTouch: width < 500 });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    // The page may be closed before.
    dialog.dismiss().catch(() => {});
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.address) && !url.startsWith("data:") && !url.startsWith("blob:")) problems.push(`request to ${url}`);
  });
  await before?.(page);
  await page.goto(`${server.address}${path}${token ? `#token=${token}` : ""}`);
  return {
    page,
    problems,
    async close() {
      const pwned = await page.evaluate(() => window.pwned).catch(() => undefined);
      // A request that is being answered fails once the page is closed, and nothing waits for its answer.
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
      assert.equal(pwned, undefined, "script of the repository ran");
      if (!allowErrors) assert.deepEqual(problems, []);
    },
  };
}

/** Waits until nothing loads. */
export async function settle(page) {
  await page.waitForSelector("main h1");
  await page.waitForFunction(() => !document.querySelector(".spinner, [aria-busy='true']"));
}

/** Violations of WCAG 2.2 A and AA. */
export async function findViolations(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  return violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(" ")} ${n.failureSummary?.split("\n")[1]?.trim() ?? ""}`).slice(0, 4).join("; ")}`);
}
