// Takes the pictures of docs/images: `make screenshots`. Usage: node screenshots.mjs BINARY FOLDER OUT
// FOLDER has recordings/tar-beside-postgres; OUT gets a picture of each view.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [binary, folder, out] = process.argv.slice(2);
const server = spawn(binary, ["serve", "recordings"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
const address = new Promise((found, failed) => {
  createInterface(server.stdout).on("line", (line) => line.includes("http://") && found(line.slice(line.indexOf("http://")).trim()));
  server.on("exit", (code) => failed(new Error(`serve ended with ${code}`)));
});
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });

/** One picture: what is shown, how large, and what has to be there before it is taken. */
async function take(state, base, { name, hash, width, height, dark, ready, before }) {
  const context = await browser.newContext({ storageState: state, viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  await page.goto(`${base}/${hash}`);
  await page.locator(ready).first().waitFor();
  await before?.(page);
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(join(out, `${name}.png`));
  await context.close();
}

try {
  const url = await address;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  const { origin: base } = new URL(url);
  const state = await context.storageState();
  await page.goto(`${base}/#/recordings`);
  const hash = await page.locator("tbody th a", { hasText: "tar-beside-postgres" }).first().getAttribute("href");
  await context.close();
  // A sample comes each second.
  const samples = (count) => (page) => page.waitForFunction((count) => Number(document.querySelector("figure[data-panel=memory]")?.dataset.points) >= count, count, { timeout: 120_000 });
  const drawn = ".plots[aria-busy=false] .overlay .node";
  const views = [
    { name: "recording", hash, width: 1400, height: 1180, ready: drawn },
    { name: "recording-dark", hash, width: 1400, height: 1180, dark: true, ready: drawn },
    { name: "recording-phone", hash, width: 360, height: 780, ready: drawn },
    { name: "live", hash: "#/live", width: 1400, height: 1000, dark: true, ready: ".live figure.plot", before: samples(45) },
    {
      name: "comparison",
      hash,
      width: 1400,
      height: 900,
      ready: drawn,
      before: async (page) => {
        await page.getByRole("link", { name: "Compare" }).click();
        await page.locator(".pair canvas").nth(3).waitFor();
      },
    },
  ];
  for (const view of views) await take(state, base, view);
} finally {
  await browser.close();
  server.kill();
}
