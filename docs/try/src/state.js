// What the page knows: files, question and answer; and the part of it that stands in the address.
import { spec, specs } from './words.js';

export const state = {
  catalog: null,
  layouts: null,
  samples: [],
  files: [],
  extra: [],
  tables: '',
  given: '',
  sample: null,
  family: null,
  systems: [],
  attributes: [],
  found: [],
  question: emptyQuestion(),
  answer: null,
  reading: null,
  details: null,
  findings: null,
  sideBySide: null,
  focus: null,
  isWorking: false,
  tab: 'form',
};

export function emptyQuestion() {
  return { metrics: [], baseline: '', by: [], cluster: '', like: '', switches: {} };
}

export const clearAnswer = () =>
  Object.assign(state, { answer: null, reading: null, details: null, findings: null, sideBySide: null });

/** The metric of a spec in the catalogue of a family. */
export const metricOf = (name, family = state.family) =>
  state.catalog.metrics.find(
    one => one.family === family && (one.name === name || one.aliases.includes(name)),
  );

/** The columns that the reader's own metrics of a question read. */
export const ownColumns = ({ metrics }) => metrics.flatMap(text => metricOf(spec(text).name)?.columns ?? []);

/** Whether a link may name what comes from data: only of samples, which everyone has. */
const isShared = () => Boolean(state.sample);

/** Write the settings into the address. Files and names within them stay out of it. */
export function remember(sql = '') {
  const { question } = state;
  const pairs = new URLSearchParams();
  if (state.sample) pairs.set('sample', state.sample);
  if (state.tables) pairs.set('tables', state.tables);
  if (state.given) pairs.set('files', state.given);
  if (question.metrics.length) pairs.set('metrics', question.metrics.join(','));
  if (isShared()) {
    pairs.set('baseline', question.baseline);
    pairs.set('by', question.by.join(','));
    if (question.cluster) pairs.set('cluster', question.cluster);
  }
  if (question.like) pairs.set('like', question.like);
  const switches = Object.entries(question.switches).map(([key, value]) => `${key}:${value}`);
  if (switches.length) pairs.set('set', switches.join(','));
  if (state.tab === 'sql') pairs.set('sql', sql);
  const text = pairs.toString();
  history.replaceState(null, '', text ? `?${text}` : location.pathname);
}

/** The settings of an address. */
export function remembered(search = location.search) {
  const pairs = new URLSearchParams(search);
  const found = {};
  if (pairs.get('metrics')) found.metrics = specs(pairs.get('metrics'));
  for (const key of ['baseline', 'cluster', 'like']) if (pairs.has(key)) found[key] = pairs.get(key);
  if (pairs.has('by')) found.by = pairs.get('by').split(',').filter(Boolean);
  if (pairs.has('set')) {
    const entries = pairs
      .get('set')
      .split(',')
      .map(one => one.split(':'))
      .filter(one => one.length === 2);
    found.switches = Object.fromEntries(entries.map(([key, value]) => [key, typed(value)]));
  }
  return {
    sample: pairs.get('sample'),
    sql: pairs.get('sql'),
    files: pairs.get('files'),
    tables: pairs.get('tables'),
    settings: found,
  };
}

/** A value of a switch: a number where the text is one. */
export const typed = text => (text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text);
