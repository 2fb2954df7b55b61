// What the data suggest: systems, attributes, and a first question; and what they lack.
import { isRows, ofRole } from './calls.js';
import { hasLists } from './layouts.js';
import { familyOf } from './question.js';
import { unitsOf } from './reading.js';
import { viewOf } from './shapes.js';
import { metricOf } from './state.js';
import { few, name as quoted, number, percent, plural, spec } from './words.js';

const IS_ATTRIBUTE = /^(VARCHAR|BOOLEAN|U?(TINY|SMALL|BIG)?INT(EGER)?|ENUM|DATE)/;
const MOST_SLICES = 40;

/** Find the systems, and the attributes to slice by. */
export async function describe(engine, state) {
  if (isRows(state)) {
    const [file] = ofRole(state, 'rows');
    state.systems = file.scores;
    await labels(engine, file);
    // The score of the positive class needs the positive value.
    for (const view of viewOf(file)) await engine.query(view);
    state.attributes = await attributesOf(engine, file, [file.map.label, ...file.scores]);
    return;
  }
  const runs = ofRole(state, 'predictions');
  const [{ map, table: named }] = runs;
  if (runs.length > 1) state.systems = runs.map(one => one.system);
  else if (map.system) {
    const rows = await engine.query(
      `SELECT ${quoted(map.system)}::VARCHAR AS system FROM ${quoted(named)} GROUP BY ALL ORDER BY ALL LIMIT 30`,
    );
    state.systems = rows.map(row => row.system).filter(one => one !== null);
  } else state.systems = [runs[0].system];
  const [queries] = ofRole(state, 'queries');
  const of = queries ? [queries] : ofRole(state, 'truth');
  state.attributes = (
    await Promise.all(of.map(one => attributesOf(engine, one, Object.values(one.map))))
  ).flat();
}

/** The values of a label that is text, of which one counts as positive. */
async function labels(engine, file) {
  const type = file.columns.find(one => one.name === file.map.label)?.type ?? '';
  file.labels = null;
  if (!/^(VARCHAR|ENUM)/.test(type)) return;
  const rows = await engine.query(
    `SELECT ${quoted(file.map.label)}::VARCHAR AS label FROM ${quoted(file.table)} GROUP BY ALL ORDER BY ALL LIMIT 12`,
  );
  file.labels = rows.map(row => row.label).filter(one => one !== null);
  file.positive ??=
    file.labels.find(one => /^(1|yes|true|y|t|pos|positive|click|clicked)$/i.test(one)) ?? file.labels.at(-1);
}

async function attributesOf(engine, file, taken) {
  const names = file.columns
    .filter(
      one =>
        ![...taken, ...(file.typed ?? [])].includes(one.name) &&
        IS_ATTRIBUTE.test(one.type) &&
        file.loaded?.includes(one.name),
    )
    .map(one => one.name)
    .slice(0, 60);
  if (!names.length) return [];
  const counted = names.map((one, place) => `approx_count_distinct(${quoted(one)}) AS c${place}`).join(', ');
  const [row] = await engine.query(`SELECT ${counted} FROM ${quoted(file.table)}`);
  return names.filter((_, place) => row[`c${place}`] > 1 && row[`c${place}`] <= MOST_SLICES);
}

export async function usual(engine, state, wanted) {
  const { question } = state;
  Object.assign(question, wanted);
  if (!state.systems.includes(question.baseline) && (wanted.baseline === undefined || question.baseline)) {
    const named = state.systems.find(one => /base|control|old|prod|current/i.test(one));
    question.baseline =
      state.systems.length < 2 ? '' : (named ?? (state.systems.length === 2 ? state.systems[0] : ''));
  }
  question.metrics = question.metrics.filter(one => metricOf(spec(one).name, state.family));
  if (!question.metrics.length) question.metrics = await usualMetrics(engine, state);
  const columns = state.files.flatMap(one => one.columns.map(column => column.name));
  question.by = question.by.filter(one => columns.includes(one));
  if (isRows(state)) {
    const [file] = ofRole(state, 'rows');
    if (question.cluster && !file.columns.some(one => one.name === question.cluster)) question.cluster = '';
    if (wanted.cluster === undefined && !question.cluster && file.isNew !== false)
      question.cluster = file.map.cluster ?? '';
    file.isNew = false;
  }
}

/** The metrics of the first sample of the family; of scores that are no probabilities, the usual ones. */
async function usualMetrics(engine, state) {
  const usual = state.catalog.usual[state.family];
  const [sample] = state.samples.filter(one => familyOf(one) === state.family);
  if (!isRows(state)) return [...sample.settings.metrics];
  const [file] = ofRole(state, 'rows');
  const outside = file.scores.map(one => `bool_or(NOT ${quoted(one)}::DOUBLE BETWEEN 0 AND 1)`).join(' OR ');
  const [{ is_outside }] = await engine.query(`SELECT ${outside} AS is_outside FROM ${quoted(file.table)}`);
  return is_outside ? [...usual] : [...sample.settings.metrics];
}

/** One line of what was found in the data. */
export async function foundWords(engine, state) {
  const systems = `${plural(state.systems.length, isRows(state) ? 'model' : 'system')} (${few(state.systems, 'name', 3)})`;
  if (isRows(state)) {
    const { n, positives } = state.details;
    return [systems, plural(n, 'row'), `${number(positives, 0)} positive (${percent(positives / n, false)})`];
  }
  const [truth] = ofRole(state, 'truth');
  const [{ n }] = await engine.query(
    `SELECT count(DISTINCT ${quoted(truth.map.query_id)}) AS n FROM ${quoted(truth.table)}`,
  );
  const unjudged = state.findings.find(one => one.check === 'unjudged_item');
  const judged = unjudged?.of
    ? `${percent(1 - unjudged.count / unjudged.of, false)} of the first items judged`
    : 'all of the first items judged';
  return [systems, `${plural(n, ...words(state).counted)} with judgments`, judged];
}

/** What is counted, and what is independent of each other. */
export function words(state) {
  if (isRows(state)) {
    const rows = ['row', 'rows'];
    return { counted: rows, units: unitsOf(state.question.cluster, rows) };
  }
  const query = ofRole(state, 'predictions')[0]?.map.query_id;
  const counted = unitsOf(query, ['query', 'queries']);
  return { counted, units: counted };
}

/** The first thing that a question needs and does not have. */
export function lacking(state) {
  const of = (file, key, text) => ({ file, key, text });
  if (isRows(state)) {
    const [file] = ofRole(state, 'rows');
    if (!file.map.label)
      return of(file, 'label', `${file.name}: choose the column that holds the label, such as 0 and 1.`);
    if (!file.scores.length)
      return of(file, 'score', `${file.name}: choose a column that holds the score of a model.`);
    return null;
  }
  const runs = ofRole(state, 'predictions');
  const [truth] = ofRole(state, 'truth');
  const missing = (what, items, column) =>
    of(
      null,
      '',
      `The ${what} missing. Drop the file with the ${items} items, in columns such as query_id, item_id and ${column}.`,
    );
  if (!runs.length) return missing('predictions are', 'ranked', 'score');
  if (!truth) return missing('truth is', 'relevant', 'relevance');
  for (const file of [...runs, truth]) {
    for (const key of ['query_id', 'item_id']) {
      if (!file.map[key])
        return of(file, key, `${file.name}: no column '${key}'; choose it in the card of the file.`);
    }
    const isOrdered = file.map.score || file.map.rank || hasLists(file.map, file.columns);
    if (file.role === 'predictions' && !isOrdered) {
      return of(file, 'score', `${file.name}: no column 'score'; choose the column that orders the items.`);
    }
  }
  return null;
}

export function sampleSettings(sample) {
  if (!sample) return {};
  const { metrics, baseline = '', by = [], cluster = '' } = sample.settings;
  return { metrics: [...metrics], baseline, by: [...by], cluster };
}

export function columnsOfSample(sample, file) {
  const { system, label, columns = {} } = sample.settings;
  const has = name => file.columns.some(one => one.name === name);
  const found = {};
  for (const [key, column] of Object.entries({ system, label, ...columns }))
    if (column && has(column)) found[key] = column;
  return found;
}
