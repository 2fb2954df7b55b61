// Runs one scenario in headless Chromium and prints what it returns as JSON.
//   node browser.mjs '{"page": "http://…/", "scenario": "digits", "chromium": "/usr/bin/chromium", …}'
import { createRequire } from "node:module";
import { scenarios } from "./scenarios.mjs";

const given = JSON.parse(process.argv[2]);
const require = createRequire(given.modules);
const { chromium } = require("playwright-core");
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const browser = await chromium.launch({
  executablePath: given.chromium,
  args: FLAGS,
});
try {
  const context = await browser.newContext({
    viewport: { width: given.width ?? 1280, height: 900 },
    colorScheme: given.scheme ?? "light",
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const seen = { outside: [], errors: [] };
  const host = new URL(given.page).host;
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.host !== host)
      seen.outside.push(request.url());
  });
  const isBlocked = (request) =>
    /csp|blocked/i.test(request.failure()?.errorText ?? "");
  page.on("requestfailed", (request) => {
    // The driver reports a request that the policy stops; it never leaves the browser.
    if (isBlocked(request))
      seen.outside = seen.outside.filter((url) => url !== request.url());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error.message)));
  const result = await scenarios[given.scenario](page, { ...given, require });
  console.log(JSON.stringify({ ...seen, result }));
} finally {
  await browser.close();
}
