// The shown answer as one HTML file with the styles of the report; it loads nothing and runs no script.
import { mainTable, sentence, slices } from './answer.js';
import { details } from './behind.js';
import { partsOf } from './compute.js';
import { checkedWords } from './data.js';
import { h, save } from './dom.js';
import { LANGUAGES, elsewhere, reportCommand } from './elsewhere.js';
import { fetched } from './engine.js';
import { verdict } from './verdict.js';
import { capital, ended, joined, pageWords } from './words.js';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
/** The classes of this page, and those of the report that look alike. */
const CLASSES = { hidden: 'unseen', two: 'grid2', moves: 'movers' };

/** The styles of charts and of the report. */
export const styles = () =>
  Promise.all(['charts.css', 'report.css'].map(async name => (await fetched(name)).text()));

/** Save the answer as a file of the reader. */
export async function saveAnswer(state) {
  const css = (await styles()).join('');
  const title = `duckmetrics: ${joined(state.files.map(one => one.name))}`;
  const text = [
    '<!doctype html><!-- the answer of the page "Try it" of duckmetrics -->\n<html lang="en">\n<head>\n',
    '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width,initial-scale=1">\n',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`,
    `${markup(h('title', null, title))}\n<style>${css}</style>\n</head>\n<body class="dm">\n`,
    `${markup(page(state, title))}\n</body>\n</html>\n`,
  ];
  save('duckmetrics-answer.html', text, 'text/html');
}

/** Elements as text, in which everything from files is escaped. */
const markup = element => new XMLSerializer().serializeToString(element);

function page(state, title) {
  const { head, lead } = verdict(state.reading);
  const main = h(
    'main',
    null,
    h('p', { class: 'top' }, [title, ...state.found].join(' · ')),
    h('h1', null, head),
    h('p', { class: 'lead' }, lead),
    h('section', null, mainTable(state)),
    state.reading.metrics.map(metric => ofMetric({ ...state, focus: metric })),
    trust(state),
    method(state),
    h(
      'footer',
      null,
      `Made by the page “Try it” of duckmetrics ${state.catalog.version}. This file holds the answer that the page `,
      'showed. It loads nothing and runs no script.',
    ),
  );
  for (const [own, other] of Object.entries(CLASSES))
    for (const one of main.querySelectorAll(`.${own}`)) one.classList.replace(own, other);
  return main;
}

/** Slices of a metric, and what is behind it. */
function ofMetric(state) {
  const { reading, focus } = state;
  const system = reading.best(reading.others, focus)?.system ?? reading.others[0];
  const rows = reading.slices(system, focus);
  // Curves of classifiers belong to all metrics, and stand once.
  const parts = state.details?.moves || focus === reading.metrics.at(-1) ? details(state, system) : [];
  if (!rows.length && !parts.length) return null;
  const name = rows.length ? `${focus} by ${state.question.by.join(', ')}` : focus;
  const isOnlyCurves = !rows.length && !state.details?.moves;
  return h(
    'section',
    null,
    !isOnlyCurves && h('h2', null, reading.isCompared ? `${name}: ${system}` : name),
    rows.length && slices(reading, system, rows),
    parts,
  );
}

function trust(state) {
  const { findings } = state;
  const parts = partsOf(state);
  return h(
    'section',
    null,
    h('h2', null, 'Can the data be trusted?'),
    parts > 1 && h('p', { class: 'about' }, checkedWords(parts)),
    !findings && h('p', null, 'The checks had not ended when this file was saved.'),
    findings?.length === 0 && h('p', null, 'The checks found nothing.'),
    findings?.map(one =>
      h(
        'div',
        { class: `finding ${one.severity}` },
        h('p', null, h('b', null, `${capital(one.severity)}:`), ` ${sentence(one)} `, examples(one)),
        h('p', null, h('b', null, 'What to do:'), ` ${ended(pageWords(one.advice))}`),
      ),
    ),
  );
}

const examples = one =>
  one.examples?.length ? h('span', { class: 'small' }, `Such as ${one.examples.join('; ')}.`) : null;

const code = (title, text) => [h('h3', null, title), h('pre', { tabindex: 0 }, text)];

/** The conventions, and the calls that give the same numbers elsewhere. */
function method(state) {
  const { reading } = state;
  const signatures = reading.metrics.map(metric => reading.rows.find(one => one.metric === metric).signature);
  return h(
    'section',
    null,
    h('h2', null, 'How this was computed'),
    h('h3', null, 'Conventions behind each metric (signatures)'),
    h(
      'ul',
      null,
      signatures.map(one => h('li', null, h('code', null, one))),
    ),
    Object.entries(elsewhere(state)).map(([key, text]) => code(LANGUAGES[key], text)),
    code('The report, with more charts', reportCommand(state)),
  );
}
