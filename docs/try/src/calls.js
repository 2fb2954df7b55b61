// A question as calls of the macros: what the page runs, and what the reader copies.
import { hasLists, weightOf } from './layouts.js';
import { viewOf } from './shapes.js';
import { metricOf, ownColumns, typed } from './state.js';
import { literal, name as quoted, paramsOf, spec } from './words.js';

const KEYS = ['query_id', 'item_id'];
// Tools that keep the order of the rows for equal scores need a column of it.
const PLACE = 'row_number() OVER () AS row_position';

/** The text of a call, with a line of its own for the named arguments if it is long. */
export function call(macro, positional, named) {
  const pairs = Object.entries(named)
    .filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .map(([key, value]) => `${quoted(key)} := ${value}`);
  const parts = [...positional, ...pairs];
  const line = `${macro}(${parts.join(', ')})`;
  if (line.length <= 96) return line;
  const lines = [];
  for (const part of parts) {
    if (lines.length && (lines.at(-1) + part).length < 92) lines[lines.length - 1] += `, ${part}`;
    else lines.push(part);
  }
  return `${macro}(\n    ${lines.join(',\n    ')}\n)`;
}

export const from = (macro, positional, named) => `FROM ${call(macro, positional, named)}`;

/** SQL that drops what earlier questions left in the engine. */
export const DERIVED_TABLES = ['all_predictions', 'all_truth', 'all_queries', 'all_models']
  .map(view => `DROP VIEW IF EXISTS ${view};`)
  .concat('DROP TABLE IF EXISTS per_query;')
  .join('\n');

/** Files by role. */
export const ofRole = (state, role) => state.files.filter(one => one.role === role);
export const isRows = state => ofRole(state, 'rows').length > 0;

/** The column of a truth that looks like grades and is not read: the checks name it. */
function unreadGrade(state, file) {
  if (file.role !== 'truth' || file.map.relevance) return [];
  const names = new RegExp(`^(?:${state.catalog.grade_columns})$`, 'i');
  return file.columns
    .map(one => one.name)
    .filter(one => names.test(one) && !state.question.by.includes(one))
    .slice(0, 1);
}

/** The columns of a file that a question reads. */
export function columnsOf(state, file) {
  const { by, cluster } = state.question;
  const own = file.columns.map(one => one.name);
  const read =
    file.role === 'rows'
      ? [file.map.label, ...file.scores, cluster, weightOf(file)]
      : Object.entries(file.map)
          .filter(([key]) => !['label', 'cluster'].includes(key))
          .map(([, column]) => column);
  read.push(...unreadGrade(state, file), ...ownColumns(state.question));
  return own.filter(one => read.includes(one) || by.includes(one));
}

// ---- rankings

/** Predictions, truth and attributes as arguments: tables under their own names where all agree, or views. */
function rankingSources(state, isOrdered) {
  const runs = ofRole(state, 'predictions');
  const [truth] = ofRole(state, 'truth');
  const [queries] = state.question.by.length ? ofRole(state, 'queries') : [];
  const every = [...runs, truth, ...(queries ? [queries] : [])];
  const agrees = key =>
    every.every(one => (one.role === 'queries' && key !== 'query_id') || one.map[key] === runs[0].map[key]);
  const isNested = [...runs, truth].some(one => hasLists(one.map, one.columns));
  const isPlain = runs.length === 1 && KEYS.every(agrees) && !isNested;
  const found = isPlain
    ? plain(runs[0], truth, queries, isOrdered)
    : renamed(state, runs, truth, queries, isOrdered);
  return { ...found, views: [...every.flatMap(viewOf), ...found.views] };
}

function plain(run, truth, queries, isOrdered) {
  const named = {};
  for (const key of KEYS) if (run.map[key] !== key) named[key] = literal(run.map[key]);
  const order = run.map.score ? 'score' : 'rank';
  if (run.map[order] !== order) named[order] = literal(run.map[order]);
  if (truth.map.relevance && truth.map.relevance !== 'relevance')
    named.relevance = literal(truth.map.relevance);
  if (isOrdered) named.position = literal('row_position');
  return {
    views: [],
    run: isOrdered ? `(SELECT ${PLACE}, * FROM ${quoted(run.table)})` : run.table,
    truth: truth.table,
    queries: queries?.table,
    named,
    id: quoted(run.map.query_id),
    system: run.map.system,
    one: run,
  };
}

function renamed(state, runs, truth, queries, isOrdered) {
  const as = (column, key) => (column === key ? key : `${quoted(column)} AS ${key}`);
  const lists = (file, key, extra) => {
    const column = quoted(file.map.item_id);
    const order =
      file.map.score && key === 'run'
        ? `unnest(${quoted(file.map.score)}) AS score`
        : `unnest(range(1, len(${column}) + 1)) AS rank`;
    const parts = [
      `${as(file.map.query_id, 'query_id')}`,
      `unnest(${column}) AS item_id`,
      ...(key === 'run' ? [order] : []),
    ];
    const rows = `SELECT ${[...extra, ...parts].join(', ')} FROM ${quoted(file.table)}`;
    return file.hasHoles ? `SELECT * FROM (${rows}) WHERE item_id IS NOT NULL` : rows;
  };
  const wanted = [...new Set([...(queries ? [] : state.question.by), ...ownColumns(state.question)])];
  const sliced = file => wanted.filter(one => file.columns.some(column => column.name === one)).map(quoted);
  const ranked = file => {
    const own =
      runs.length > 1
        ? [`${literal(file.system)} AS system`]
        : file.map.system
          ? [as(file.map.system, 'system')]
          : [];
    const system = [...own, ...sliced(file)];
    if (hasLists(file.map, file.columns)) return lists(file, 'run', system);
    const order = file.map.score ? as(file.map.score, 'score') : as(file.map.rank, 'rank');
    const columns = [...system, ...KEYS.map(key => as(file.map[key], key)), order, PLACE];
    return `SELECT ${columns.join(', ')} FROM ${quoted(file.table)}`;
  };
  const relevance = truth.map.relevance
    ? [as(truth.map.relevance, 'relevance')]
    : unreadGrade(state, truth).map(quoted);
  const judged = hasLists(truth.map, truth.columns)
    ? lists(truth, 'truth', sliced(truth))
    : `SELECT ${[...sliced(truth), ...KEYS.map(key => as(truth.map[key], key)), ...relevance].join(', ')} FROM ${quoted(truth.table)}`;
  const view = (name, text) => `CREATE OR REPLACE TEMP VIEW ${name} AS\n${text}`;
  const views = [view('all_predictions', runs.map(ranked).join('\nUNION ALL ')), view('all_truth', judged)];
  if (queries) {
    const attributes = state.question.by.map(quoted).join(', ');
    views.push(
      view(
        'all_queries',
        `SELECT ${as(queries.map.query_id, 'query_id')}, ${attributes} FROM ${quoted(queries.table)}`,
      ),
    );
  }
  const hasSystem = runs.length > 1 || runs[0].map.system;
  return {
    views,
    run: 'all_predictions',
    truth: 'all_truth',
    queries: queries && 'all_queries',
    named:
      isOrdered && !runs.some(one => hasLists(one.map, one.columns))
        ? { position: literal('row_position') }
        : {},
    id: 'query_id',
    system: hasSystem ? 'system' : '',
    one: runs[0],
  };
}

/** Return a writer of the rows of one in `parts` queries, which are the same in all tables. */
const part = (id, parts) => table => literal(`(FROM ${table} WHERE hash(${id}::VARCHAR) % ${parts} = 0)`);

const argument = value => (typeof value === 'number' || typeof value === 'boolean' ? value : literal(value));

/** The switches and the tool of a question as arguments. */
function conventions(question) {
  const named = {};
  if (question.like) named.like = literal(question.like);
  for (const [key, value] of Object.entries(question.switches)) named[key] = argument(value);
  return named;
}

/** The parameters in the texts of metrics as arguments, which the macros of rows want. */
const parameters = specs =>
  Object.fromEntries(specs.flatMap(paramsOf).map(([key, value]) => [key, argument(typed(value))]));

/** The calls of a question about rankings. */
export function rankingCalls(state) {
  const { question } = state;
  const source = rankingSources(state, question.like !== '' || question.switches.ties === 'input');
  const ordered = rankingSources(state, true);
  const metrics = literal(question.metrics.join(', '));
  const tables = [literal(source.run), literal(source.truth)];
  const sliced = question.by.length
    ? { by: literal(question.by.join(', ')), queries: source.queries && literal(source.queries) }
    : {};
  const rest = { ...sliced, ...source.named, ...conventions(question) };
  const system = source.system && literal(source.system);
  // A file of one system gets the column that it lacks.
  const alone = literal(`(SELECT ${literal(state.systems[0] ?? '')} AS system, * FROM ${source.run})`);
  const against = {
    system: system || "'system'",
    baseline: literal(question.baseline || (state.systems[0] ?? '')),
  };
  const compared = specs => [
    [system ? tables[0] : alone, tables[1], literal(specs.join(', '))],
    { ...against, ...rest },
  ];
  return {
    views: source.views,
    compare: (specs, more = {}) =>
      from(macroOf(state), compared(specs)[0], { ...compared(specs)[1], ...more }),
    byQuery: specs =>
      from('evaluate_by_query', [...tables, literal(specs.join(', '))], {
        system,
        ...source.named,
        ...conventions(question),
      }),
    inspect: (k, parts) =>
      from('inspect', parts > 1 ? [source.run, source.truth].map(part(source.id, parts)) : tables, {
        k,
        system,
        ...sliced,
        ...source.named,
      }),
    like: (metric, chosen, tool) => {
      const own = ordered.system
        ? literal(`(FROM ${ordered.run} WHERE ${quoted(ordered.system)} = ${literal(chosen)})`)
        : literal(ordered.run);
      const like = tool && literal(tool);
      return from('evaluate', [own, tables[1], literal(metric)], { ...ordered.named, like });
    },
    shown: isCompared(state)
      ? from('compare', [...tables, metrics], { system, baseline: literal(question.baseline), ...rest })
      : from('evaluate', [...tables, metrics], { system, ...rest }),
  };
}

/** The macro of values with intervals: a comparison, or the same without its refusal of one system. */
export function comparison(rows, alone) {
  if (rows) return alone ? 'duckmetrics_fn_values_of_rows' : 'compare_classification';
  return alone ? 'duckmetrics_fn_values' : 'compare';
}
export const macroOf = state => comparison(isRows(state), state.systems.length < 2);

export const isCompared = state => Boolean(state.question.baseline) && state.systems.length > 1;

// ---- classifiers

/** The calls of a question about labels and scores. */
export function rowCalls(state) {
  const { question } = state;
  const [file] = ofRole(state, 'rows');
  const label = labelOf(file);
  const taken = file.columns.map(one => one.name);
  const free = wanted => (taken.includes(wanted) ? `${wanted}_` : wanted);
  const columns = { model: free('model'), score: free('prediction'), row: free('row_id') };
  const cluster = question.cluster || columns.row;
  const isWide = file.scores.length > 1;
  const rows = question.cluster
    ? quoted(file.table)
    : `(SELECT row_number() OVER () AS ${columns.row}, * FROM ${quoted(file.table)})`;
  const long = isWide
    ? `FROM ${rows} UNPIVOT INCLUDE NULLS (${columns.score} FOR ${columns.model} IN (${file.scores.map(quoted).join(', ')}))`
    : `SELECT ${literal(file.scores[0])} AS ${columns.model}, * FROM ${rows}`;
  const computed = viewOf(file);
  const views = [...computed, `CREATE OR REPLACE TEMP VIEW all_models AS\n${long}`];
  const score = isWide ? columns.score : quoted(file.scores[0]);
  const sliced = question.by.length ? { by: literal(question.by.join(', ')) } : {};
  const rest = { ...sliced, ...conventions(question) };
  const weight = weightOf(file) && quoted(weightOf(file));
  const place = [literal('all_models'), label, score];
  const model = literal(columns.model);
  const against = {
    system: model,
    baseline: literal(question.baseline || file.scores[0]),
    cluster: literal(cluster),
  };
  const told = (macro, given, specs, more = {}) =>
    from(macro, [...given, literal(bare(specs).join(', '))], {
      ...more,
      weight,
      ...rest,
      ...parameters(specs),
    });
  const statements = texts => texts.map(one => `${one};\n`).join('');
  const setup = statements(views);
  const own = (text, metric = metricOf(spec(text).name, 'classification')) => {
    const taken = ([key]) => metric.switches.some(one => one.name === key);
    const set = Object.fromEntries(Object.entries(conventions(question)).filter(taken));
    const weighted = metric.is_weighted ? { weight } : {};
    return from(metric.macro, place, {
      system: model,
      ...weighted,
      ...sliced,
      ...set,
      ...parameters([text]),
    });
  };
  const [compared, alone] = comparable(question.metrics);
  const shownComparison = [
    ...(compared.length ? [told('compare_classification', place, compared, against)] : []),
    ...alone.map(one => own(one)),
  ];
  return {
    views,
    own,
    compare: (specs, more = {}) => told(macroOf(state), place, specs, { ...against, ...more }),
    inspect: (own, specs) =>
      from('inspect_classification', [literal(file.table), literal(label), literal(quoted(own))], {
        metrics: literal(specs.join(', ')),
        weight,
      }),
    curve: (macro, own, named = {}) =>
      from(macro, [literal(file.table), label, quoted(own)], { ...named, weight }),
    shown: isCompared(state)
      ? setup + shownComparison.join(';\n')
      : isWide
        ? setup + told('evaluate_classification', place, question.metrics, { system: model })
        : statements(computed) +
          told('evaluate_classification', [literal(file.table), label, score], question.metrics),
  };
}

/** The metrics that the macro compares, and the others. */
export function comparable(metrics) {
  const isCompared = one => !metricOf(spec(one).name, 'classification')?.not_compared;
  return [metrics.filter(isCompared), metrics.filter(one => !isCompared(one))];
}

/** The label as an expression: text needs the value that counts as positive. */
const labelOf = file =>
  file.positive === undefined || file.positive === ''
    ? quoted(file.map.label)
    : `${quoted(file.map.label)} = ${literal(file.positive)}`;

/** The metrics without parameters and cut-off, for macros that take names. */
export const bare = metrics => [...new Set(metrics.map(one => spec(one).name))];
