import { defineConfig } from "vite";

// sigma puts a `<style>` element into the page for a hint that this page does not use, and probes the CSS parser with
// two more. The content security policy refuses them, each with an error in the console: a template takes their place.
const STYLE_ELEMENT = 'createElement("style")';
const STYLE_ELEMENTS_OF_SIGMA = 2;

function removeStyleElements() {
  let replaced = 0;
  return {
    name: "remove-style-elements",
    apply: "build",
    transform(code, id) {
      if (!/node_modules\/sigma\/dist\/.*\.esm\.js$/.test(id) || !code.includes(STYLE_ELEMENT)) return undefined;
      replaced += code.split(STYLE_ELEMENT).length - 1;
      return { code: code.replaceAll(STYLE_ELEMENT, 'createElement("template")'), map: null };
    },
    buildEnd() {
      if (replaced !== STYLE_ELEMENTS_OF_SIGMA) {
        throw new Error(`sigma has ${replaced} style elements, expected ${STYLE_ELEMENTS_OF_SIGMA}: check its new version`);
      }
    },
  };
}

/** Removes comments and indentation from the shaders in sigma's strings: 10 % of its compressed size. */
function shortenShaders() {
  return {
    name: "shorten-shaders",
    apply: "build",
    transform(code, id) {
      if (!/node_modules\/sigma\/.*\.esm\.js$/.test(id)) return undefined;
      const short = code.replace(/"(?:[^"\\\n]|\\.)*"/g, (text) =>
        text.includes("\\n")
          ? text.replace(/[ ]*\/\/(?:[^"\\]|\\"|\\u....)*(?=\\n)/g, "").replace(/(?:\\n[ ]*)+/g, "\\n")
          : text,
      );
      return { code: short, map: null };
    },
  };
}

export default defineConfig({
  base: "/",
  plugins: [removeStyleElements(), shortenShaders()],
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
  },
});
