// What a reader does on the page in Firefox; prints what the page shows as JSON.
//   node firefox.mjs '{"page": "http://…/", "firefox": "/usr/bin/firefox", "modules": "…/package.json", …}'
import { createRequire } from 'node:module';

const given = JSON.parse(process.argv[2]);
const puppeteer = createRequire(given.modules)('puppeteer-core');
const limit = { timeout: 120000 };

const browser = await puppeteer.launch({ browser: 'firefox', executablePath: given.firefox, headless: true });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  const found = { errors: [], blocked: [], outside: [] };
  const host = new URL(given.page).host;
  const pending = new Set();
  // Firefox reports what the policy stops as an error.
  page.on('pageerror', ({ message }) =>
    (/^Content-Security-Policy/.test(message) ? found.blocked : found.errors).push(message),
  );
  page.on('request', request => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.host !== host) pending.add(request.url());
  });
  // A request that the policy stops never leaves the browser, and fails.
  page.on('requestfailed', request => pending.delete(request.url()));
  const text = selector => page.$$eval(selector, all => all.map(one => one.innerText).join('\n'));
  const ready = () =>
    page.waitForFunction(() => document.querySelector('#engine-text').textContent === 'Ready', limit);
  const settled = () =>
    page.waitForFunction(() => {
      const isRefused = document.querySelector('.problem, .ask');
      const isBusy = document.querySelector('[aria-busy], .old');
      return !isBusy && (isRefused || document.body.dataset.state === 'settled');
    }, limit);
  const again = () => page.evaluate(() => delete document.body.dataset.state);

  await page.goto(`${given.page}?sample=digits`);
  await settled();
  found.digits = await text('#answer-body');
  found.checks = await text('#found');

  // The engine starts again from what is in memory.
  await page.waitForFunction(() => document.body.dataset.kept, limit);
  await again();
  await page.$eval('#question .cut input', one => {
    one.value = '7';
    for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind, { bubbles: true }));
  });
  await page.waitForFunction(() => !document.querySelector('#cancel').hidden, limit);
  await page.$eval('#cancel', one => one.click());
  await page.waitForFunction(() => document.querySelector('.ask button'), limit);
  await ready();
  await page.$eval('.ask button', one => one.click());
  await settled();
  found.again = await text('#answer-body');

  found.sql = [];
  await page.$eval('#way-sql', one => one.click());
  await page.waitForSelector('#editor');
  for (const sql of given.sql) {
    await page.$eval('#editor', (one, value) => (one.value = value), sql);
    await page.$eval('#run', one => one.click());
    await page.waitForFunction(() => document.querySelector('#results .problem, #results .result'), limit);
    await ready();
    found.sql.push(await text('#results'));
  }

  await page.goto(given.page);
  const input = await page.waitForSelector('input[type=file]');
  await input.uploadFile(...given.files);
  await settled();
  found.files = await text('#answer-body');
  found.outside = [...pending];
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
}
