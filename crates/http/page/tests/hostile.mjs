import assert from "node:assert/strict";
import { it } from "node:test";
import { openView, settle } from "./browser.mjs";
import { SCRIPTS } from "./repositories.mjs";

/** Elements that only script of the repository could have made. */
const INJECTED = "main img, main svg[onload], main script, [onerror], [onload]";

export function testHostileText(shared) {
  const open = (path) => openView(shared.browser, shared.hostile, path, { allowErrors: path === "/memory" });
  const file = `file::src/${SCRIPTS.file}`;
  const cases = [
    ["names of files on the map", `/map?reveal=${encodeURIComponent(file)}&select=${encodeURIComponent(file)}`, SCRIPTS.file],
    ["a symbol in the outline of its file", `/place?id=${encodeURIComponent(`src/${SCRIPTS.file}`)}`, SCRIPTS.symbol],
    ["a commit in the history", "/place?id=src/helper.js", SCRIPTS.commit],
    ["an author in the history", "/place?id=src/helper.js", SCRIPTS.author],
    ["a heading in the outline of a document", "/place?id=README.md", SCRIPTS.heading],
    ["what a shared address says", `/place?id=${encodeURIComponent(SCRIPTS.trail)}`, SCRIPTS.trail],
    ["a range of the address", `/change?range=${encodeURIComponent(SCRIPTS.trail)}`, SCRIPTS.trail],
    ["an agent of the address", `/way?agent=${encodeURIComponent(SCRIPTS.trail)}`, SCRIPTS.trail],
  ];
  for (const [what, path, text] of cases) {
    it(`keeps ${what} text`, async () => {
      const { page, close, problems } = await open(path);
      await page.waitForFunction((t) => document.querySelector("main")?.textContent.includes(t), text);
      await settle(page);
      assert.equal(await page.locator(INJECTED).count(), 0);
      // A name that does not exist is refused with a status that Chromium logs.
      problems.splice(0, problems.length, ...problems.filter((p) => !/status of 4\d\d/.test(p)));
      await close();
    });
  }

  it("keeps names in results of a search text", async () => {
    const { page, close } = await open("/health");
    await settle(page);
    await page.locator('input[role="combobox"]').fill("Attack");
    await page.locator('[role="option"]', { hasText: SCRIPTS.file }).first().waitFor();
    assert.equal(await page.locator(INJECTED).count(), 0);
    await close();
  });

  it("keeps text of the memory text", async () => {
    const { page, close } = await openView(shared.browser, shared.server, "/memory");
    await page.getByText("Text of the memory stays text").first().waitFor();
    assert.equal(await page.locator(INJECTED).count(), 0);
    await close();
  });
}
