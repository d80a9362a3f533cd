// Every view in the distribution's chromium, on the server at PAGETIDE_URL: crates/pagetide/tests/page.rs starts it and names what it serves.

import assert from "node:assert/strict";
import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from "playwright-core";
import { chromium } from "playwright-core";
import { CAPACITY } from "../src/live/history";

const url = process.env.PAGETIDE_URL ?? "";
const base = new URL(url).origin;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser: Browser;
/** The cookie that the printed address was exchanged for. */
let state: Awaited<ReturnType<BrowserContext["storageState"]>>;

function executable(): string {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const found = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  assert.ok(found, "no chromium on this machine to look at the page with: apt-get install -y chromium");
  return found;
}

before(async () => {
  browser = await chromium.launch({ executablePath: executable(), args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
  const context = await browser.newContext();
  await (await context.newPage()).goto(url);
  state = await context.storageState();
  await context.close();
});
after(() => browser?.close());

interface View {
  page: Page;
  /** What the page did that it must not: errors, warnings, refused resources, requests to elsewhere. */
  faults: string[];
}

/** Opens an address of the page, has `look` look at it, and closes it. A fault of the page fails the test. */
async function at(hash: string, look: (view: View) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1400, height: 900 }, ...options });
  // Longer than anything takes on a busy machine.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => !request.url().startsWith(base) && !request.url().startsWith("data:") && faults.push(`request: ${request.url()}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  try {
    await page.goto(`${base}/${hash}`);
    await look({ page, faults });
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}

const text = (page: Page, selector: string) => page.locator(selector).first().innerText();

/** Waits until the first of `selector` shows a text. The page's policy allows no evaluation of text while it runs. */
const shows = (page: Page, selector: string, wanted: RegExp) => page.locator(selector).filter({ hasText: wanted }).first().waitFor();

/** The address of the recording called `name` in the list. */
async function recording(name: string): Promise<string> {
  let hash = "";
  await at("#/recordings", async ({ page }) => {
    hash = (await page.locator("tbody th a", { hasText: name }).first().getAttribute("href")) ?? "";
  });
  assert.match(hash, /^#\/recording\/[a-z0-9-]+$/);
  return hash;
}

/** Waits until a recording is drawn: its plots, its table and its diagnosis, each of which is an answer of its own. */
async function drawn(page: Page): Promise<void> {
  await page.locator(".verdict:not(:has([role=status]))").first().waitFor();
  await page.locator(".plots[aria-busy=false] figure.plot canvas").first().waitFor();
  await page.locator(".table tbody tr, p.long").first().waitFor();
}

async function serious(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })")) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.failureSummary}`));
}

test("live: samples arrive, are drawn, pause and continue", async () => {
  await at("#/live", async ({ page }) => {
    const points = async () => Number(await page.locator("figure[data-panel=memory]").getAttribute("data-points"));
    await page.waitForFunction(() => Number(document.querySelector<HTMLElement>("figure[data-panel=memory]")?.dataset.points) >= 3);
    assert.match(await text(page, "h1"), /\d/, "the first line has numbers");
    assert.ok((await points()) <= CAPACITY);
    assert.match(await text(page, "figure[data-panel=memory] .legend"), /anonymous\s+[\d.]+ [KMG]iB/);
    assert.ok((await page.locator("section.table", { hasText: "Processes" }).locator("tbody tr").count()) > 3);

    await page.getByRole("button", { name: "Pause" }).click();
    await shows(page, ".actions", /paused/);
    // Whether pages are reclaimed, swapped or waited for is up to the machine: a plot is drawn, or named as zero.
    const plots = { memory: "Memory", reclaim: "Reclaim", swap: "Swap", pressure: "Pressure (PSI some)" };
    const zero = (await page.locator("p.quiet").allInnerTexts()).join();
    for (const [panel, title] of Object.entries(plots)) {
      const drawn = await page.locator(`figure[data-panel=${panel}] canvas`).count();
      assert.equal(drawn, zero.includes(title) ? 0 : 1, `${title}: ${zero}`);
    }
    const frozen = await points();
    const clock = await text(page, ".actions .time");
    // Two more samples of the stream pass by.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 2100)));
    assert.equal(await points(), frozen);
    assert.equal(await text(page, ".actions .time"), clock);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForFunction((then) => document.querySelector<HTMLElement>(".actions .time")?.innerText !== then, clock);
  });
});

test("live: the space bar pauses, a length and an order are chosen", async () => {
  await at("#/live", async ({ page }) => {
    await page.locator(".live figure.plot canvas").first().waitFor();
    await page.locator("h1").first().click();
    await page.keyboard.press("Space");
    await shows(page, ".actions", /paused/);
    await page.keyboard.press("Space");
    await shows(page, ".actions", /live/);
    await page.getByRole("button", { name: "1 min", exact: true }).click();
    assert.equal(await page.getByRole("button", { name: "1 min", exact: true }).getAttribute("aria-pressed"), "true");
    const processes = page.locator("section.table", { hasText: "Processes" });
    const column = processes.locator("thead button").nth(2);
    await column.click();
    await processes.locator("th[aria-sort=descending]").first().waitFor();
    assert.equal(await processes.locator("th[aria-sort=descending]").count(), 1);
    assert.deepEqual(await serious(page), []);
  });
});

test("live: a stream that breaks is opened again", async () => {
  await at("#/live", async ({ page, faults }) => {
    await page.locator(".live figure.plot").first().waitFor();
    await page.route("**/api/live/stream", (route) => route.fulfill({ status: 503, body: "" }));
    await page.reload();
    await page.waitForRequest("**/api/live/stream");
    await page.unroute("**/api/live/stream");
    await page.locator(".live figure.plot").first().waitFor();
    // The browser reports the refused stream by itself.
    faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes("503")));
  });
});

test("recordings: all are listed; one that cannot be read says why", async () => {
  await at("#/recordings", async ({ page }) => {
    assert.match(await text(page, "h1"), /^\d+ recordings of \d+ hosts?; 1 cannot be read\.$/);
    assert.match(await text(page, "td.bad"), /.+ hint: .+/s);
    const row = page.locator("tbody tr").filter({ has: page.getByRole("link", { name: "flood", exact: true }) });
    await row.locator("td.cause").filter({ hasText: /^stream-floods-cache/ }).waitFor();
    await row.locator("td.num").filter({ hasText: /\d (m?s|min)/ }).first().waitFor();
    await page.getByLabel("Filter recordings").fill("no such name");
    assert.equal(await page.locator("tbody tr").count(), 0);
  });
});

test("a recording: verdict first, plots, the chain over them, evidence that marks its stretch", async () => {
  await at(await recording("flood"), async ({ page }) => {
    await drawn(page);
    await page.locator(".overlay .node").first().waitFor();
    assert.match(await text(page, ".verdict h1"), /^Incident [\d.]+ m?s lost in .*, by .+\. .*backup .* reads [\d.]+ MiB\/s from vdb\.$/);
    assert.equal(await page.locator("figure.plot").first().getAttribute("data-panel"), "lost", "what was lost comes first");
    assert.match(await text(page, "figure[data-panel=lost]"), /^Time lost by .+, by what it waited for\s.*(memory|device|CPU|requests|unexplained).* [\d.]+ %/s);
    const stages = await page.locator("ol.chain li").count();
    assert.ok(stages >= 5);
    assert.equal(await page.locator(".overlay .node").count(), stages, "each stage stands on a plot");
    assert.equal(await page.locator(".overlay .arrow").count(), stages - 1);

    // One colour for the culprit: in the sentence, in the legend and in the table.
    const colours = await page.evaluate(() => {
      const colour = (selector: string) => getComputedStyle(document.querySelector(selector)!).color;
      return [colour(".verdict .name.culprit"), colour(".hue-culprit"), colour("tr.culprit th")];
    });
    assert.equal(new Set(colours).size, 1, colours.join(" "));
    assert.match(await text(page, "tr.culprit"), /backup/);

    const finding = page.locator("article.finding").first();
    await finding.locator("summary").click();
    await page.waitForURL(/finding=/);
    await finding.locator(".evidence tr").first().hover();
    assert.equal(await page.locator(".overlay .stretch.pointed").count(), 1);
    await page.locator("h1").first().hover();
    assert.equal(await page.locator(".overlay .stretch.pointed").count(), 0);
    assert.ok(await finding.locator(".advice").count());
  });
});

test("a recording: zoom and pan ask the server, and the address restores them", async () => {
  let copied = "";
  let range = "";
  await at(await recording("month"), async ({ page }) => {
    await drawn(page);
    assert.match(await text(page, ".facts"), /the mean of .* minimum and maximum/);
    const box = (await page.locator("figure.plot .u-over").first().boundingBox())!;
    // The length of the range that a request for series is about.
    const length = (request: Request) => {
      const { pathname, searchParams } = new URL(request.url());
      return pathname.endsWith("/series") ? Number(searchParams.get("to")) - Number(searchParams.get("from")) : Number.NaN;
    };
    const whole = 30 * 24 * 3600 * 1000;
    const asked = page.waitForRequest((request) => length(request) < whole / 5);
    await page.mouse.move(box.x + box.width * 0.4, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 30, { steps: 4 });
    await page.mouse.up();
    const first = length(await asked);
    await page.waitForURL(/from=\d+&to=\d+/);

    await page.locator(".linked").focus();
    for (const [key, factor] of [["+", 0.5], ["Shift+ArrowRight", 0.5], ["-", 1]] as const) {
      const again = page.waitForRequest((request) => Math.abs(length(request) / first - factor) < 0.01);
      await page.keyboard.press(key);
      await again;
    }
    // Down to the samples themselves.
    for (let press = 0; press < 12; press += 1) await page.keyboard.press("+");
    await shows(page, ".facts", /a point is\s*a sample/);
    await page.keyboard.press("ArrowRight");
    assert.match(await text(page, ".ruler .now"), /^\d{4}-\d\d-\d\d \d\d:\d\d/);
    copied = new URL(page.url()).hash;
    range = await page.locator("input.moment").first().inputValue();
    await page.goBack();
    await page.waitForFunction((then) => document.querySelector<HTMLInputElement>("input.moment")?.value !== then, range);
  });
  await at(copied, async ({ page }) => {
    await drawn(page);
    assert.equal(await page.locator("input.moment").first().inputValue(), range);
  });
});

test("a recording of real programs: every key, the wheel and the double click", async () => {
  await at(await recording("tar"), async ({ page }) => {
    await drawn(page);
    const now = page.locator(".ruler .now");
    const inputs = () => page.locator("input.moment").evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value));
    const whole = await inputs();
    const isWhole = () => page.waitForFunction((wanted) => [...document.querySelectorAll<HTMLInputElement>("input.moment")].map((input) => input.value).join() === wanted, whole.join());
    /** Does something and waits until another range is shown: its milliseconds. */
    const ranged = async (act: () => Promise<void>): Promise<[number, number]> => {
      const before = page.url();
      await act();
      await page.waitForURL((url) => url.href !== before);
      const query = new URLSearchParams(page.url().split("?")[1] ?? "");
      return [Number(query.get("from")), Number(query.get("to"))];
    };
    await page.locator(".linked").focus();
    await page.keyboard.press("Home");
    const first = await now.innerText();
    await page.keyboard.press("End");
    const last = await now.innerText();
    assert.ok(first < last, `${first} ${last}`);
    await page.keyboard.press("ArrowLeft");
    assert.ok((await now.innerText()) <= last);
    await page.keyboard.press("Escape");
    assert.equal(await now.isVisible(), false, "the crosshair is gone");

    const half = await ranged(() => page.keyboard.press("+"));
    const later = await ranged(() => page.keyboard.press("PageDown"));
    assert.ok(later[0] > half[0] && later[1] > half[1], `${half} ${later}`);
    const moved = await ranged(() => page.keyboard.press("Shift+ArrowLeft"));
    assert.ok(moved[0] < later[0]);
    const earlier = await ranged(() => page.keyboard.press("PageUp"));
    assert.ok(earlier[0] < moved[0]);
    await page.keyboard.press("0");
    await isWhole();

    const box = (await page.locator("figure.plot .u-over").first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.down("Control");
    const wheeled = await ranged(() => page.mouse.wheel(0, -240));
    await page.keyboard.up("Control");
    await page.keyboard.down("Shift");
    const shifted = await ranged(() => page.mouse.wheel(0, 240));
    await page.keyboard.up("Shift");
    assert.ok(shifted[0] > wheeled[0] && Math.abs(shifted[1] - shifted[0] - (wheeled[1] - wheeled[0])) < 1000, `${wheeled} ${shifted}`);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await isWhole();
  });
});

test("a copied address shows the same range, finding, table, order and chain", async () => {
  const state = async (page: Page) => ({
    range: await page.locator("input.moment").evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value)),
    finding: await page.locator("article.finding details[open] summary").first().innerText(),
    table: await page.locator(".tabs [aria-pressed=true]").innerText(),
    order: await page.locator("section.table th[aria-sort=descending]").innerText(),
    chain: await page.getByRole("button", { name: "Chain" }).getAttribute("aria-pressed"),
  });
  let copied = "";
  let then: Awaited<ReturnType<typeof state>> | undefined;
  await at(await recording("flood"), async ({ page }) => {
    await drawn(page);
    await page.locator("article.finding").nth(1).locator("summary").first().click();
    await page.waitForURL(/finding=1/);
    await page.getByRole("button", { name: "Disks" }).click();
    await page.locator("section.table").filter({ has: page.locator("h3", { hasText: "Disks" }) }).waitFor();
    await page.locator("section.table thead button").nth(2).click();
    await page.waitForURL(/sort=/);
    await page.getByRole("button", { name: "Chain" }).click();
    await page.waitForURL(/chain=0/);
    await page.locator(".linked").focus();
    await page.keyboard.press("+");
    await page.waitForURL(/from=\d+/);
    await drawn(page);
    assert.equal(await page.locator(".overlay .node").count(), 0, "the chain is not drawn");
    assert.deepEqual(await serious(page), []);
    then = await state(page);
    copied = new URL(page.url()).hash;
  });
  await at(copied, async ({ page }) => {
    await drawn(page);
    await page.locator("section.table th[aria-sort=descending]").waitFor();
    assert.deepEqual(await state(page), then);
  });
});

test("a file of pagetide cut: what it says of itself is text beside the diagnosis of this page", async () => {
  await at(await recording("told.pagetide"), async ({ page }) => {
    await drawn(page);
    assert.match(await text(page, ".verdict h1"), /reads [\d.]+ MiB\/s/, "computed here");
    const told = page.locator("details.in-file");
    assert.match(await told.locator("summary").innerText(), /^According to the file, pagetide 9\.9 diagnosed something else/);
    await told.locator("summary").click();
    assert.match(await told.innerText(), /Nothing is wrong\. <img src=x onerror=alert\(1\)>\\x1b\[2J/);
    assert.equal(await page.locator("main img").count(), 0);
    assert.deepEqual(await serious(page), []);
  });
});

test("an import: the plots of its disks, its zone, and which plots it has nothing for", async () => {
  await at(await recording("sar"), async ({ page }) => {
    await page.locator("figure.plot[data-panel=busy] canvas").waitFor();
    await shows(page, "figure.plot[data-panel=busy] .legend", /vda/);
    assert.match(await text(page, ".ends"), /\+02/);
    assert.match(await text(page, ".missing"), /^No data for these plots: Cache hits\.$/);
  });
});

test("a recording: a range is written as times, and what is no time is refused", async () => {
  await at(await recording("flood"), async ({ page }) => {
    await drawn(page);
    const from = page.locator("input.moment").first();
    const was = await from.inputValue();
    await from.fill("soon");
    assert.equal(await from.getAttribute("aria-invalid"), "true");
    assert.ok(await page.getByRole("button", { name: "show" }).isDisabled());
    await from.fill(was.replace(/:(\d\d)(\.\d)?$/, (_, seconds: string) => `:${String(Math.min(59, Number(seconds) + 1)).padStart(2, "0")}`));
    await from.press("Enter");
    await page.waitForURL(/from=/);
  });
});

test("names that others choose show as text, also ten thousand of them", async () => {
  await at(await recording("hostile"), async ({ page }) => {
    await drawn(page);
    const hostile = /<img src=x onerror=alert\(1\)>\\x1b\[2J\\u\{202e\}/;
    assert.match(await text(page, ".table tbody"), hostile);
    await page.getByRole("button", { name: "Control groups" }).click();
    await shows(page, "section.table header", /of 10001/);
    assert.ok((await page.locator(".table tbody tr").count()) <= 50);
    assert.equal(await page.locator("main img, main script, main b[onclick]").count(), 0);
    for (const tab of ["Disks", "Zones", "Processes"]) await page.getByRole("button", { name: tab }).click();
  });
});

test("two ranges beside each other, with the largest difference first", async () => {
  const id = (await recording("flood")).split("/").pop()!;
  const other = (await recording("month")).split("/").pop()!;
  await at(`#/compare?a=${id}&b=${other}`, async ({ page }) => {
    await page.locator(".pair .plot canvas").nth(1).waitFor();
    await shows(page, "h1", /in B and .* in A/);
    assert.ok((await page.locator(".differences tbody tr").count()) > 3);
    await page.getByLabel("Recording B").selectOption(id);
    await page.waitForURL(new RegExp(`b=${id}`));
    await shows(page, "h1", /No mean differs/);
  });
});

test("two hosts: each has its own range, and the address restores both", async () => {
  const a = (await recording("flood")).split("/").pop()!;
  const b = (await recording("tar")).split("/").pop()!;
  let copied = "";
  let ranges: string[] = [];
  const moments = (page: Page) => page.locator("input.moment").evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value));
  await at(`#/compare?a=${a}&b=${b}`, async ({ page }) => {
    await page.locator(".pair .plot canvas").nth(1).waitFor();
    const from = page.locator("input.moment").nth(2);
    const was = await from.inputValue();
    await from.fill(was.replace(/:(\d\d)(\.\d)?$/, (_, seconds: string) => `:${String(Math.min(59, Number(seconds) + 9)).padStart(2, "0")}`));
    await from.press("Enter");
    await page.waitForURL(/bf=\d+/);
    await page.locator(".pair .plot canvas").nth(1).waitFor();
    await shows(page, "h1", /in B and .* in A/);
    ranges = await moments(page);
    assert.equal(ranges.length, 4);
    copied = new URL(page.url()).hash;
  });
  await at(copied, async ({ page }) => {
    await page.locator(".pair .plot canvas").nth(1).waitFor();
    await shows(page, "h1", /in B and .* in A/);
    assert.deepEqual(await moments(page), ranges);
  });
});

test("runs: their list, a report, a comparison", async () => {
  await at("#/runs", async ({ page }) => {
    assert.match(await text(page, "h1"), /^\d+ runs/);
    for (const box of [0, 1]) await page.getByRole("checkbox").nth(box).check();
    await page.getByRole("link", { name: "Compare 2" }).click();
    const comparison = page.frameLocator("iframe");
    assert.ok(await comparison.locator("h1").first().innerText());
    await page.goBack();
    await page.locator("tbody th a").first().click();
    const report = page.frameLocator("iframe");
    assert.ok(await report.locator("h1").first().innerText());
    assert.match(await text(page, "h1"), /claims? holds?\.$|no claims\.$/);
  });
});

test("runs that cannot be compared: why not, in words", async () => {
  await at(`#/compare-runs?run=none&run=neither`, async ({ page, faults }) => {
    await page.frameLocator("iframe.report").locator("h1", { hasText: "There is no report" }).waitFor();
    assert.match(await page.frameLocator("iframe.report").locator("main").innerText(), /no run has this id/);
    // The status of the frame.
    faults.splice(0, faults.length, ...faults.filter((fault) => !/404/.test(fault)));
  });
});

test("a report of a run scrolls with the page, and is no box that scrolls in it", async () => {
  await at("#/runs", async ({ page }) => {
    await page.locator("tbody th a").first().click();
    await page.frameLocator("iframe").locator("h1").first().waitFor();
    const inner = page.frames().find((frame) => frame.parentFrame())!;
    // The report is higher than a screen, and the frame becomes as high as it.
    await page.waitForFunction(() => document.querySelector("iframe")!.clientHeight > 1200);
    const [frame, report] = [await page.locator("iframe").evaluate((frame) => frame.clientHeight), await inner.evaluate(() => document.documentElement.scrollHeight)];
    assert.ok(Math.abs(frame - report) <= 4, `${frame} for ${report}`);
  });
});

test("times are the host's, UTC or the reader's", async () => {
  const hash = await recording("flood");
  const from = (page: Page) => page.locator("input.moment").first();
  await at(
    hash,
    async ({ page }) => {
      await from(page).waitFor();
      const host = await from(page).inputValue();
      await page.getByRole("button", { name: "UTC" }).click();
      const utc = await from(page).inputValue();
      await page.getByRole("button", { name: "your time" }).click();
      const own = await from(page).inputValue();
      const hours = (one: string, other: string) => (Date.parse(`${one}Z`) - Date.parse(`${other}Z`)) / 3_600_000;
      assert.equal(hours(own, utc), 9, `${host} ${utc} ${own}`);
      await page.reload();
      await from(page).waitFor();
      assert.equal(await from(page).inputValue(), own, "it stays chosen");
    },
    { timezoneId: "Asia/Tokyo" },
  );
});

test("an address that changes while the page is drawn first is followed", async () => {
  await at("#/live", async ({ page }) => {
    // Between the first drawing and the moment from which the page listens.
    await page.addInitScript(() => addEventListener("DOMContentLoaded", () => location.replace("#/recordings")));
    await page.reload();
    await page.locator("tbody th a").first().waitFor();
  });
});

test("what is not there says so", async () => {
  for (const hash of ["#/nonsense", "#/compare", "#/compare-runs?run=x", "#/run/none"]) {
    await at(hash, async ({ page }) => assert.match(await text(page, ".fault"), /hint: /));
  }
  await at("#/recording/none", async ({ page, faults }) => {
    assert.match(await text(page, ".fault"), /\w/);
    // The browser reports the 404 by itself.
    faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes("404")));
  });
});

test("a phone's list of recordings has cause and lost time; at 4K tables stand in the right third", async () => {
  await at(
    "#/recordings",
    async ({ page }) => {
      const row = page.locator("tbody tr", { hasText: "flood" }).first();
      await row.locator("td.cause").waitFor();
      for (const cell of [row.locator("td.cause"), row.locator("td.num").first()]) {
        const box = (await cell.boundingBox())!;
        assert.ok(box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
      }
    },
    { viewport: { width: 360, height: 780 } },
  );
  await at(
    await recording("flood"),
    async ({ page }) => {
      const table = page.locator(".below table");
      await table.locator("tbody tr").first().waitFor();
      await page.locator(".diagnosis").waitFor();
      await page.locator(".plots[aria-busy=false] figure.plot canvas").nth(9).waitFor();
      const [box, plots] = [(await table.boundingBox())!, (await page.locator(".plots").boundingBox())!];
      assert.ok(box.x > plots.x + plots.width && box.x > 3840 * 0.6 && box.y < plots.y + plots.height, JSON.stringify([box, plots]));
    },
    { viewport: { width: 3840, height: 2160 } },
  );
  // Where a third does not take the table whole it stands below the plots.
  await at(
    await recording("flood"),
    async ({ page }) => {
      const table = page.locator(".below .wide");
      await table.locator("tbody tr").first().waitFor();
      assert.ok(await table.evaluate((wide) => wide.scrollWidth <= wide.clientWidth), "no column is cut");
    },
    { viewport: { width: 2560, height: 1440 } },
  );
});

test("a printed recording has the whole table of processes, and its findings open", async () => {
  await at(await recording("flood"), async ({ page }) => {
    await drawn(page);
    const address = page.url();
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator("main details:not([open])").count(), 0);
    const [box, table] = await page.locator(".table .wide").evaluate((box) => [box.clientHeight, box.querySelector("table")!.offsetHeight]);
    assert.ok(box! >= table!, `${table} px of table in ${box} px`);
    const inks = await page.evaluate(() => [".key", ".overlay .node"].map((mark) => getComputedStyle(document.querySelector(mark)!).getPropertyValue("print-color-adjust")));
    assert.deepEqual(inks, ["exact", "exact"]);
    const width = await page.locator(".table table").evaluate((table) => table.getBoundingClientRect().width);
    assert.ok(width <= 794, `${width} px on the width of a page`);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok(await page.locator("main details:not([open])").count());
    assert.equal(page.url(), address, "printing selects no finding");
  }, { viewport: { width: 794, height: 1100 } });
});

test("every view: accessible, within its width from 360 px to 4K, light and dark, and in print", async () => {
  const views = ["#/live", "#/recordings", await recording("flood"), await recording("hostile"), `#/compare?a=${(await recording("flood")).split("/").pop()}&b=${(await recording("month")).split("/").pop()}`, "#/runs"];
  for (const view of views) {
    for (const [width, height, colorScheme] of [[1400, 900, "light"], [360, 780, "dark"], [3840, 2160, "light"]] as const) {
      await at(
        view,
        async ({ page }) => {
          await page.locator("h1").first().waitFor();
          await page.locator(view.startsWith("#/rec") && view.length > 14 ? ".table tbody tr" : "table tbody tr").first().waitFor();
          const where = `${view} at ${width}`;
          assert.deepEqual(await serious(page), [], where);
          assert.equal(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0, `${where} scrolls sideways`);
          if (width === 1400) {
            await page.emulateMedia({ media: "print" });
            assert.equal(await page.locator("header.top nav").isVisible(), false);
          }
        },
        { viewport: { width, height }, colorScheme },
      );
    }
  }
});
