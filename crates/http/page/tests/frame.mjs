import assert from "node:assert/strict";
import { it } from "node:test";
import { openView, settle } from "./browser.mjs";

export const VIEWS = {
  map: "Map",
  place: "Place",
  change: "What the work tree changed",
  memory: "Memory",
  health: "Health",
  way: "Ways of agents",
};
const HEALTH = "**/api/health";

/** Answers `/api/health` with these fields changed. */
async function changeHealth(page, fields) {
  await page.route(HEALTH, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...fields } });
  });
}

export function testFrame(shared) {
  const open = (path, options) => openView(shared.browser, shared.server, path, options);

  it("takes the token out of the address and keeps it for the tab", async () => {
    const { page, close } = await open("/map?color=language");
    await settle(page);
    assert.equal(new URL(page.url()).hash, "");
    assert.equal(new URL(page.url()).search, "?color=language");
    await page.reload();
    await page.waitForSelector(".map-list li");
    await close();
  });

  it("says how to open it without a token, and asks nothing", async () => {
    const { page, close } = await open("/map", { token: false, allowErrors: true });
    await page.getByText("m1nd open").waitFor();
    await close();
  });

  it("says that a wrong token is refused", async () => {
    const { page, close } = await open("/map", { token: "0".repeat(64), allowErrors: true });
    await page.getByText("Not signed in").waitFor();
    await close();
  });

  it("has a skip link that leads to the content", async () => {
    const { page, close } = await open("/health");
    await settle(page);
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "Skip to content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await close();
  });

  for (const [view, title] of Object.entries(VIEWS)) {
    it(`opens ${view} by its address, with a title and its link as current`, async () => {
      const { page, close } = await open(`/${view}`);
      await settle(page);
      assert.equal(await page.locator("main h1").first().textContent(), title);
      assert.equal((await page.locator('nav [aria-current="page"]').textContent()).toLowerCase(), view);
      await close();
    });
  }

  it("goes back and forward between views", async () => {
    const { page, close } = await open("/health");
    await settle(page);
    await page.locator('nav a[href="/memory"]').click();
    await page.waitForFunction(() => document.title.startsWith("Memory"));
    await page.goBack();
    await page.waitForFunction(() => document.title.startsWith("Health"));
    await page.goForward();
    await page.waitForFunction(() => document.title.startsWith("Memory"));
    await settle(page);
    await close();
  });

  it("names an address without a view, and links to the map", async () => {
    const { page, close } = await open("/nowhere");
    await page.getByText("There is no view at").waitFor();
    await close();
  });

  it("keeps the chosen colours, and else follows the system", async () => {
    const { page, close } = await open("/health", { theme: "light" });
    await settle(page);
    const read = () => page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);
    const light = await read();
    assert.equal(light[0], "light");
    await page.getByRole("button", { name: "Switch to dark colours" }).click();
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    assert.notEqual((await read())[1], light[1]);
    await page.reload();
    await settle(page);
    assert.equal((await read())[0], "dark");
    await close();
  });

  it("finds a symbol by keyboard alone, and opens its place", async () => {
    const { page, close } = await open("/health");
    await settle(page);
    await page.keyboard.press("/");
    await page.keyboard.type("Cancel");
    await page.locator('[role="option"]').first().waitFor();
    await page.keyboard.press("ArrowDown");
    const active = await page.locator('input[role="combobox"]').getAttribute("aria-activedescendant");
    assert.ok(active && (await page.locator(`[id="${active}"]`).getAttribute("aria-selected")) === "true");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/place?id=*");
    await settle(page);
    await close();
  });

  it("says that a search found nothing", async () => {
    const { page, close } = await open("/health", {
      before: (p) => p.route("**/api/tools/seek", (route) => route.fulfill({ json: { result: { results: [] } } })),
    });
    await settle(page);
    await page.locator('input[role="combobox"]').fill("qqqqqq");
    await page.getByText("Nothing found for").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".search-results").isVisible(), false);
    await close();
  });

  it("says that nothing is indexed, and how to index", async () => {
    const { page, close } = await open("/map", { before: (p) => changeHealth(p, { status: "empty", nodes: 0, edges: 0 }) });
    await page.getByRole("heading", { name: "Nothing is indexed yet" }).waitFor();
    assert.match(await page.locator("main").textContent(), /m1nd ingest/);
    await close();
  });

  it("shows how far an ingest is", async () => {
    const { page, close } = await open("/health", {
      before: (p) => changeHealth(p, { status: "indexing", progress: { done: 30, total: 120, stage: "parsing" } }),
    });
    await page.getByText("Indexing: parsing, 30 of 120").waitFor();
    assert.equal(await page.locator("progress").getAttribute("value"), "30");
    await close();
  });

  it("keeps the view when the server is gone, says so, and goes on when it is back", async () => {
    const { page, close } = await open("/health", { allowErrors: true });
    await settle(page);
    await page.route("**/api/**", (route) => route.abort());
    await page.locator('nav a[href="/memory"]').click();
    await page.getByText("the server does not answer").first().waitFor();
    await page.unroute("**/api/**");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("the server does not answer").first().waitFor({ state: "detached" });
    await close();
  });

  it("serves a policy without inline script and style, and no view breaks it", async () => {
    const response = await fetch(`${shared.server.address}/map`);
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), `${part} in ${policy}`);
    assert.doesNotMatch(policy, /unsafe/);
    const { page, close } = await open("/map", {
      before: (p) => p.addInitScript(() => addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`))),
    });
    for (const view of Object.keys(VIEWS)) {
      await page.locator(`nav a[href="/${view}"]`).click();
      await page.waitForFunction((v) => location.pathname === `/${v}`, view);
      await settle(page);
    }
    await close();
  });
}
