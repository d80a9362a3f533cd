// Bundles the tests, which are TypeScript, and has node run them: `npm test -- unit` or `npm test -- browser`, both by default.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const tests = wanted.length ? wanted : ["unit", "browser"];
// Beside the modules that the bundles import.
const out = mkdtempSync(join(here, "../node_modules/.pagetide-"));
try {
  await build({
    entryPoints: tests.map((name) => join(here, `${name}.test.ts`)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    external: ["playwright-core", "axe-core"],
    logLevel: "warning",
  });
  const files = tests.map((name) => join(out, `${name}.test.mjs`));
  const only = process.env.PAGETIDE_TEST ? ["--test-name-pattern", process.env.PAGETIDE_TEST] : [];
  const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...only, ...files], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
