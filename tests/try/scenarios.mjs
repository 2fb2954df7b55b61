// What a reader does on the page, and what the page shows then.
import { readFile, writeFile } from 'node:fs/promises';

const settled = page =>
  page.waitForFunction(
    () => {
      const isBusy = document.querySelector('[aria-busy], .old');
      const isRefused = document.querySelector('.problem, .ask');
      return !isBusy && (document.body.dataset.state === 'settled' || isRefused);
    },
    null,
    { timeout: 300000 }, // of eight million rows, on a busy machine
  );

/** Open the page, with a query or a hash of the address, and wait for the answer. */
async function open(page, given, search = '') {
  await page.goto(new URL(search, given.page).href);
  await page.waitForFunction(() => document.querySelector('#choose'));
}

async function dropped(page, files) {
  await page.evaluate(() => delete document.body.dataset.state);
  await page.setInputFiles('input[type=file]', files);
  await settled(page);
}

const textOf = (page, selector) =>
  page.$$eval(selector, found => found.map(one => one.innerText.trim())).then(all => all.join('\n'));

/** The text of a download. */
async function downloaded(page, kind) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: kind, exact: true }).click(),
  ]);
  const stream = await download.createReadStream();
  const parts = [];
  for await (const part of stream) parts.push(part);
  return {
    name: download.suggestedFilename(),
    text: Buffer.concat(parts).toString('utf8'),
  };
}

/** The rows of the answer, as the download of JSON has them. */
const rows = async page => JSON.parse((await downloaded(page, 'JSON')).text);

/** The three texts to copy. */
async function texts(page) {
  const found = {};
  for (const key of ['command', 'python', 'sql']) {
    await page.click(`#code-${key}`);
    found[key] = await textOf(page, '#code pre');
  }
  return found;
}

const overflow = page =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function problem(page) {
  return {
    text: await textOf(page, '.problem, .ask'),
    buttons: await page.$$eval('.problem button', found => found.map(one => one.innerText)),
    alerts: await page.$$eval('[role=alert]', found => found.length),
  };
}

async function axe(page, given) {
  await page.evaluate(await readFile(given.require.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, {
      resultTypes: ['violations'],
    });
    return violations.map(one => `${one.id}: ${one.nodes.map(node => node.target).join(' | ')}`);
  });
}

async function sample(page, given) {
  const start = Date.now();
  await page.goto(new URL(`?sample=${given.sample}`, given.page).href);
  await page.waitForFunction(() => document.body.dataset.state || document.querySelector('.problem'), null, {
    timeout: 120000,
  });
  const first = Date.now() - start;
  await settled(page);
  const found = {
    first,
    headline: await textOf(page, 'h3.verdict'),
    text: await textOf(page, '#answer-body'),
    found: await textOf(page, '#found'),
  };
  return {
    ...found,
    rows: await rows(page),
    texts: await texts(page),
    address: page.url(),
  };
}

async function files(page, given) {
  await open(page, given, given.search);
  await dropped(page, given.files);
  const found = {
    problem: await problem(page),
    text: await textOf(page, '#answer-body'),
  };
  found.cards = await textOf(page, '.card');
  found.all = await textOf(page, 'main');
  found.markup = await page.$$eval('main img, main script, main iframe', all => all.length);
  if (!(await page.$('.problem, .ask'))) {
    found.rows = await rows(page);
    if (given.texts) found.texts = await texts(page);
  }
  if (given.press) {
    await page.evaluate(() => delete document.body.dataset.state);
    await page.getByRole('button', { name: given.press }).click();
    await page.waitForFunction(() => document.body.dataset.state === 'settled', null, { timeout: 120000 });
    found.after = {
      text: await textOf(page, '#answer-body'),
      rows: await rows(page),
    };
  }
  return found;
}

/** What the page says about each of many pairs of files: the rows of its answer, or its problem. */
async function tables(page, given) {
  const found = [];
  const left = given.cases.map((files, place) => ({ files, place }));
  const work = async (one) => {
    for (let next = left.pop(); next; next = left.pop()) {
      await open(one, given);
      await dropped(one, next.files);
      const isRefused = await one.$(".problem, .ask");
      const refused = isRefused && (await textOf(one, ".problem, .ask"));
      found[next.place] = isRefused ? { refused } : { rows: await rows(one) };
    }
  };
  const others = [
    await page.context().newPage(),
    await page.context().newPage(),
  ];
  await Promise.all([page, ...others].map(work));
  return found;
}

async function sql(page, given) {
  await open(
    page,
    given,
    `?${given.sample ? `sample=${given.sample}&` : ''}sql=${encodeURIComponent(given.sql)}`,
  );
  await page.waitForFunction(() => document.querySelector('#results .problem, #results .result'), null, {
    timeout: 120000,
  });
  await page.waitForFunction(() => document.querySelector('#engine-text').textContent === 'Ready');
  return {
    text: await textOf(page, '#results'),
    results: await page.$$eval('#results > *', all => all.length),
    address: page.url(),
  };
}

/** The engine crashes in the SQL tab; the files are there again, and the question has its answer. */
async function crash(page, given) {
  await open(page, given, '?sample=digits');
  await settled(page);
  await page.click('#way-sql');
  const found = {};
  for (const step of ['before', 'crashed', 'after']) found[step] = await ran(page, given[step]);
  await page.click('#way-form');
  await page.evaluate(() => delete document.body.dataset.state);
  await page.fill('#question .cut input >> nth=0', '7');
  await settled(page);
  return { ...found, text: await textOf(page, '#answer-body') };
}

/** The answer as a file of HTML, opened from disk: what a reader sees, and what is in it. */
async function standalone(page, given) {
  await open(page, given, given.search ?? '');
  if (given.files) await dropped(page, given.files);
  await settled(page);
  const { name, text } = await downloaded(page, 'HTML');
  const path = `${given.folder}/${name}`;
  await writeFile(path, text);
  const opened = await page.context().newPage();
  const requests = [];
  opened.on('request', request => requests.push(request.url()));
  await opened.goto(`file://${path}`);
  const found = { name, text, requests, seen: await textOf(opened, 'body') };
  found.elements = await opened.$$eval('script, img, iframe, link, button, select', all => all.length);
  found.charts = await opened.$$eval(
    'svg',
    all => all.filter(one => one.getBoundingClientRect().width > 20).length,
  );
  found.overflow = await overflow(opened);
  if (given.shots) await opened.screenshot({ path: `${given.shots}/standalone.png`, fullPage: true });
  return found;
}

/** After the first answer and without a network: another question, all tools, SQL, a cancel, a download. */
async function offline(page, given) {
  await open(page, given, '?sample=shop');
  const first = await page.waitForFunction(() => document.body.dataset.state && !document.body.dataset.kept);
  const found = { first: await first.jsonValue() };
  await settled(page);
  await page.waitForFunction(() => document.body.dataset.kept, null, {
    timeout: 60000,
  });
  await page.context().setOffline(true);
  await page.evaluate(() => delete document.body.dataset.state);
  await page.fill('#question .cut input >> nth=0', '7');
  await settled(page);
  found.text = await textOf(page, '#answer-body');
  await page.click('.tools summary');
  await page.waitForFunction(() => document.querySelector('#tools table'), null, { timeout: 60000 });
  found.tools = await textOf(page, '#tools');
  await page.evaluate(() => delete document.body.dataset.state);
  await page.fill('#question .cut input >> nth=0', '8');
  await page.waitForFunction(() => !document.querySelector('#cancel').hidden, null, { timeout: 20000 });
  await page.click('#cancel');
  await page.waitForFunction(() => document.querySelector('.ask button'), null, { timeout: 60000 });
  await page.waitForFunction(() => document.querySelector('#engine-text').textContent === 'Ready', null, {
    timeout: 60000,
  });
  await page.click('.ask button');
  await settled(page);
  found.again = await textOf(page, '#answer-body');
  found.checks = await textOf(page, '#found');
  found.rows = (await rows(page)).length;
  await page.click('#way-sql');
  found.sql = await ran(page, given.sql);
  await page.click('#way-form');
  await page.click('#sample-digits');
  await page.waitForFunction(() => document.querySelector('#data-body .problem'), null, { timeout: 60000 });
  found.unreachable = await textOf(page, '#data-body .problem');
  found.cards = await textOf(page, '.card .name');
  return found;
}

/** Run SQL in its tab, and return what it shows. */
async function ran(page, sql) {
  await page.fill('#editor', sql);
  await page.click('#run');
  await page.waitForFunction(() => document.querySelector('#results .problem, #results .result'));
  await page.waitForFunction(() => document.querySelector('#engine-text').textContent === 'Ready');
  return textOf(page, '#results');
}

async function states(page, given) {
  const found = {};
  const look = async name => {
    found[name] = {
      axe: await axe(page, given),
      overflow: await overflow(page),
    };
    if (given.shots)
      await page.screenshot({
        path: `${given.shots}/${name}_${given.width}_${given.scheme}.png`,
        fullPage: true,
      });
  };
  await open(page, given);
  await page.waitForFunction(() => document.querySelector('#engine-text').textContent === 'Ready', null, {
    timeout: 120000,
  });
  await look('1_empty');
  await dropped(page, given.broken);
  await look('2_file_error');
  await dropped(page, given.stacked);
  await look('3_stacked');
  for (const [place, name] of ['digits', 'shop', 'clicks', 'cancer'].entries()) {
    await page.evaluate(() => delete document.body.dataset.state);
    await page.click(`#sample-${name}`);
    await settled(page);
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('#found details, .asked, #switches details, .signature'))
        one.open = true;
    });
    await look(`${4 + place}_${name}`);
  }
  await page.click('#way-sql');
  await page.waitForFunction(() => document.querySelector('#tables li'));
  await page.click('#run');
  await page.waitForFunction(() => document.querySelector('#results .result'));
  await look('8_sql');
  await page.fill('#editor', 'FROM evaluat');
  await page.type('#editor', 'e');
  await look('9_names');
  await page.click('#way-form');
  await page.evaluate(() => delete document.body.dataset.state);
  await page.click('#sample-shop');
  await settled(page);
  await page.selectOption('#baseline', '');
  await look('10_computing');
  return found;
}

/** Only the keyboard: a sample, another metric, the SQL tab. */
async function keyboard(page, given) {
  await open(page, given);
  await page.focus('#sample-digits');
  await page.keyboard.press('Enter');
  await settled(page);
  const focused = await page.evaluate(() => document.activeElement.id);
  const said = await textOf(page, '#said');
  await page.evaluate(() => delete document.body.dataset.state);
  await page.focus('#question input[type=checkbox] >> nth=4');
  await page.keyboard.press('Space');
  const isOld = await page.$eval('#answer-body', one => one.classList.contains('old'));
  await settled(page);
  const text = await textOf(page, '#answer-body');
  await page.focus('#way-form');
  await page.keyboard.press('ArrowRight');
  const tab = await page.evaluate(() => [document.activeElement.id, document.querySelector('#sql').hidden]);
  return { focused, said, isOld, text, tab };
}

/** Cancel a long statement; the files are there again. */
async function cancel(page, given) {
  await open(page, given, '?sample=digits');
  await settled(page);
  await page.evaluate(() => delete document.body.dataset.state);
  await page.fill('#question .cut input >> nth=0', '7');
  await page.waitForFunction(() => !document.querySelector('#cancel').hidden, null, { timeout: 20000 });
  const start = Date.now();
  await page.click('#cancel');
  await page.waitForFunction(() => document.querySelector('.ask button'), null, { timeout: 60000 });
  await page.waitForFunction(() => document.querySelector('#engine-text').textContent === 'Ready', null, {
    timeout: 60000,
  });
  const back = Date.now() - start;
  const text = await textOf(page, '.ask');
  await page.click('.ask button');
  await settled(page);
  return { back, text, after: await textOf(page, '#answer-body') };
}

export const scenarios = {
  sample,
  files,
  tables,
  sql,
  states,
  keyboard,
  cancel,
  crash,
  offline,
  standalone,
};
