// Builds the page: index.html and hashed assets, each also compressed. `node build.mjs FOLDER` writes them there, else into the crate
// that embeds them. Prints their size; more than LIMIT fails.
import { build } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** Bytes of the whole page, compressed. */
const LIMIT = 300_000;
const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(process.argv[2] ?? join(here, "../crates/serve/page"));

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "assets"), { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.tsx", "src/page.css"],
  entryNames: "[name]-[hash]",
  outdir: join(dist, "assets"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "inline",
  metafile: true,
  logLevel: "warning",
});
const named = (start, end) => {
  const found = Object.keys(metafile.outputs).map((path) => path.split("/").pop()).find((name) => name.startsWith(start) && name.endsWith(end));
  if (!found) throw new Error(`the build wrote no ${start}*${end}`);
  return `assets/${found}`;
};
const index = readFileSync(join(here, "index.html"), "utf8")
  .replace("main.js", named("main-", ".js"))
  .replace("page.css", named("page-", ".css"));
writeFileSync(join(dist, "index.html"), index);

// The licences of what the page contains travel with it.
const { packages } = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
const contained = Object.keys(packages).filter((path) => path.startsWith("node_modules/") && !packages[path].dev);
const licences = contained.map((path) => `${path.slice("node_modules/".length)} ${packages[path].version}\n\n${readFileSync(join(here, path, "LICENSE"), "utf8").trim()}\n`);
writeFileSync(join(dist, "assets", "licences.txt"), licences.join("\n"));

let total = 0;
for (const path of ["index.html", ...readdirSync(join(dist, "assets")).map((name) => `assets/${name}`)]) {
  const compressed = gzipSync(readFileSync(join(dist, path)), { level: 9 });
  writeFileSync(join(dist, `${path}.gz`), compressed);
  total += compressed.length;
}
console.log(`page: ${total} bytes compressed (limit ${LIMIT})`);
if (total > LIMIT) {
  console.error("the page is larger than its limit");
  process.exit(1);
}
