import assert from "node:assert/strict";
import { it } from "node:test";
import { openView, settle } from "./browser.mjs";

const FILE = "file::crates/base/src/cancel.rs";

async function waitForPicture(page) {
  await page.locator(".canvas[data-drawn]").waitFor();
}

/** Opens the first closed container of the list whose name has this text. */
async function openInList(page, name) {
  await page.getByRole("button", { name: `Open ${name}`, exact: true }).first().click();
}

export function testMap(shared) {
  const open = (path, options) => openView(shared.browser, shared.server, path, options);

  it("draws packages first, and lists the same nodes", async () => {
    const { page, close } = await open("/map");
    await waitForPicture(page);
    const drawn = Number(await page.locator(".canvas").getAttribute("data-drawn"));
    assert.ok(drawn > 0 && drawn < 100, `${drawn} nodes at first`);
    assert.equal(await page.locator(".map-list .item-name:not(:disabled)").count(), await countNodes(page));
    assert.match(await page.locator(".hidden-note").textContent(), /Nothing is hidden|Hidden:/);
    await close();
  });

  it("opens and closes a container from the list, and the address says so", async () => {
    const { page, close } = await open("/map");
    await waitForPicture(page);
    const first = page.locator('.map-list .toggle[aria-expanded="false"]').first();
    await first.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/open=/);
    const opened = page.locator('.map-list .toggle[aria-expanded="true"]').first();
    await opened.waitFor();
    await opened.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !location.search.includes("open="));
    await close();
  });

  it("shows the same map at the same address", async () => {
    const path = `/map?reveal=${encodeURIComponent(FILE)}&select=${encodeURIComponent(FILE)}&color=language`;
    const read = async () => {
      const { page, close } = await open(path);
      await waitForPicture(page);
      await page.locator(".map-card").waitFor();
      const state = [await page.locator(".map-list").textContent(), await page.locator(".map-card h2").textContent(), await page.locator("select").inputValue()];
      await close();
      return state;
    };
    const first = await read();
    assert.match(first[1], /cancel\.rs/);
    assert.equal(first[2], "language");
    assert.deepEqual(await read(), first);
  });

  for (const [mode, expected] of Object.entries({ layer: /\w/, language: /rust/i, churn: /\d/, risk: /\d/, tier: /% certain/ })) {
    it(`colours by ${mode}, with a legend`, async () => {
      const { page, close } = await open("/map");
      await waitForPicture(page);
      await page.locator("select").selectOption(mode);
      await page.waitForFunction((m) => (m === "layer" ? !location.search.includes("color=") : location.search.includes(`color=${m}`)), mode);
      await page.waitForFunction((source) => new RegExp(source, "i").test([...document.querySelectorAll(".legend li")].map((l) => l.textContent).join(" ")), expected.source);
      await close();
    });
  }

  it("shows what a selected file uses, and opens the line of a bundled edge", async () => {
    const id = encodeURIComponent(FILE);
    const { page, close } = await open(`/map?reveal=${id}&select=${id}`);
    await page.locator(".map-card").waitFor();
    await page.locator(".map-card .edges button.small").first().click();
    await page.locator(".map-card .evidence .lines .hit").first().waitFor();
    await close();
  });

  it("finds by words, and reveals the result on the map", async () => {
    const { page, close } = await open("/map");
    await waitForPicture(page);
    await page.locator('input[role="combobox"]').fill("cancel");
    await page.locator('[role="option"]').first().click();
    await page.waitForURL(/reveal=/);
    await page.locator(".map-card").waitFor();
    await page.locator('.map-list [aria-pressed="true"]').waitFor();
    await close();
  });

  it("highlights what breaks, in the picture and in the list", async () => {
    const id = encodeURIComponent(FILE);
    const { page, close } = await open(`/map?reveal=${id}&select=${id}&mark=${id}`);
    await page.locator(".map-list .marked").first().waitFor();
    assert.match(await page.locator(".map-list .marked .item").first().textContent(), /breaks/);
    await page.getByRole("button", { name: /What breaks with/ }).click();
    await page.waitForFunction(() => !location.search.includes("mark="));
    await close();
  });

  it("zooms, opens and leaves by keyboard", async () => {
    const { page, close } = await open("/map");
    await waitForPicture(page);
    const canvas = page.locator(".canvas");
    await canvas.focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press("+");
    await page.locator('.canvas[data-level="-2"]').waitFor();
    await page.keyboard.press("0");
    await page.locator('.canvas[data-level="0"]').waitFor();
    await page.locator(".map-list .item-name:not(:disabled)").first().click();
    await page.locator(".map-card").waitFor();
    await canvas.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/open=|\/place/);
    await close();
  });

  it("says what is hidden, and what is not in the index", async () => {
    const { page, close } = await open("/map", {
      before: (p) =>
        p.route("**/api/map?*", async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), hidden: { nodes: 1234, edges: 1 }, unknown: ["file::gone.rs"] } });
        }),
    });
    await page.getByText("Hidden: 1,234 nodes, 1 edge. Not in the index: gone.rs.").waitFor();
    await close();
  });

  it("shows a failure of the layout, and tries again", async () => {
    let fail = true;
    const { page, close } = await open("/map", {
      allowErrors: true,
      before: (p) =>
        p.route("**/api/map?*", (route) => (fail ? route.fulfill({ status: 500, json: { error: "internal", message: "no layout" } }) : route.continue())),
    });
    await page.getByText("no layout").waitFor();
    fail = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await waitForPicture(page);
    await close();
  });

  it("lets a phone choose between picture and list", async () => {
    const { page, close } = await open("/map", { width: 390, height: 844 });
    await waitForPicture(page);
    assert.equal(await page.locator(".map-list").count(), 0);
    await page.getByRole("button", { name: "List", exact: true }).click();
    await page.locator(".map-list li").first().waitFor();
    await openInList(page, await page.locator(".map-list .item-label").first().textContent());
    await page.waitForURL(/open=/);
    await settle(page);
    await close();
  });

  it("draws the map in its time, and keeps up while it is moved", async () => {
    const { page, close } = await open("/map");
    await waitForPicture(page);
    const frames = await page.evaluate(async () => {
      const canvas = document.querySelector(".canvas");
      canvas.focus();
      const times = [];
      let last = performance.now();
      for (let i = 0; i < 40; i++) {
        canvas.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "ArrowLeft" : "ArrowRight", bubbles: true }));
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        times.push(now - last);
        last = now;
      }
      return times.sort((a, b) => a - b)[20];
    });
    assert.ok(frames < 100, `${frames} ms a frame at the median, drawn by software`);
    await close();
  });
}

function countNodes(page) {
  return page.evaluate(() => Number(/^([\d,]+) node/.exec(document.querySelector(".hidden-note").textContent)[1].replaceAll(",", "")));
}
