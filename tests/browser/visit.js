// Opens a page in Chromium, uses it as a person would, and fails at the first thing that is not as it should be.
const assert = require("node:assert");
const { chromium } = require("playwright-core");

async function useRun(page) {
  const before = await page.evaluate(() => window.mayaTimeline.view.slice());
  await page.getByRole("button", { name: "zoom in" }).click();
  const zoomed = await page.evaluate(() => window.mayaTimeline.view.slice());
  assert(zoomed[1] - zoomed[0] < before[1] - before[0], "zoom");
  await page.locator("canvas").focus();
  await page.keyboard.press("ArrowRight");
  const moved = await page.evaluate(() => window.mayaTimeline.view[0]);
  assert(moved > zoomed[0], "pan by keyboard");
  await page.keyboard.press("0");
  await page.getByLabel("search the timeline").fill("gemm");
  assert.match(await page.getByText(/found,/).textContent(), /^[1-9]/, "search");
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".details").textContent(), /gemm/i, "details of what was found");
  const kernels = page.getByRole("region", { name: "kernels" }), box = page.getByLabel("search kernels");
  if (await box.count()) await box.fill("gemm"); // a short table has none
  const first = await kernels.locator("tbody tr").first().textContent();
  assert.match(first, /gemm/i, "search of kernels");
  await kernels.getByRole("button", { name: "calls" }).click();
  assert.strictEqual(await kernels.locator("th[aria-sort]").count(), 1, "sorted by one column");
}

async function useSearch(page) {
  const axis = page.locator("[data-axis]").last();
  const rows = page.getByRole("region", { name: "recipes", exact: true }).locator("tbody tr");
  const all = await rows.count();
  const box = await axis.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 4);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 4, { steps: 4 });
  await page.mouse.up();
  assert((await rows.count()) < all, "a brush keeps some recipes");
}

// The answer, and each figure beside it by its name.
async function tell(page) {
  console.log(await page.locator("h1").textContent());
  for (const fact of await page.locator(".fact").all())
    console.log(`${await fact.locator("dt").textContent()}: ${(await fact.locator(".value, .small").allTextContents()).join(" | ")}`);
}

(async () => {
  const [executablePath, path, kind] = process.argv.slice(2), problems = [];
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const [width, colorScheme] of [[1280, "light"], [3840, "dark"]]) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => { if (!request.url().startsWith("file:")) problems.push(request.url()); });
    await page.goto("file://" + path);
    await page.waitForSelector("html[data-drawn=yes]");
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `wider than ${width} pixels`);
    if (kind === "run") await useRun(page);
    if (kind === "failed") assert.strictEqual(await page.getByRole("img", { name: /the allocation that failed/ }).count(), 1, "memory up to the failure");
    if (kind === "search") await useSearch(page);
    if (width === 1280 && kind !== "part") await tell(page);
    await page.close();
  }
  await browser.close();
  assert.deepStrictEqual(problems, [], "no messages, errors or requests");
})().catch((error) => { console.error(error.message); process.exit(1); });
