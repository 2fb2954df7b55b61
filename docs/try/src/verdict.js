// The answer in one sentence with its exception, in the words of the report.
import { few, joined, number, percent } from './words.js';

export const SIGNS = {
  better: '▲',
  worse: '▼',
  different: '◆',
  'not distinguishable': '○',
  'not tested': '–',
  baseline: '·',
};
export const KINDS = {
  better: 'better',
  worse: 'worse',
  different: 'diff',
  'not distinguishable': 'even',
  'not tested': 'none',
};
const AGAINST = { better: 'worse', worse: 'better' };
const REST = {
  different: 'different on',
  'not distinguishable': 'unclear on',
  'not tested': 'not tested on',
};
const MOST_PLACES = 3;

export const wordOf = verdict => (verdict === 'not distinguishable' ? 'unclear' : verdict);

/** `country JP` */
export const placeWords = row =>
  row.slice
    .split(/,\s*/)
    .map(column => `${column} ${row[column] ?? 'NULL'}`)
    .join(', ');
export const placeLabel = row =>
  row.slice
    .split(/,\s*/)
    .map(column => row[column] ?? 'NULL')
    .join(', ');

/** Which values of a metric are better. */
export function directionWords(row) {
  if (row.target !== null && row.target !== undefined) return `best at ${row.target}`;
  return row.better ? `${row.better} is better` : 'no direction is better';
}
export const sign = row => ({ higher: 1, lower: -1 })[row.better] ?? 0;

/** The relative change of a row: `x`, `lower` and `upper`, right is better; null without a direction. */
export function change(row, before) {
  const turned = sign(row);
  if (!turned) return null;
  const of = (relative, delta) => {
    const found = relative ?? (delta !== null && before ? delta / Math.abs(before) : null);
    return found === null || found === undefined ? null : turned * found;
  };
  const x = of(row.relative_change, row.delta);
  if (x === null) return null;
  const ends = [of(row.relative_lower, row.delta_lower), of(row.relative_upper, row.delta_upper)];
  const [lower, upper] = ends.includes(null) ? [null, null] : [Math.min(...ends), Math.max(...ends)];
  return { x, lower, upper };
}

/** How much better a row is than its baseline: the lowest is the worst. */
export function gain(row, before) {
  if (row.delta === null) return Infinity;
  if (row.target !== null && before !== null)
    return Math.abs(before - row.target) - Math.abs(row.value - row.target);
  return change(row, before)?.x ?? sign(row) * row.delta;
}

/** The headline and the sentence below it. */
export function verdict(reading) {
  return reading.isCompared ? compared(reading) : valued(reading);
}

function compared(reading) {
  const { others, baseline } = reading;
  if (others.length === 1) return ofOne(reading, others[0]);
  const { metric } = reading.first;
  const of = kind => others.filter(one => reading.row(one)?.verdict === kind);
  const said = {
    better: 'better than',
    worse: 'worse than',
    'not distinguishable': 'not clearly different from',
  };
  const parts = Object.entries(said)
    .filter(([kind]) => of(kind).length)
    .map(
      ([kind, words]) =>
        `${few(of(kind), 'system')} ${of(kind).length > 1 ? 'are' : 'is'} ${words} ${baseline}`,
    );
  const told = parts.length ? `By ${metric}, ${joined(parts)}` : `No system was tested against ${baseline}`;
  const best = reading.best(others);
  const untested = of('better').length > 1 ? ' The better ones were not tested against each other.' : '';
  return { head: `${told}.`, lead: `${best ? `${best.system}: ${fromTo(reading, best)}` : ''}${untested}` };
}

function ofOne(reading, system) {
  const rows = reading.metrics.map(metric => reading.row(system, metric)).filter(Boolean);
  const of = kind => rows.filter(row => row.verdict === kind).map(row => row.metric);
  const first =
    rows[0]?.verdict in AGAINST
      ? rows[0].verdict
      : of('worse').length > of('better').length
        ? 'worse'
        : 'better';
  const leading = [first, ...Object.keys(REST)].find(kind => of(kind).length) ?? 'not tested';
  const own = of(leading);
  const on =
    own.length === rows.length
      ? ''
      : ` on ${own.length <= 3 ? joined(own) : `${own.length} of ${rows.length} metrics`}`;
  const start =
    {
      better: `${system} is better than ${reading.baseline}${on}`,
      worse: `${system} is worse than ${reading.baseline}${on}`,
      different: `${system} differs from ${reading.baseline}${on}`,
      'not distinguishable': `No clear difference between ${system} and ${reading.baseline}${on}`,
    }[leading] ?? `${system} was not tested against ${reading.baseline}`;
  const against = (leading in AGAINST ? [AGAINST[leading]] : ['worse', 'better']).flatMap(kind =>
    exceptions(reading, system, kind, of(kind)),
  );
  const rest = Object.entries(REST)
    .filter(([kind]) => kind !== leading && of(kind).length)
    .map(([kind, words]) => `${words} ${few(of(kind), 'metric')}`);
  const head = [start, ...(against.length ? [`but ${joined(against)}`] : []), ...rest].join(', ');
  return { head: `${head}.`, lead: fromTo(reading, reading.row(system) ?? rows[0]) };
}

function exceptions(reading, system, kind, metrics) {
  const places = reading
    .slices(system)
    .filter(row => row.verdict === kind)
    .map(placeWords);
  const where =
    places.length > MOST_PLACES ? [`in ${places.length} slices`] : places.map(place => `in ${place}`);
  const all = [...(metrics.length ? [`on ${few(metrics, 'metric')}`] : []), ...where];
  return all.length ? [`${kind} ${joined(all)}`] : [];
}

function fromTo(reading, row) {
  if (!row) return '';
  const before = reading.base(row)?.value ?? null;
  const relative = change(row, before);
  const by = relative ? ` (${percent(sign(row) * relative.x)})` : '';
  const way = row.better === 'higher' ? '' : ` (${directionWords(row)})`;
  return `${row.metric}${way} goes from ${number(before)} to ${number(row.value)}${by}, on ${reading.size(row)}.`;
}

function valued(reading) {
  const { others, first } = reading;
  const row = reading.best(others) ?? first;
  if (row.value === null) return { head: `${row.metric} has no value.`, lead: row.reason ?? '' };
  const sure =
    row.lower === null ? '' : `, with a 95% interval from ${number(row.lower)} to ${number(row.upper)}`;
  const value = number(row.value);
  const isBest = others.length > 1 && (sign(row) || row.target !== null);
  const head = isBest
    ? `${row.system} has the best ${row.metric} of ${others.length} systems: ${value}.`
    : others.length > 1
      ? `${others.length} systems have a value of ${row.metric}.`
      : `${row.metric} is ${value}.`;
  const test = others.length > 1 ? ' Choose a baseline to test the difference.' : '';
  return { head, lead: `Computed from ${reading.size(row)}${sure}.${test}` };
}
