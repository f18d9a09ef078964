// node draw.js CHROMIUM PAGE PICTURE SCHEME FIRST LAST: a page from its top, or the section FIRST, to the end of LAST.
const { chromium } = require("playwright-core");

const WIDTH = 1280, MARGIN = 16;

(async () => {
  const [executablePath, path, picture, colorScheme, first, last] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 900 }, colorScheme });
  await page.goto("file://" + path);
  await page.waitForSelector("html[data-drawn=yes]");
  const box = (name) => page.getByRole("region", { name, exact: true }).boundingBox();
  const begin = first ? (await box(first)).y - MARGIN : 0, end = await box(last);
  const clip = { x: 0, y: begin, width: WIDTH, height: end.y + end.height + MARGIN - begin };
  await page.screenshot({ path: picture, clip, fullPage: true });
  await browser.close();
})();
