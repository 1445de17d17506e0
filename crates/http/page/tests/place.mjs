import assert from "node:assert/strict";
import { it } from "node:test";
import { openView, settle } from "./browser.mjs";

const SYMBOL = "crates/base/src/cancel.rs::Cancel";
const FILE = "crates/base/src/cancel.rs";

export function testPlace(shared) {
  const open = (id, more = "", options) => openView(shared.browser, shared.server, `/place?id=${encodeURIComponent(id)}${more}`, options);

  it("shows the code of a symbol with the numbers of its lines", async () => {
    const { page, close } = await open(SYMBOL);
    await settle(page);
    assert.match(await page.locator("h1").textContent(), /Cancel/);
    const code = page.locator(".code .cm-content");
    await code.waitFor();
    assert.match(await code.textContent(), /struct Cancel/);
    assert.ok(Number(await page.locator(".code .cm-lineNumbers .cm-gutterElement").nth(1).textContent()) > 1);
    assert.equal(await code.getAttribute("contenteditable"), "false");
    assert.equal(await page.locator("style").count(), 0);
    await close();
  });

  it("opens the line of each edge", async () => {
    const { page, close } = await open(SYMBOL);
    await page.locator("#callers .rows > li").first().waitFor();
    const evidence = page.locator("#callers .evidence-button").first();
    await evidence.focus();
    await page.keyboard.press("Enter");
    assert.equal(await evidence.getAttribute("aria-expanded"), "true");
    const hit = page.locator("#callers .lines .hit");
    await hit.waitFor();
    assert.match(await hit.textContent(), /Cancel/);
    await close();
  });

  it("shows what breaks, and leads to the map", async () => {
    const { page, close } = await open(SYMBOL);
    await page.locator("#breaks .breaks").first().waitFor();
    await page.locator('#breaks a[href^="/map"]').click();
    await page.waitForURL(/mark=/);
    await settle(page);
    await close();
  });

  it("shows uses, tests, documents, memory and history around it", async () => {
    const { page, close } = await open(SYMBOL);
    await settle(page);
    for (const id of ["callers", "callees", "breaks", "tests", "unresolved", "memory", "documents", "history"]) {
      assert.equal(await page.locator(`#${id}`).count(), 1, id);
    }
    assert.ok((await page.locator("#history .chart rect").count()) > 0);
    assert.match(await page.locator("#history .chart").getAttribute("aria-label"), /Commits by/);
    await close();
  });

  it("shows open references with their reasons", async () => {
    const { page, close } = await open(SYMBOL, "", {
      before: (p) =>
        p.route("**/api/tools/impact", async (route) => {
          const response = await route.fetch();
          const body = await response.json();
          const row = { node_id: "file::crates/base/src/cancel.rs", label: "cancel.rs", name: "is_set", role: "call", reason: "outside_receiver", file_path: "crates/base/src/cancel.rs", line: 20 };
          body.result.closure = { state: "blocked", why: "1 open reference may lead here", hiding: [row], total_hiding: 3 };
          await route.fulfill({ response, json: body });
        }),
    });
    await page.locator("#unresolved").getByText("outside receiver").first().waitFor();
    assert.match(await page.locator("#unresolved").textContent(), /1 of 3 open references are shown/);
    await close();
  });

  it("shows a file with what it defines", async () => {
    const { page, close } = await open(FILE);
    await page.locator("#outline .rows > li").first().waitFor();
    assert.match(await page.locator("#outline").textContent(), /Cancel/);
    await page.locator("#outline a.node").first().click();
    await page.waitForFunction((path) => !location.search.endsWith(path), encodeURIComponent(FILE));
    await settle(page);
    await close();
  });

  it("highlights the line of the address", async () => {
    const { page, close } = await open(FILE, "&line=12");
    const marked = page.locator(".code .cm-mark-hit");
    await marked.waitFor();
    await close();
  });

  it("says that a name does not exist", async () => {
    const { page, close } = await open("no/such/file.rs::Nothing", "", { allowErrors: true });
    await page.locator('[role="alert"]').first().waitFor();
    assert.match(await page.locator("main").textContent(), /no\/such\/file\.rs/);
    await close();
  });
}
