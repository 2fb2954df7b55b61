// Step 1: files, their roles and columns, what was found in them, and the checks.
import { problemBox, rowsText, sentence } from './answer.js';
import { partsOf } from './compute.js';
import { $, breakable, button, cell, h, menu, table } from './dom.js';
import { FIELDS, ROLES, numeric } from './layouts.js';
import { ended, joined, pageWords, plural, size } from './words.js';

const WORDS = {
  query_id: 'query',
  item_id: 'item',
  score: 'score',
  rank: 'rank',
  system: 'system',
  relevance: 'relevance',
  label: 'label',
  cluster: 'unit',
};
const NONE = {
  system: 'one system',
  cluster: 'the row',
  relevance: 'every row counts',
  score: 'none',
  rank: 'none',
};
const ICONS = { error: '✕', warning: '!', note: 'i' };

/** Draw the step; `act` holds what its controls do, and `busy` is said instead of the invitation. */
export function drawData(state, act, busy = '') {
  const kept = document.activeElement?.id;
  $('data-body').replaceChildren(
    ...(state.files.length ? filled(state, act, busy) : empty(state, act, busy)),
  );
  if (kept) $(kept)?.focus();
}

function chooser(act, text, kind) {
  const input = h('input', {
    type: 'file',
    multiple: true,
    class: 'hidden',
    tabindex: -1,
    'aria-hidden': 'true',
    onchange: event => {
      act.add([...event.target.files]);
      event.target.value = '';
    },
  });
  return [button(text, () => input.click(), { class: kind, id: 'choose' }), input];
}

function samples(state, act, isLong) {
  return state.samples.map(({ name, title, sentence: said }) =>
    h(
      'li',
      null,
      h(
        'button',
        {
          type: 'button',
          onclick: () => act.sample(name),
          class: 'sample',
          id: `sample-${name}`,
          'aria-pressed': state.sample === name,
        },
        h('b', null, title),
        isLong && h('span', null, said),
      ),
    ),
  );
}

/** What files look like: name, what it is, and lines of CSV. */
const SHAPES = [
  ['Predictions', 'the items that a system returned', 'query_id,item_id,score', 'q1,a,0.91', 'q1,b,0.74'],
  ['Truth', 'the items that are relevant', 'query_id,item_id,relevance', 'q1,b,1', 'q1,f,3'],
  ['Or labels and scores', 'of a classifier, in one file', 'label,score', '1,0.83', '0,0.12'],
];

function shape([name, about, head, ...rows]) {
  const cells = rows.map(row => row.split(',').map(text => cell('', text)));
  return table('shape', head.split(','), cells, [h('b', null, name), about]);
}

function empty(state, act, busy) {
  return [
    h(
      'div',
      { class: 'drop' },
      h('p', { class: 'big' }, busy || 'Drop your files here'),
      h(
        'p',
        { class: 'small' },
        'Predictions and truth, or one file with labels and scores. Parquet, CSV, TSV, JSON or TREC text, also with .gz; up to about ten million rows. Or the macros of your own metrics.',
      ),
      h('p', null, chooser(act, 'Choose files', 'primary')),
    ),
    h(
      'div',
      { class: 'start' },
      h(
        'div',
        null,
        h('h3', null, 'Or start with a sample'),
        h('ul', { class: 'samples' }, samples(state, act, true)),
      ),
      h(
        'div',
        null,
        h('h3', null, 'The files look like this'),
        h('div', { class: 'shapes' }, SHAPES.map(shape)),
        h(
          'p',
          { class: 'small' },
          'Other names work too, and you can choose each column. Each file of predictions is a system.',
        ),
      ),
    ),
  ];
}

function filled(state, act, busy) {
  const order = Object.keys(ROLES);
  const cards = [...state.files].sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
  return [
    h(
      'div',
      { class: 'cards' },
      cards.map(file => card(state, act, file)),
    ),
    h('div', { id: 'found' }),
    h(
      'div',
      { class: 'bar' },
      chooser(act, 'Add files', ''),
      button('Start again', act.reset, { class: 'quiet' }),
      h('span', { class: 'small' }, busy || 'You can also drop files anywhere. Samples:'),
      h('ul', { class: 'samples line' }, samples(state, act, false)),
    ),
  ];
}

function card(state, act, file) {
  const fields = FIELDS[file.role].filter(key => !(key === 'rank' && file.map.score));
  return h(
    'div',
    { class: 'card' },
    h(
      'div',
      { class: 'card-head' },
      menu(Object.entries(ROLES), file.role, role => act.role(file, role), {
        class: 'role',
        id: `role-${file.table}`,
        'aria-label': `Role of ${file.name}`,
      }),
      button('✕', () => act.remove(file), { class: 'quiet', 'aria-label': `Remove ${file.name}` }),
    ),
    h('p', { class: 'name' }, h('b', null, breakable(file.name))),
    h('p', { class: 'small' }, about(file)),
    h(
      'div',
      { class: 'fields' },
      fields.map(key => column(state, act, file, key)),
      file.role === 'rows' && positive(act, file),
      file.role === 'rows' && models(act, file),
    ),
  );
}

function about(file) {
  const parts = [rowsText(file), plural(file.columns.length, 'column'), size(file.blob.size)];
  if (file.layout && file.layout !== 'duckmetrics') parts.push(`columns as in ${file.layout}`);
  if (file.loaded && file.loaded.length < file.columns.length)
    parts.push(`${file.loaded.length} columns read`);
  return parts.join(' · ');
}

function column(state, act, file, key) {
  const id = `map-${file.table}-${key}`;
  const isLacking = state.lack?.file === file && state.lack.key === key;
  const names = file.columns.map(one => [one.name, one.name]);
  const value = key === 'cluster' ? state.question.cluster : file.map[key];
  return h(
    'label',
    null,
    WORDS[key],
    menu(
      [['', NONE[key] ?? 'choose'], ...names],
      value ?? '',
      chosen => (key === 'cluster' ? act.cluster(chosen) : act.column(file, key, chosen)),
      { id, 'aria-invalid': isLacking ? 'true' : null },
    ),
  );
}

/** Of a label that is text, the value that counts as positive. */
const positive = (act, file) =>
  file.labels?.length &&
  h(
    'label',
    null,
    'positive',
    menu(
      file.labels.map(one => [one, one]),
      file.positive ?? '',
      chosen => act.positive(file, chosen),
    ),
  );

function models(act, file) {
  const known = numeric(file).slice(0, 12);
  return h(
    'fieldset',
    null,
    h('legend', null, 'scores, one per model'),
    known.map(name =>
      h(
        'label',
        { class: 'tick' },
        h('input', {
          type: 'checkbox',
          id: `score-${file.table}-${name}`,
          checked: file.scores.includes(name),
          onchange: event =>
            act.scores(
              file,
              event.target.checked ? [...file.scores, name] : file.scores.filter(one => one !== name),
            ),
        }),
        name,
      ),
    ),
  );
}

/** One line of what was found, and the checks. */
export function drawFound(state, act) {
  const box = $('found');
  if (!box) return;
  const { found, findings } = state;
  const parts = partsOf(state);
  box.replaceChildren(
    ...[
      found.length && h('p', { class: 'foundline' }, h('b', null, 'Found: '), found.join(' · ')),
      findings?.length === 0 && h('p', { class: 'foundline' }, 'Checks: nothing is wrong.'),
      findings?.length && checks(findings, act, box.querySelector('details')?.open),
      findings && parts > 1 && h('p', { class: 'small' }, checkedWords(parts)),
    ].filter(Boolean),
  );
}

/** The part of the data that the checks looked at. */
export const checkedWords = parts =>
  `The checks looked at one in ${parts} queries, because all do not fit into a tab. The command checks all.`;

function checks(findings, act, isOpen) {
  const counted = Object.keys(ICONS)
    .map(kind => [kind, findings.filter(one => one.severity === kind).length])
    .filter(([, n]) => n);
  const kinds = joined(counted.map(([kind, n]) => plural(n, kind)));
  const grave = counted[0][0];
  return h(
    'details',
    { open: isOpen },
    h(
      'summary',
      null,
      h('span', { class: { error: 'worse', warning: 'warn' }[grave] }, `Checks: ${kinds}. `),
      h('span', { class: 'small' }, sentence(findings[0])),
    ),
    h(
      'ul',
      { class: 'findings' },
      findings.map(one => finding(one, act)),
    ),
  );
}

function finding(one, act) {
  const setting = one.switch && `${one.switch}=${one.value}`;
  return h(
    'li',
    { class: one.severity },
    h('span', { class: 'icon', 'aria-hidden': 'true' }, ICONS[one.severity]),
    h(
      'div',
      null,
      h('p', null, h('span', { class: 'hidden' }, `${one.severity}: `), sentence(one)),
      one.examples?.length ? h('p', { class: 'small' }, `Examples: ${one.examples.join('; ')}`) : null,
      h('p', { class: 'small' }, `What to do: ${ended(pageWords(one.advice))}`),
      setting &&
        h(
          'p',
          null,
          button(`Set ${setting}`, () => act.setSwitch(one.switch, one.value), { class: 'small-button' }),
        ),
    ),
  );
}

/** An error of a file stands where the files are. */
export function drawFileProblem(problem) {
  $('data-body').querySelector(':scope > .problem')?.remove();
  $('data-body').prepend(problemBox(problem));
}
