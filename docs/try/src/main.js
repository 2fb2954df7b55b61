// The page starts: settings of the address, the engine, the files that are dropped, the two tabs.
import { Control } from './control.js';
import { LATER } from './compute.js';
import { drawData } from './data.js';
import { $, tabs } from './dom.js';
import { Engine, fetched, keep } from './engine.js';
import { parquet, sampleTables } from './files.js';
import { drawQuestion } from './question.js';
import { arrow } from './saving.js';
import { Shell } from './shell.js';
import { saveAnswer, styles } from './standalone.js';
import { remember, remembered, state } from './state.js';

const CANCELS = /^Comput/;

function status(text, share) {
  $('engine-text').textContent = text;
  $('engine-bar').hidden = share === undefined || share >= 1;
  if (share !== undefined) $('engine-bar').value = Math.min(share, 1);
  $('cancel').hidden = !CANCELS.test(text);
}

let rest = null;
/** Fetch what a later question needs, so that the page works without a network. */
function prepareRest() {
  if (navigator.connection?.saveData) return;
  rest ??= Promise.all([keep(engine, LATER), parquet(), arrow(), styles()])
    .then(() => (document.body.dataset.kept = 'true'))
    .catch(() => (rest = null));
}

let control = null;
const engine = new Engine({ status, restore: () => control.restore() });
const shell = new Shell(engine, {
  status,
  edited: sql => state.tab === 'sql' && remember(sql),
  catalog: () => state.catalog,
});
const page = {
  status,
  answered: () => (document.body.dataset.state = 'answered'),
  settled: () => {
    document.body.dataset.state = 'settled';
    prepareRest();
  },
  openSql: text => openTab('sql', text),
  saveAnswer: () => saveAnswer(state),
};
control = new Control(engine, page);

const pick = tabs($('ways'), chosen => {
  state.tab = chosen.id.slice(4);
  $('form').hidden = state.tab === 'sql';
  $('sql').hidden = state.tab !== 'sql';
  if (state.tab === 'sql') {
    shell.show().then(() => remember(shell.sql));
    return;
  }
  remember();
  if (control.isQuiet) {
    control.isQuiet = false;
    control.compute();
  }
});

async function openTab(tab, text) {
  pick($(`way-${tab}`));
  await shell.show(text);
  remember(shell.sql);
  shell.focus();
  scrollTo(0, 0);
}

function listen() {
  $('cancel').addEventListener('click', () => control.cancel());
  for (const kind of ['dragover', 'dragleave', 'drop']) {
    addEventListener(kind, event => {
      const hasFiles = [...(event.dataTransfer?.types ?? [])].includes('Files');
      if (!hasFiles) return;
      event.preventDefault();
      document.body.classList.toggle('over', kind === 'dragover');
      if (kind !== 'drop') return;
      pick($('way-form'));
      control.add([...event.dataTransfer.files]);
    });
  }
}

async function begin() {
  const { sample, sql, files, tables, settings } = remembered();
  // The engine starts while the reader reads, except where the browser asks to save data.
  const starts = sample || sql || files || tables || !navigator.connection?.saveData;
  if (starts) engine.start().catch(error => status(String(error.message)));
  if (starts) parquet().catch(() => null);
  const names = ['catalog', 'layouts', 'samples'];
  const read = await Promise.all(names.map(async name => (await fetched(`${name}.json`)).json()));
  names.forEach((name, place) => (state[name] = read[place]));
  drawData(state, control);
  drawQuestion(state, control);
  listen();
  // Settings without a sample wait for the files of the reader.
  if (!sample) Object.assign(state.question, settings);
  control.isQuiet = sql !== null;
  if (sample) await control.sample(sample, settings);
  else if (files) await control.given((state.given = files));
  state.tables = tables ?? '';
  if (tables) state.extra = await sampleTables(engine, tables.split(','));
  if (sql !== null) {
    await openTab('sql', sql);
    if (sql.trim()) await shell.run();
    prepareRest();
  }
}

begin();
