import assert from "node:assert/strict";
import { it } from "node:test";
import { openView, settle } from "./browser.mjs";
import { git } from "./repositories.mjs";

/** Calls a tool as an agent would. */
async function callAs(server, agent_id, tool, args) {
  const response = await fetch(`${server.address}/api/tools/${tool}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ agent_id, ...args }),
  });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return body.result;
}

export function testViews(shared) {
  const open = (path, options) => openView(shared.browser, shared.server, path, options);

  it("shows what the work tree changed: files, dependents, tests, partners, documents", async () => {
    const { page, close } = await open("/change");
    await page.locator("#files td").first().waitFor();
    assert.match(await page.locator("#files").textContent(), /crates\/base\/src\/cancel\.rs/);
    for (const id of ["impact", "symbols", "broken", "partners", "tests", "drift"]) await page.locator(`#${id}`).waitFor();
    await close();
  });

  it("lists lines that still name what was removed", async () => {
    const { page, close } = await open("/change");
    await page.locator("#broken").getByText("Cancelled", { exact: true }).waitFor();
    await page.locator("#broken .evidence-button").first().click();
    assert.match(await page.locator("#broken .lines .hit").first().textContent(), /Cancelled/);
    await close();
  });

  it("compares commits that the form names", async () => {
    const changed = git(shared.root, "log", "-1", "--format=%H", "HEAD", "--", "crates/base").trim();
    const { page, close } = await open("/change");
    await page.locator(".form input").fill(`${changed}~1..${changed}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(/range=/);
    await page.locator("#files td").first().waitFor();
    assert.match(await page.locator("#files").textContent(), /crates\/base/);
    await settle(page);
    await close();
  });

  it("says that a commit does not exist", async () => {
    const { page, close } = await open("/change?range=no-such-branch", { allowErrors: true });
    await page.locator('[role="alert"]').waitFor();
    await close();
  });

  it("lists memories with their state, and finds them by meaning", async () => {
    const { page, close } = await open("/memory");
    await page.getByText("Cancellation is cooperative").first().waitFor();
    await page.getByLabel("Kind").selectOption("learning");
    await page.waitForURL(/type=learning/);
    await page.getByText("Cancellation is cooperative").first().waitFor({ state: "detached" });
    await page.getByText("A snapshot is never written again").first().waitFor();
    await close();
  });

  it("forgets a memory after it is confirmed", async () => {
    const { page, close } = await open("/memory");
    const row = page.locator("li", { hasText: "A snapshot is never written again" }).last();
    await row.getByRole("button", { name: /^Forget/ }).click();
    await row.getByRole("button", { name: "Keep it" }).click();
    await row.getByRole("button", { name: /^Forget/ }).click();
    await row.getByRole("button", { name: "Forget it" }).click();
    await page.getByText(/^Forgot/).waitFor();
    await page.locator("section, details").getByText("A snapshot is never written again").first().waitFor({ state: "detached" });
    await close();
  });

  it("lists a forgotten memory whose text stays, and shows it again", async () => {
    const { page, close } = await open("/memory");
    const row = page.locator("li", { hasText: "figs rot" }).last();
    await row.getByRole("button", { name: /^Forget/ }).click();
    await row.getByRole("button", { name: "Forget it" }).click();
    const forgotten = page.locator("#hidden li", { hasText: "figs rot" });
    await forgotten.getByText("forgotten", { exact: true }).waitFor();
    await forgotten.getByText(/MEMORY\.md/).waitFor();
    await forgotten.getByRole("button", { name: "Show again: figs rot" }).click();
    await page.getByText("is shown again").waitFor();
    await page.locator("#hidden").waitFor({ state: "detached" });
    await page.locator("#type-learning li", { hasText: "figs rot" }).waitFor();
    await close();
  });

  it("says how to create a memory where there is none", async () => {
    const { page, close } = await openView(shared.browser, shared.hostile, "/memory", { allowErrors: true });
    await page.getByText("m1nd memory init").waitFor();
    await close();
  });

  it("shows the index, its languages, and what was skipped and why", async () => {
    const { page, close } = await open("/health");
    await settle(page);
    assert.match(await page.locator("#languages").textContent(), /rust/);
    assert.match(await page.locator("#skipped").textContent(), /broken\.rs/);
    assert.ok((await page.locator("#checks .rows > li").count()) > 3);
    for (const id of ["index", "risks", "layers", "trust", "connected"]) assert.equal(await page.locator(`#${id}`).count(), 1, id);
    await close();
  });

  it("shows calls of an agent as they happen, and where it is", async () => {
    const { page, close } = await open("/way");
    await page.locator("#live").getByText("connected", { exact: true }).waitFor();
    await callAs(shared.server, "alice", "seek", { query: "cancel" });
    await page.locator("#live").getByText("alice").first().waitFor();
    await callAs(shared.server, "alice", "perspective_start", { query: "stop a long search" });
    await page.locator("#perspectives").getByText("stop a long search").first().waitFor();
    await page.locator("#live").getByRole("link", { name: "alice" }).first().click();
    await page.waitForURL(/agent=alice/);
    await page.getByRole("heading", { name: "Way of alice" }).waitFor();
    await close();
  });

  it("shows a saved trail with what still holds", async () => {
    await callAs(shared.server, "bob", "trail_save", {
      label: "How work stops",
      visited_nodes: [{ node_external_id: "file::crates/base/src/cancel.rs", annotation: "begin here" }],
      conclusions: [{ statement: "work asks whether it should stop", confidence: 0.9 }],
    });
    const { page, close } = await open("/way");
    await page.getByRole("link", { name: "How work stops" }).click();
    await page.waitForURL(/trail=/);
    await page.getByText("begin here").waitFor();
    await page.getByText("work asks whether it should stop").waitFor();
    await close();
  });
}
