// How the sources become static files that a strict content security policy allows.
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The theme is applied by a plain script that blocks, so that no page flashes in the wrong one. */
function themeFirst(): Plugin {
  const file = new URL("src/theme-first.js", import.meta.url);
  return {
    name: "theme-first",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "asset", name: "theme.js", source: readFileSync(file) });
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const theme = Object.values(bundle ?? {}).find((made) => made.name === "theme.js");
        if (!theme) throw new Error("the theme's script was not emitted");
        return [{ tag: "script", attrs: { src: `/${theme.fileName}` }, injectTo: "head-prepend" }];
      },
    },
  };
}

export default defineConfig({
  plugins: [themeFirst()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "node_modules/.pages",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
