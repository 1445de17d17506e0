import assert from "node:assert/strict";
import { it } from "node:test";
import { findViolations, openView, settle } from "./browser.mjs";

const PLACE = `/place?id=${encodeURIComponent("crates/base/src/cancel.rs::Cancel")}`;
const FILE = encodeURIComponent("file::crates/base/src/cancel.rs");
const ADDRESSES = { map: `/map?reveal=${FILE}&select=${FILE}`, place: PLACE, change: "/change", memory: "/memory", health: "/health", way: "/way" };
/** Widths of phones; 320 is the narrowest at which WCAG wants no scrolling in two directions. */
const PHONES = [390, 320];
/** The editor marks its focus a moment later. */
const FOCUS_MS = 40;

export function testAccess(shared) {
  for (const [view, path] of Object.entries(ADDRESSES)) {
    it(`has no violation in ${view}: dark, light and on a phone, which it fits`, async () => {
      const { page, close } = await openView(shared.browser, shared.server, path);
      await settle(page);
      assert.deepEqual(await findViolations(page), [], "dark");
      await page.emulateMedia({ colorScheme: "light" });
      await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
      assert.deepEqual(await findViolations(page), [], "light");
      for (const width of PHONES) {
        await page.setViewportSize({ width, height: 844 });
        await settle(page);
        const wide = await page.evaluate(() => [document.documentElement, document.querySelector("main")].map((e) => e.scrollWidth - e.clientWidth));
        assert.ok(Math.max(...wide) <= 0, `${Math.max(...wide)} pixels too wide at ${width}`);
      }
      assert.deepEqual(await findViolations(page), [], "phone");
      await close();
    });
  }

  it("shows where the focus is on everything that takes it", async () => {
    const { page, close } = await openView(shared.browser, shared.server, PLACE);
    await settle(page);
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press("Tab");
      await page.waitForTimeout(FOCUS_MS);
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
