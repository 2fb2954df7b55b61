// Step 3: the verdict, the table, what is behind it, and the way to take it along.
import { details as behind } from './behind.js';
import { forest, values } from './charts.js';
import { $, button, code, h, menu, say, tabs } from './dom.js';
import { LANGUAGES, elsewhere } from './elsewhere.js';
import { save as download } from './saving.js';
import { sideBySide as tools } from './side_by_side.js';
import { change, directionWords, placeLabel, verdict } from './verdict.js';
import { capital, count, ended, pageWords, plural } from './words.js';

let language = 'command';

/** Show the answer as one of the present question. */
export const current = () => $('answer-body').classList.remove('old');

/** Draw the answer; `act` holds what buttons do. */
export function drawAnswer(state, act) {
  const { reading } = state;
  const { head, lead } = verdict(reading);
  if (!reading.metrics.includes(state.focus)) state.focus = reading.metrics[0];
  $('answer-body').replaceChildren(
    h('h3', { class: 'verdict' }, head),
    h('p', { class: 'lead' }, lead),
    h('p', { id: 'care', class: 'small' }),
    h('div', { id: 'main-table' }, mainTable(state)),
    h('div', { id: 'behind' }),
    same(state, act),
    h(
      'div',
      { class: 'bar' },
      h('span', { class: 'small', id: 'download' }, 'Download'),
      ['csv', 'json', 'parquet'].map(kind =>
        button(
          { csv: 'CSV', json: 'JSON', parquet: 'Parquet' }[kind],
          () => download(kind, state.answer.rows),
          { 'aria-describedby': 'download' },
        ),
      ),
      button('HTML', () => act.page.saveAnswer(), { 'aria-describedby': 'download' }),
      h('span', { class: 'small' }, `Computed in this tab in ${state.answer.seconds.toFixed(1)} s.`),
    ),
    h(
      'details',
      { class: 'signature' },
      h('summary', null, 'Conventions behind these numbers'),
      h(
        'ul',
        null,
        reading.metrics.map(metric =>
          h('li', null, h('code', null, reading.rows.find(one => one.metric === metric).signature)),
        ),
      ),
    ),
  );
  drawCare(state);
  say(`Answer: ${head} ${lead}`);
}

/** The values of all systems, or the changes from the baseline. */
export function mainTable({ reading }) {
  if (!reading.isCompared) {
    const groups = reading.metrics.map(metric => {
      const lines = reading.systems.map(one => reading.row(one, metric)).filter(Boolean);
      return { label: metric, note: lines[0].better === 'higher' ? '' : directionWords(lines[0]), lines };
    });
    const note = independence(reading);
    return [values(groups, 'Values with intervals'), note && h('p', { class: 'legend' }, note)];
  }
  const one = reading.others.length === 1;
  const tables = one
    ? [
        forest(
          'metric',
          reading.metrics
            .map(metric => lineOf(reading, reading.row(reading.others[0], metric), metric))
            .filter(Boolean),
          'Change of every metric',
        ),
      ]
    : reading.metrics.map(metric => [
        h('h4', null, metric),
        forest(
          'system',
          reading.others.map(other => lineOf(reading, reading.row(other, metric), other)).filter(Boolean),
          `Change of ${metric} of every system`,
        ),
      ]);
  return [tables, legend(reading)];
}

const lineOf = (reading, row, label) =>
  row && {
    row,
    before: reading.base(row)?.value ?? null,
    label,
    note: label === row.metric ? directionWords(row) : '',
  };

function legend(reading) {
  return h(
    'p',
    { class: 'legend' },
    h('b', { class: 'better' }, '▲ better'),
    ' and ',
    h('b', { class: 'worse' }, '▼ worse'),
    ': the difference is larger than chance explains (p < 0.05, adjusted by Holm’s method). ',
    '○ unclear: chance can explain the difference. – not tested. ',
    `Changes are relative to ${reading.baseline}. ${independence(reading)}`,
  );
}

/** What the intervals of classifiers take as independent of each other. */
function independence({ units, counted }) {
  if (units !== counted) return `Intervals allow for ${counted[1]} of the same ${units[0]} being correlated.`;
  if (counted[0] !== 'row') return '';
  return 'Intervals take rows as independent. If rows of one user are correlated, choose the user as the unit.';
}

/** The parts that follow the number: slices, and what the second computation found. */
export function drawBehind(state, act) {
  const box = $('behind');
  if (!box) return;
  const { reading } = state;
  const system = reading.best(reading.others, state.focus)?.system ?? reading.others[0];
  const rows = reading.slices(system, state.focus);
  const choices = reading.metrics.length > 1 && (rows.length || state.details?.moves);
  const picker =
    choices &&
    h(
      'label',
      { class: 'focus' },
      'Show ',
      menu(
        reading.metrics.map(one => [one, one]),
        state.focus,
        chosen => {
          state.focus = chosen;
          drawBehind(state, act);
          $('focus').focus();
        },
        { id: 'focus' },
      ),
    );
  box.replaceChildren(
    ...[
      (rows.length || choices) &&
        h('div', { class: 'between' }, h('h3', null, rows.length ? sliceTitle(state) : state.focus), picker),
      rows.length && slices(reading, system, rows),
      ...behind(state, system),
      ...sideBySide(state, act, system),
    ]
      .flat()
      .filter(Boolean),
  );
}

const sliceTitle = state =>
  `${state.focus} by ${state.question.by.join(', ')}${state.reading.isCompared ? ', the worst first' : ''}`;

/** The slices of a metric, the worst first. */
export function slices(reading, system, rows) {
  if (!reading.isCompared) {
    const groups = rows.map(row => ({
      label: placeLabel(row),
      note: '',
      lines: reading.systems
        .map(one => reading.slices(one, row.metric).find(other => placeLabel(other) === placeLabel(row)))
        .filter(Boolean),
    }));
    return values(groups, 'Values by slice', rows[0].slice, true);
  }
  const overall = reading.row(system, rows[0].metric);
  const before = reading.base(overall)?.value ?? null;
  const lines = rows.map(row => ({
    row,
    before: reading.base(row)?.value ?? null,
    label: placeLabel(row),
    note: `n = ${count(row.n_units ?? row.n)}`,
  }));
  return forest(rows[0].slice, lines, `Change by ${rows[0].slice}`, change(overall, before)?.x ?? null);
}

function sideBySide(state, act, system) {
  if (state.family !== 'ranking') return [];
  const known = state.sideBySide;
  const isKnown = known?.metric === state.focus && known?.system === system;
  const box = h(
    'details',
    { class: 'tools', open: isKnown },
    h('summary', null, `What other tools print for ${state.focus}`),
    h('div', { id: 'tools' }, isKnown ? tools(known.rows) : h('p', { class: 'small' }, 'Computing …')),
  );
  box.addEventListener('toggle', () => box.open && !isKnown && act.sideBySide(state.focus, system));
  return [box];
}

/** The gravest finding stays next to the verdict. */
export function drawCare(state) {
  const box = $('care');
  if (!box) return;
  const grave = (state.findings ?? []).find(one => one.severity !== 'note');
  box.replaceChildren(
    ...(grave
      ? [
          h('b', { class: 'warn' }, grave.severity === 'error' ? 'Do not decide yet. ' : 'Read with care. '),
          sentence(grave),
        ]
      : []),
  );
}

/** A finding as one sentence: `31,535 of 42,201 returned items without a judgment (75%).` */
export function sentence({ message, count: n, of }) {
  const start = of ? `${n} of ${of} ` : `${n} `;
  const at = message.indexOf(start);
  // A message that does not begin with the numbers has them within it, or has none.
  if (at < 0) return ended(message.split(/ \(|;/)[0]);
  const what = message.slice(at + start.length).split(/ \(|;/)[0];
  const share = of ? ` (${((100 * n) / of).toFixed(n / of < 0.1 ? 1 : 0)}%)` : '';
  return ended(`${count(n)}${of ? ` of ${count(of)}` : ''} ${what}${share}`);
}

/** The same question as a command, as Python and as SQL. */
function same(state, act) {
  const texts = elsewhere(state);
  const panel = h('div', { role: 'tabpanel', id: 'code', 'aria-label': 'The same elsewhere' });
  const bar = h(
    'div',
    { role: 'tablist', class: 'tabs', 'aria-label': 'Language' },
    Object.entries(LANGUAGES).map(([key, text]) =>
      h(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `code-${key}`,
          'aria-controls': 'code',
          'aria-selected': key === language,
          tabindex: key === language ? 0 : -1,
        },
        text,
      ),
    ),
  );
  const show = key => {
    language = key;
    const more = key === 'sql' ? button('Open in the SQL tab', () => act.openSql(texts.sql)) : null;
    panel.replaceChildren(...[code(texts[key]), more && h('p', null, more)].filter(Boolean));
  };
  tabs(bar, chosen => show(chosen.id.slice(5)));
  show(language);
  return h(
    'section',
    { class: 'same', 'aria-labelledby': 'h-same' },
    h('div', { class: 'between' }, h('h3', { id: 'h-same' }, 'The same number on your machine'), bar),
    panel,
  );
}

/** Ask for what is still missing. */
export function drawAsk(text, ...more) {
  $('answer-body').replaceChildren(h('div', { class: 'ask' }, h('p', null, text), more));
  say(text);
}

/**
 * An error with its place and its way out.
 *
 * @param {{head: string, where?: string, what: string, todo?: string, actions?: object[]}} problem which may
 * also have a command
 */
export function problemBox({ head, where, what, todo, actions = [], command }) {
  return h(
    'div',
    { class: 'problem', role: 'alert' },
    h('h3', null, head),
    h('p', null, where && [h('code', null, where), ': '], ended(where ? what : capital(what))),
    todo && h('p', null, `What to do: ${ended(pageWords(todo))}`),
    actions.map(({ label, act, why }) =>
      h('div', { class: 'act' }, button(label, act), why && h('span', { class: 'small' }, why)),
    ),
    command && code(command),
  );
}

export const drawProblem = problem => {
  $('answer-body').replaceChildren(problemBox(problem));
};

export const rowsText = file => plural(file.rows ?? 0, 'row');
