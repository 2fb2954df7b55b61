// The question is computed in three parts: the number, what is behind it, and the checks.
import {
  bare,
  comparable,
  comparison,
  isCompared,
  isRows,
  macroOf,
  ofRole,
  rankingCalls,
  rowCalls,
} from './calls.js';
import { weightOf } from './layouts.js';
import { metricOf } from './state.js';
import { literal, name as quoted, spec } from './words.js';

/** Rows above which metrics are computed one after another, so that memory is that of one. */
const LARGE = 8e6;
/** Rows that the checks of rankings handle next to what a metric left in memory. */
const MOST_CHECKED = 6e6;
const LEVEL = 0.05;
const POINTS = Array.from({ length: 201 }, (_, place) => place / 200);

const macrosOf = {
  rankingDetails: ['evaluate_by_query', 'movers'],
  rowDetails: ['roc_curve', 'calibration_curve', 'score_histogram'],
};

/** What a question of the other family or a check may load later: fetched while the reader reads. */
export const LATER = [
  'compare',
  'compare_classification',
  'inspect',
  'inspect_classification',
  ...Object.values(macrosOf).flat(),
];

/** Load macros in the shadow of the engine's start. */
export const prepare = (engine, rows, alone) => engine.macros([comparison(rows, alone)]);

/** SQL of the views that the calls of a question read. */
export const viewsOf = state => (isRows(state) ? rowCalls(state) : rankingCalls(state)).views;

const rowsOf = state => state.files.reduce((sum, one) => sum + one.rows, 0);
const isLarge = state => rowsOf(state) > LARGE;
/** Return n if the checks look at one in n queries; all of them do not fit into memory. */
export const partsOf = state => (isRows(state) ? 1 : Math.ceil(rowsOf(state) / MOST_CHECKED));

/**
 * Return the rows of the answer.
 *
 * @param {import('./engine.js').Engine} engine
 * @param {(done: number, total: number) => void} progress is told which metric is done
 */
export async function number(engine, state, progress) {
  const start = performance.now();
  const answer = isRows(state)
    ? await rowNumbers(engine, state)
    : await rankingNumbers(engine, state, progress);
  return { ...answer, seconds: (performance.now() - start) / 1000, isCompared: isCompared(state) };
}

async function rankingNumbers(engine, state, progress) {
  await engine.macros([macroOf(state)]);
  const calls = rankingCalls(state);
  for (const view of calls.views) await engine.query(view);
  const { metrics } = state.question;
  if (!isLarge(state) || metrics.length === 1) return { rows: await engine.query(calls.compare(metrics)) };
  const rows = [];
  for (const [place, metric] of metrics.entries()) {
    progress(place, metrics.length);
    rows.push(...(await engine.query(calls.compare([metric], { adjust: "'none'" }))));
  }
  return { rows: await adjusted(engine, rows) };
}

/** Adjust the p-values of metrics that were computed one after another, as one call does: for each slice. */
async function adjusted(engine, rows) {
  await engine.macros(['holm']);
  const tested = rows.filter(row => row.p !== null);
  for (const slice of new Set(tested.map(placeOf))) {
    const own = tested.filter(row => placeOf(row) === slice);
    const values = own.map((row, place) => `(${place}, ${row.p}::DOUBLE)`).join(', ');
    const text = literal(`SELECT * FROM (VALUES ${values}) AS t(test, p)`);
    for (const { test, p_adjusted } of await engine.query(`FROM holm(${text}, test, p)`)) {
      const row = own[test];
      Object.assign(row, { p_adjusted, adjust: 'holm', n_tests: own.length });
      // Adjusting only raises p, so it can take a verdict away and never gives one.
      if (!(p_adjusted < LEVEL) && ['better', 'worse', 'different'].includes(row.verdict)) {
        row.verdict = 'unclear';
      }
    }
  }
  return rows;
}

async function rowNumbers(engine, state) {
  await engine.macros([macroOf(state)]);
  const calls = rowCalls(state);
  for (const view of calls.views) await engine.query(view);
  const [compared, alone] = comparable(state.question.metrics);
  const rows = compared.length ? await engine.query(calls.compare(compared)) : [];
  for (const metric of alone) rows.push(...(await untested(engine, state, calls, metric)));
  const order = one =>
    state.question.metrics.findIndex(metric => spec(metric).name === spec(one.metric).name);
  if (!alone.length) return { rows }; // as the engine returned them, so that they can be saved as they are
  return { rows: [...rows].sort((a, b) => order(a) - order(b)) };
}

/** Values of a metric that the macro does not compare, by its own macro, as rows without a test. */
async function untested(engine, state, calls, metric) {
  const { baseline } = state.question;
  const { macro, not_compared } = metricOf(spec(metric).name, 'classification');
  await engine.macros([macro]);
  const rows = await engine.query(calls.own(metric));
  return rows.map(row => {
    const base = rows.find(one => one.system === baseline && placeOf(one) === placeOf(row));
    const isBase = !isCompared(state) || row.system === baseline;
    const delta = isBase || row.value === null || base?.value == null ? null : row.value - base.value;
    const verdict = isBase ? 'baseline' : 'not tested';
    return { ...row, baseline, delta, verdict, reason: row.reason ?? not_compared };
  });
}

/** The slice of a row, as one text. */
export function placeOf(row) {
  if (!row.slice) return '';
  return JSON.stringify(row.slice.split(/,\s*/).map(column => [column, row[column] ?? null]));
}

/** What is behind the number: changes per query for rankings, curves for classifiers. */
export function details(engine, state, answer) {
  return isRows(state) ? curves(engine, state) : answer.isCompared ? changes(engine, state, answer) : null;
}

async function changes(engine, state, answer) {
  await engine.macros(macrosOf.rankingDetails);
  const calls = rankingCalls(state);
  const { baseline, metrics } = state.question;
  const parts = isLarge(state) ? metrics.map(one => [one]) : [metrics];
  for (const [place, specs] of parts.entries()) {
    const start = place ? 'INSERT INTO per_query' : 'CREATE OR REPLACE TEMP TABLE per_query AS';
    await engine.query(`${start} ${calls.byQuery(specs)}`);
  }
  const moves = await engine.query(`FROM movers('per_query', baseline := ${literal(baseline)}, n := 5)`);
  const base = `(FROM per_query WHERE system = ${literal(baseline)}) AS base USING (metric, query_id)`;
  const steps = await engine.query(
    `SELECT per_query.system, metric, quantile_disc(per_query.value - base.value, [${POINTS.join(', ')}]) AS points
FROM per_query JOIN ${base}
WHERE per_query.system <> base.system AND per_query.value - base.value IS NOT NULL GROUP BY ALL`,
  );
  return { moves, steps, unit: answer.unit };
}

async function curves(engine, state) {
  await engine.macros(macrosOf.rowDetails);
  const calls = rowCalls(state);
  const [file] = ofRole(state, 'rows');
  const drawn = drawnModels(state, file.scores);
  const found = {};
  for (const model of drawn) {
    found[model] = {
      roc: await engine.query(calls.curve('roc_curve', model, { points: 120 })),
      calibration: await engine.query(calls.curve('calibration_curve', model)).catch(() => null),
      scores: await engine.query(calls.curve('score_histogram', model, { bins: 30 })),
    };
  }
  const last = found[drawn[0]].roc.at(-1);
  return { drawn, curves: found, n: last.tp + last.fp, positives: last.tp };
}

/** The models that a chart shows: the baseline and another one. */
function drawnModels(state, models) {
  const { baseline } = state.question;
  if (!isCompared(state)) return models.slice(0, 2);
  return [baseline, models.find(one => one !== baseline)];
}

/** The findings of the package, the gravest first. */
export async function findings(engine, state) {
  const found = isRows(state) ? await rowFindings(engine, state) : await rankingFindings(engine, state);
  const rank = one => ['error', 'warning', 'note'].indexOf(one.severity);
  const share = one => (one.of ? one.count / one.of : 0);
  return found.sort((a, b) => rank(a) - rank(b) || share(b) - share(a));
}

async function rankingFindings(engine, state) {
  await engine.macros(['inspect']);
  const cutoffs = state.question.metrics.map(one => Number(spec(one).k)).filter(Boolean);
  return engine.query(rankingCalls(state).inspect(cutoffs[0] ?? 10, partsOf(state)));
}

/** The note about a column that weights the rows, for nobody named it. */
const weighted = (state, file) => ({
  severity: 'note',
  message: `${file.name}: column '${weightOf(file)}': ${state.catalog.weights}`,
  advice: 'if it is no weight, give the column another name',
});

async function rowFindings(engine, state) {
  await engine.macros(['inspect_classification']);
  const calls = rowCalls(state);
  const [file] = ofRole(state, 'rows');
  const found = weightOf(file) ? [weighted(state, file)] : [];
  for (const score of file.scores) {
    for (const one of await engine.query(calls.inspect(score, bare(state.question.metrics)))) {
      if (!found.some(other => other.message === one.message)) found.push({ ...one, score });
    }
  }
  return found;
}

/** The metric under the conventions of every tool. */
export async function sideBySide(engine, state, metric, system) {
  const calls = rankingCalls(state);
  await engine.macros(['evaluate']);
  const rows = await engine.query(calls.like(metric, system));
  for (const one of state.catalog.presets) {
    const asked = engine.query(calls.like(metric, system, one.name));
    rows.push({ tool: one.title, ...(await asked.catch(error => [{ error }]))[0] });
  }
  return rows;
}

/** A column whose values tell systems apart: within each of them no item is repeated. */
export async function separating(engine, state, columns) {
  const [file] = ofRole(state, 'predictions');
  const { query_id, item_id } = file.map;
  for (const column of columns) {
    const key = [query_id, item_id, column].map(quoted).join(', ');
    const [found] = await engine.query(
      `SELECT count(DISTINCT (${key})) = count(*) AS separates,
list_sort(list(DISTINCT ${quoted(column)}::VARCHAR))[:5] AS names FROM ${quoted(file.table)}`,
    );
    if (found.separates) return { column, names: found.names };
  }
  return null;
}
