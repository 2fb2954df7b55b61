// The same question as a command, as Python and as SQL, with the names of the reader's own files.
import { FIELDS, hasLists } from './layouts.js';
import { isCompared, isRows, ofRole, rankingCalls, rowCalls } from './calls.js';
import { metricOf } from './state.js';
import { spec } from './words.js';

const LANGUAGES = { command: 'Command line', python: 'Python', sql: 'SQL' };
export { LANGUAGES };

const bash = text => (/^[\w@.,=+/:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);
const python = value => (value === true ? 'True' : value === false ? 'False' : JSON.stringify(value));

/** Return the three texts. */
export function elsewhere(state) {
  const asked = isRows(state) ? rowsAsked(state) : rankingAsked(state);
  const calls = isRows(state) ? rowCalls(state) : rankingCalls(state);
  const views = isRows(state) ? '' : calls.views.map(view => `${view};\n`).join('');
  const opened = `-- duckmetrics shell ${asked.opened.map(bash).join(' ')}\n`;
  return { command: command(asked), python: pythonCode(asked), sql: `${opened}${views}${calls.shown};` };
}

/** The command that writes the report of the same question. */
export const reportCommand = state =>
  command({ ...(isRows(state) ? rowsAsked(state) : rankingAsked(state)), verb: 'report' });

/** The columns whose names differ from the canonical ones, as the package maps them. */
function mapped(run, truth, queries) {
  const columns = {};
  if (run.computed || truth.computed) return mappedAlone({ predictions: run, truth, queries });
  const isSame = key => [truth, queries].every(one => !one?.map[key] || one.map[key] === run.map[key]);
  for (const key of ['query_id', 'item_id']) {
    if (isSame(key)) {
      if (run.map[key] !== key) columns[key] = run.map[key];
      continue;
    }
    for (const [table, file] of Object.entries({ predictions: run, truth, queries })) {
      if (file?.map[key] && file.map[key] !== key) columns[`${table}.${key}`] = file.map[key];
    }
  }
  const order = run.map.score ? 'score' : 'rank';
  if (run.map[order] && run.map[order] !== order) columns[order] = run.map[order];
  if (truth.map.relevance && truth.map.relevance !== 'relevance') columns.relevance = truth.map.relevance;
  for (const [file, key, own] of [
    [run, 'predictions', 'items'],
    [truth, 'truth', 'relevant'],
  ]) {
    if (!hasLists(file.map, file.columns)) continue;
    for (const other of ['item_id', `${key}.item_id`]) delete columns[other];
    if (file.map.item_id !== own) columns[own] = file.map.item_id;
  }
  return columns;
}

/** A mapping of a table switches its layout off, so that it names only columns of the others. */
function mappedAlone(tables) {
  const columns = {};
  for (const [table, file] of Object.entries(tables).filter(([, one]) => one && !one.computed)) {
    for (const key of FIELDS[table].filter(one => file.map[one] && file.map[one] !== one))
      columns[`${table}.${key}`] = file.map[key];
  }
  return columns;
}

function rankingAsked(state) {
  const runs = ofRole(state, 'predictions');
  const [truth] = ofRole(state, 'truth');
  const [queries] = state.question.by.length ? ofRole(state, 'queries') : [];
  const isMany = runs.length > 1;
  return {
    ...shared(state),
    predictions: isMany ? Object.fromEntries(runs.map(one => [one.system, one.name])) : runs[0].name,
    truth: truth.name,
    queries: queries?.name,
    columns: mapped(runs[0], truth, queries),
    system: isMany ? '' : runs[0].map.system,
    opened: [...runs, truth, ...(queries ? [queries] : [])].map(one => one.name),
  };
}

function rowsAsked(state) {
  const [file] = ofRole(state, 'rows');
  const columns = file.map.label === 'label' || file.computed ? {} : { label: file.map.label };
  const isMany = file.scores.length > 1;
  if (!isMany && file.scores[0] !== 'score') columns.score = file.scores[0];
  return {
    ...shared(state),
    predictions: file.name,
    columns,
    score: isMany ? Object.fromEntries(file.scores.map(one => [one, one])) : null,
    cluster: state.question.cluster,
    positive: file.positive,
    opened: [file.name],
  };
}

/** A metric of the reader by its file, in a folder that the page does not know. */
const named = text => (metricOf(spec(text).name)?.columns ? text.replace(/\w+/, 'metrics/$&.sql') : text);

function shared(state) {
  const { question } = state;
  return {
    verb: isCompared(state) ? 'compare' : 'evaluate',
    baseline: isCompared(state) ? question.baseline : '',
    metrics: question.metrics.map(named),
    by: question.by,
    like: question.like,
    switches: question.switches,
  };
}

function command(asked) {
  const parts = [`duckmetrics ${asked.verb}`];
  const isMany = typeof asked.predictions !== 'string';
  if (!isMany) parts[0] += ` ${bash(asked.predictions)}`;
  if (asked.truth) parts[0] += isMany ? '' : ` ${bash(asked.truth)}`;
  if (isMany)
    for (const [name, file] of Object.entries(asked.predictions))
      parts.push(`--system ${bash(`${name}=${file}`)}`);
  if (isMany) parts.push(`--truth ${bash(asked.truth)}`);
  for (const [key, column] of Object.entries(asked.columns))
    parts.push(`--column ${bash(`${key}=${column}`)}`);
  for (const [name, column] of Object.entries(asked.score ?? {}))
    parts.push(`--score ${bash(`${name}=${column}`)}`);
  if (asked.positive) parts.push(`--positive ${bash(asked.positive)}`);
  if (asked.system) parts.push(`--system ${bash(asked.system)}`);
  if (asked.baseline) parts.push(`--baseline ${bash(asked.baseline)}`);
  parts.push(`-m ${bash(asked.metrics.join(','))}`);
  if (asked.by.length) parts.push(`--by ${bash(asked.by.join(','))}`);
  if (asked.queries) parts.push(`--queries ${bash(asked.queries)}`);
  if (asked.cluster) parts.push(`--cluster ${bash(asked.cluster)}`);
  if (asked.like) parts.push(`--like ${bash(asked.like)}`);
  for (const [key, value] of Object.entries(asked.switches)) parts.push(`--set ${bash(`${key}=${value}`)}`);
  if (asked.verb === 'evaluate') parts.push('--interval 0.95');
  return wrapped(parts);
}

function wrapped(parts) {
  const lines = [parts[0]];
  for (const part of parts.slice(1)) {
    if (`${lines.at(-1)} ${part}`.length > 78) lines.push(`    ${part}`);
    else lines[lines.length - 1] += ` ${part}`;
  }
  return lines.join(' \\\n');
}

function pythonCode(asked) {
  const mapping = pairs =>
    `{${Object.entries(pairs)
      .map(([key, value]) => `${python(key)}: ${python(value)}`)
      .join(', ')}}`;
  const lines = [
    typeof asked.predictions === 'string' ? python(asked.predictions) : mapping(asked.predictions),
    asked.truth && python(asked.truth),
    `metrics=[${asked.metrics.map(python).join(', ')}]`,
    asked.system && `system=${python(asked.system)}`,
    asked.baseline && `baseline=${python(asked.baseline)}`,
    Object.keys(asked.columns).length && `columns=${mapping(asked.columns)}`,
    asked.score && `score=${mapping(asked.score)}`,
    asked.positive && `positive=${python(asked.positive)}`,
    asked.by.length && `by=[${asked.by.map(python).join(', ')}]`,
    asked.queries && `queries=${python(asked.queries)}`,
    asked.cluster && `cluster=${python(asked.cluster)}`,
    asked.like && `like=${python(asked.like)}`,
    ...Object.entries(asked.switches).map(([key, value]) => `${key}=${python(value)}`),
    asked.verb === 'evaluate' && 'interval=0.95',
  ].filter(Boolean);
  return `import duckmetrics\n\nresult = duckmetrics.${asked.verb}(\n${lines.map(one => `    ${one},\n`).join('')})\nprint(result)`;
}

/** A command for files that the page does not load, some because they do not fit. */
export const commandFor = (names, isBig) =>
  wrapped([`duckmetrics evaluate ${names.map(bash).join(' ')}`, ...(isBig ? ['--memory-limit 4GB'] : [])]);
