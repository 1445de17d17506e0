import assert from "node:assert/strict";
import { it } from "node:test";
import { findViolations, openView, settle } from "./browser.mjs";

const PLACE = `/place?id=${encodeURIComponent("crates/base/src/cancel.rs::Cancel")}`;
const FILE = encodeURIComponent("file::crates/base/src/cancel.rs");
const ADDRESSES = { map: `/map?reveal=${FILE}&select=${FILE}`, place: PLACE, change: "/change", memory: "/memory", health: "/health", way: "/way" };
/** The narrowest width at which WCAG wants no scrolling in two directions. */
const NARROWEST = 320;

export function testAccess(shared) {
  for (const [view, path] of Object.entries(ADDRESSES)) {
    for (const theme of ["dark", "light"]) {
      it(`has no violation in ${view}, ${theme}`, async () => {
        const { page, close } = await openView(shared.browser, shared.server, path, { theme });
        await settle(page);
        assert.deepEqual(await findViolations(page), []);
        await close();
      });
    }

    it(`fits a phone in ${view}, and a width of ${NARROWEST} pixels`, async () => {
      const { page, close } = await openView(shared.browser, shared.server, path, { width: 390, height: 844, theme: "light" });
      await settle(page);
      assert.deepEqual(await findViolations(page), []);
      for (const width of [390, NARROWEST]) {
        await page.setViewportSize({ width, height: 844 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        const inner = await page.evaluate(() => { const m = document.querySelector("main"); return m.scrollWidth - m.clientWidth; });
        assert.ok(wide <= 0 && inner <= 0, `${Math.max(wide, inner)} pixels too wide at ${width}`);
      }
      await close();
    });
  }

  it("shows where the focus is on everything that takes it", async () => {
    const { page, close } = await openView(shared.browser, shared.server, PLACE);
    await settle(page);
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press("Tab");
      const outline = await page.evaluate(() => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        const style = getComputedStyle(at.closest?.(".cm-editor") ?? at);
        return { name: at.outerHTML.slice(0, 80), width: parseFloat(style.outlineWidth), style: style.outlineStyle };
      });
      assert.ok(outline.style !== "none" && outline.width >= 2, `no outline on ${outline.name}`);
    }
    await close();
  });
}
