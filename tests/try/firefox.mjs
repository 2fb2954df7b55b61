// What a reader does on the page in Firefox; prints what the page shows as JSON.
//   node firefox.mjs '{"page": "http://…/", "firefox": "/usr/bin/firefox", "modules": "…/package.json", …}'
import { createRequire } from 'node:module';

const given = JSON.parse(process.argv[2]);
const puppeteer = createRequire(given.modules)('puppeteer-core');
const LIMIT = 120_000;

/** Ask again and again, from outside: the policy of the page stops functions that are made from text. */
async function until(page, isSo) {
  for (const end = Date.now() + LIMIT; !(await page.evaluate(isSo)); ) {
    if (Date.now() > end) throw new Error(`not within ${LIMIT} ms: ${isSo}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

const browser = await puppeteer.launch({
  browser: 'firefox',
  executablePath: given.firefox,
  headless: true,
  // The size of the window: the protocol of older releases cannot set that of a page.
  defaultViewport: null,
  args: ['--width=1280', '--height=900'],
});
try {
  const page = await browser.newPage();
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
    until(page, () => document.querySelector('#engine-text').textContent === 'Ready');
  const settled = () =>
    until(page, () => {
      const isRefused = document.querySelector('.problem, .ask');
      const isBusy = document.querySelector('[aria-busy], .old');
      return !isBusy && Boolean(isRefused || document.body.dataset.state === 'settled');
    });
  const again = () => page.evaluate(() => delete document.body.dataset.state);

  await page.goto(`${given.page}?sample=digits`);
  await settled();
  found.digits = await text('#answer-body');
  found.checks = await text('#found');

  // The engine starts again from what is in memory.
  await until(page, () => Boolean(document.body.dataset.kept));
  await again();
  await page.$eval('#question .cut input', one => {
    one.value = '7';
    for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind, { bubbles: true }));
  });
  await until(page, () => !document.querySelector('#cancel').hidden);
  await page.$eval('#cancel', one => one.click());
  await until(page, () => Boolean(document.querySelector('.ask button')));
  await ready();
  await page.$eval('.ask button', one => one.click());
  await settled();
  found.again = await text('#answer-body');

  found.sql = [];
  await page.$eval('#way-sql', one => one.click());
  await until(page, () => Boolean(document.querySelector('#editor')));
  for (const sql of given.sql) {
    await page.$eval('#editor', (one, value) => (one.value = value), sql);
    await page.$eval('#run', one => one.click());
    await until(page, () =>
      Boolean(document.querySelector('#results .problem, #results .result')),
    );
    await ready();
    found.sql.push(await text('#results'));
  }

  await page.goto(given.page);
  await until(page, () => Boolean(document.querySelector('input[type=file]')));
  const input = await page.$('input[type=file]');
  await input.uploadFile(...given.files);
  await settled();
  found.files = await text('#answer-body');
  found.outside = [...pending];
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
}
