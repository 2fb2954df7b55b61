// Runs one scenario in headless Chromium and prints what it returns as JSON.
//   node browser.mjs '{"page": "http://…/", "scenario": "digits", "chromium": "/usr/bin/chromium", …}'
import { createRequire } from 'node:module';
import { scenarios } from './scenarios.mjs';

const given = JSON.parse(process.argv[2]);
const require = createRequire(given.modules);
const { chromium } = require('playwright-core');
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const browser = await chromium.launch({
  executablePath: given.chromium,
  args: FLAGS,
});
try {
  const context = await browser.newContext({
    viewport: { width: given.width ?? 1280, height: 900 },
    colorScheme: given.scheme ?? 'light',
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const seen = { outside: [], errors: [] };
  const host = new URL(given.page).host;
  // The driver reports a request that the policy stops; it never leaves the browser, and fails with "csp".
  const pending = new Set();
  page.on('request', request => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.host !== host) pending.add(request);
  });
  page.on('requestfailed', request => {
    if (request.failure()?.errorText === 'csp') pending.delete(request);
  });
  page.on('pageerror', error => seen.errors.push(String(error.message)));
  const result = await scenarios[given.scenario](page, { ...given, require });
  for (let tries = 0; pending.size && tries < 30; tries++) await page.waitForTimeout(100);
  seen.outside = [...pending].map(request => request.url());
  console.log(JSON.stringify({ ...seen, result }));
} finally {
  await browser.close();
}
