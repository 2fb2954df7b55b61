// The role of a file and of its columns, by the layouts of the package; the reader can change every guess.
import { fit, list } from './shapes.js';

export const ROLES = {
  predictions: 'Predictions',
  truth: 'Truth',
  queries: 'Attributes of queries',
  rows: 'Labels and scores',
};
/** The columns that a role has, in the order of the menus. */
export const FIELDS = {
  predictions: ['query_id', 'item_id', 'score', 'rank', 'system'],
  truth: ['query_id', 'item_id', 'relevance'],
  queries: ['query_id'],
  rows: ['label', 'cluster'],
};
const IDS = { query_id: 'query_id', item_id: 'item_id' };
const CANONICAL = {
  title: 'duckmetrics',
  predictions: [
    { columns: { ...IDS, score: 'score' } },
    { columns: { ...IDS, rank: 'rank' } },
    { columns: { label: 'label', score: 'score' } },
    { columns: { ...IDS, item_id: 'items', score: 'scores' } },
    { columns: { ...IDS, item_id: 'items' } },
  ],
  truth: [{ columns: { ...IDS, relevance: 'relevance' } }, { columns: { ...IDS, item_id: 'relevant' } }],
};
const IS_NUMBER = /^(DOUBLE|FLOAT|REAL|DECIMAL|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)/;
const IS_WEIGHT = /^weight$/i;
const IS_FRACTION = /^(DOUBLE|FLOAT|REAL|DECIMAL)/;

/** The shapes of all layouts that a table may have, the plain ones first. */
function shapes(layouts, fileName = '') {
  const every = [CANONICAL, ...Object.values(layouts)];
  const found = every.flatMap(layout =>
    ['predictions', 'truth'].flatMap(role =>
      list(layout[role])
        .filter(shape => shape.certain !== false || isOfTool(layout, fileName))
        .map(shape => ({ ...shape, role, title: layout.title })),
    ),
  );
  const isComputed = shape => Boolean(shape.computed ?? shape.numbered);
  return [...found.filter(one => !isComputed(one)), ...found.filter(isComputed)];
}

/** Whether a tool calls its text files so, as in `*.inter`. */
const isOfTool = ({ text }, fileName) =>
  list(text?.files).some(one =>
    one.startsWith('*') ? fileName.toLowerCase().endsWith(one.slice(1)) : one === fileName.toLowerCase(),
  );

/** What separates the columns of a text file that a tool calls so, and whether it has a header. */
export const textOf = (layouts, fileName) =>
  Object.values(layouts).find(layout => isOfTool(layout, fileName))?.text ?? null;

/** A column that some layout reads as `key`, for a table that fits none. */
function likely(layouts, key, columns) {
  const names = shapes(layouts)
    .flatMap(shape => list(shape.columns[key]))
    .map(one => one.toLowerCase());
  return columns.find(one => names.includes(one.name.toLowerCase()))?.name ?? '';
}

/**
 * Return the most likely role of a table, its columns, and the layout that fits.
 *
 * @param {object} layouts by name
 * @param {RegExp} systems the names of columns by which the package suspects several systems in one file
 * @param {{name: string, type: string}[]} columns of the table
 * @param {string} fileName which decides between roles that fit equally
 */
export function recognized(layouts, systems, columns, fileName) {
  const fits = shapes(layouts, fileName)
    .map(shape => ({ ...shape, ...fit(shape, columns) }))
    .filter(one => one.map)
    .sort((a, b) => Object.keys(b.map).length - Object.keys(a.map).length);
  const most = Object.keys(fits[0]?.map ?? {}).length;
  const best = fits.filter(one => Object.keys(one.map).length === most);
  const looksLikeTruth =
    /rel|truth|gold|label|test|ground/i.test(fileName) && !/pred|score|rank|recom/i.test(fileName);
  const chosen = best.find(one => one.role === (looksLikeTruth ? 'truth' : 'predictions')) ?? best[0];
  const free = columns.filter(one => !chosen?.typed.includes(one.name));
  const named = key => chosen?.map[key] ?? likely(layouts, key, free);
  const map = {
    query_id: named('query_id'),
    item_id: named('item_id'),
    score: named('score'),
    rank: '',
    system: columns.find(one => systems.test(one.name))?.name ?? '',
    relevance: gradeOf(chosen, fits, columns),
    label: named('label'),
    cluster: named('query_id'),
  };
  if (!map.score) map.rank = named('rank');
  const role = roleOf(map, columns, chosen, looksLikeTruth);
  if (!chosen || !Object.keys(chosen.computed).length) return { role, map, layout: chosen?.title ?? '' };
  const { computed, typed, title, usual, hasHoles } = chosen;
  return { role: map.label ? 'rows' : chosen.role, map, layout: title, computed, typed, usual, hasHoles };
}

/** The grade of a truth, as the package finds it: by a layout that fits, or by its name. */
const gradeOf = (chosen, fits, columns) =>
  fits.find(one => one.role === 'truth' && (one === chosen || !Object.keys(one.computed).length))?.map
    .relevance ??
  columns.find(one => one.name.toLowerCase() === 'relevance')?.name ??
  '';

/** Whether a row holds a list of items. */
export const hasLists = (map, columns) =>
  columns.some(one => one.name === map.item_id && one.type.endsWith('[]'));

function roleOf(map, columns, chosen, looksLikeTruth) {
  if (hasLists(map, columns) && !looksLikeTruth && map.item_id.toLowerCase() !== 'relevant')
    return 'predictions';
  const isPair = map.query_id && map.item_id;
  if (
    chosen?.role === 'truth' &&
    (map.relevance || !map.score) &&
    !(map.label && map.score && map.label !== map.relevance)
  ) {
    return map.rank ? 'predictions' : 'truth';
  }
  if (map.label && map.score && map.label !== map.score) return 'rows';
  if (isPair && (map.score || map.rank)) return looksLikeTruth && !map.system ? 'truth' : 'predictions';
  if (isPair) return 'truth';
  if (map.query_id) return 'queries';
  return map.label || scoresOf({ map, columns }).length ? 'rows' : 'predictions';
}

/** The column that weights the rows: it is taken for its name, as at the other doors. */
export function weightOf({ columns, scores, map }) {
  const used = [map.label, ...scores];
  const found = columns.find(one => IS_WEIGHT.test(one.name) && !used.includes(one.name));
  return found?.name ?? '';
}

/** The columns of fractions that look like scores of models: the known one, and those with its beginning. */
export function scoresOf({ map, columns }) {
  const taken = [map.label, map.query_id, map.item_id];
  const numbers = columns
    .filter(one => IS_FRACTION.test(one.type) && !taken.includes(one.name) && !IS_WEIGHT.test(one.name))
    .map(one => one.name);
  const start = map.score.toLowerCase();
  const found = numbers.filter(one => start && one.toLowerCase().startsWith(start.replace(/_.*$/, '')));
  return found.length ? found : map.score ? [map.score] : numbers.slice(0, 1);
}

/** The columns that can hold the score of a model. */
export function numeric({ columns, scores, map }) {
  const fractions = columns.filter(one => IS_FRACTION.test(one.type));
  const known = fractions.length ? fractions : columns.filter(one => IS_NUMBER.test(one.type));
  const names = known.map(one => one.name);
  return columns
    .map(one => one.name)
    .filter(one => one !== map.label && (names.includes(one) || scores.includes(one)));
}

/** Settle roles that files have only next to each other. */
export function settle(files) {
  const runs = files.filter(one => one.role === 'predictions');
  const truth = files.find(one => one.role === 'truth');
  if (!truth && runs.length > 1) {
    const plain = runs.filter(one => !one.map.system);
    const named = plain.find(one => /rel|truth|gold|label|test/i.test(one.name)) ?? plain.at(-1);
    if (named) named.role = 'truth';
  }
  const spare = files.filter(one => one.role === 'truth').slice(1);
  for (const one of spare) if (one.map.score || one.map.rank) one.role = 'predictions';
  if (truth) for (const one of files) if (one.role === 'rows' && !one.map.label) one.role = 'predictions';
  if (truth && files.some(one => one.role === 'rows')) {
    for (const one of files)
      if (one.role === 'rows' && one.map.query_id && one.map.item_id) one.role = 'predictions';
  }
  for (const one of files) {
    if (one.role !== 'truth' || one.map.relevance) continue;
    // The number of {query: {item: number}} is the grade of a truth.
    if (one.isNested) one.map.relevance = one.map.score;
    else if (one.map.label?.toLowerCase() === 'label') one.map.relevance = one.map.label;
  }
}
