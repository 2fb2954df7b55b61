// The answer in one sentence with its exception, in the words of the report.
import { leadingSentence } from './sentence.js';
import { number, percent } from './words.js';

export const SIGNS = {
  better: '▲',
  worse: '▼',
  different: '◆',
  unclear: '○',
  'not tested': '–',
  baseline: '·',
};
export const KINDS = {
  better: 'better',
  worse: 'worse',
  different: 'diff',
  unclear: 'even',
  'not tested': 'none',
};
const NO_DIRECTION = 'no direction is better';

const cells = row => row.slice.split(/,\s*/).map(column => [column, String(row[column] ?? 'NULL')]);
// A value that is clear without the name of its column: a word that is not a number or a missing value.
const PLAIN = /^(?!(?:null|none|true|false|nan)$)\p{L}[\p{L}\p{N}_.-]*$/iu;

export const placeLabel = row =>
  cells(row)
    .map(([, value]) => value)
    .join(', ');

/** `country JP`; of several columns, `JP desktop` if that is clear. */
function placeWords(row) {
  const own = cells(row);
  if (own.length > 1 && own.every(([, value]) => PLAIN.test(value)))
    return own.map(([, value]) => value).join(' ');
  return own.map(pair => pair.join(' ')).join(', ');
}

/** Which values of a metric are better. */
export function directionWords(row) {
  if (row.target !== null && row.target !== undefined) return `best at ${row.target}`;
  return row.better ? `${row.better} is better` : NO_DIRECTION;
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
  const head = leadingSentence(baseline, facts(reading), number);
  if (others.length === 1) {
    const row = reading.row(others[0]) ?? reading.rows.find(one => one.system === others[0]);
    return { head: `${head}.`, lead: fromTo(reading, row) };
  }
  const best = reading.best(others);
  return { head: `${head}.`, lead: best ? `${best.system}: ${fromTo(reading, best)}` : '' };
}

/** The verdicts on all systems but the baseline, as the sentence reads them. */
export function facts(reading) {
  return reading.rows
    .filter(row => row.system !== reading.baseline)
    .map(row => {
      const before = reading.base(row)?.value ?? null;
      const found = reading.gain(row);
      return {
        system: row.system,
        metric: row.metric,
        verdict: row.verdict,
        place: row.slice ? placeWords(row) : '',
        words: sign(row) ? '' : meaningOfDifference(row, before),
        before,
        value: row.value,
        gain: (row.better || row.target !== null) && Number.isFinite(found) ? found : null,
      };
    });
}

/** The meaning of a clear difference that is neither better nor worse. */
function meaningOfDifference({ target, value }, before) {
  if (target === null || target === undefined) return NO_DIRECTION;
  if (before === null || value === null) return `aims at ${target}`;
  if ((before - target) * (value - target) < 0) return `on the other side of ${target}`;
  return toward(target, before, value);
}

/** Whether a value is nearer to the best value than before. */
export function toward(target, before, value) {
  const [old, now] = [before, value].map(one => Math.abs(one - target));
  if (now === old) return `as far from ${target}`;
  return `${now < old ? 'nearer to' : 'farther from'} ${target}`;
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
    row.lower === null ? '' : `, with a 95 % interval from ${number(row.lower)} to ${number(row.upper)}`;
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
