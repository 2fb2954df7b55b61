// Numbers and lists as a person reads them: a true minus, no exponent, few digits.

const minus = text => text.replaceAll('-', '−');
const grouped = (x, digits) =>
  x.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const known = x => typeof x === 'number' && Number.isFinite(x);

/** `−1,234.500`; an en dash for a value that does not exist. */
export function number(x, digits = 4, sign = false) {
  if (typeof x !== 'number' || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x < 0 ? '−∞' : sign ? '+∞' : '∞';
  const text = grouped(x, digits);
  if (!/[1-9]/.test(text)) return text.replace(/^[+-]/, '');
  return minus(sign && x > 0 ? `+${text}` : text);
}

/** A share as a percentage, with one decimal below 100%. */
export const percent = (x, sign = true) =>
  known(x) ? `${number(100 * x, Math.abs(x) >= 0.9995 ? 0 : 1, sign)}%` : '–';

/** The number of decimals that keeps two significant digits of half an interval. */
export function digitsOf(lower, upper) {
  const half = Math.abs(upper - lower) / 2;
  if (lower == null || upper == null || !half || !Number.isFinite(half)) return 4;
  return Math.min(4, Math.max(2, 1 - Math.floor(Math.log10(half))));
}

export const count = n => Number(n).toLocaleString('en-US');
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
export const size = bytes =>
  bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${count(Math.max(1, Math.round(bytes / 1e3)))} kB`;

export const joined = (words, last = 'and') =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** A few names, or how many there are. */
export const few = (names, noun, most = 4) =>
  names.length <= most ? joined(names) : plural(names.length, noun);

export const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
export const ended = text => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

/** Advice in the words of the page, whose switches are not arguments of SQL. */
export const pageWords = text => text.replace(/(\w+) := '?([\w.]+)'?/g, '$1=$2').replaceAll('=...', '');

/** A metric as the reader wrote it, in parts: ndcg(gain=exp2)@10. */
export function spec(text) {
  const [, name, params = '', k = ''] = /^([^(@]+)(\([^)]*\))?(?:@(\d+))?$/.exec(text.trim()) ?? [null, text];
  return { name: name.trim().toLowerCase(), params, k };
}

/** The parameters in the text of a metric: key and value. */
export const paramsOf = text =>
  [...spec(text).params.matchAll(/(\w+)\s*=\s*([^,)]+)/g)].map(([, key, value]) => [key, value.trim()]);

/** The metrics of a list; a comma in parentheses separates parameters. */
export const specs = text =>
  (text.match(/[^,()]+(\([^()]*\)[^,()]*)?/g) ?? []).map(one => one.trim()).filter(Boolean);

// DuckDB's words for an id or a number that needs quotes.
export const name = text => (/^[a-z_][a-z0-9_]*$/.test(text) && !RESERVED.has(text) ? text : quoted(text));
const quoted = text => `"${text.replaceAll('"', '""')}"`;
export const literal = text => `'${String(text).replaceAll("'", "''")}'`;
const RESERVED = new Set(
  'all and any as asc between by case cast check column create cross default desc distinct else end except false from '
    .concat(
      'full group having in inner into is join left like limit natural not null offset on or order outer ',
    )
    .concat(
      'position references returning right select some symmetric table then to true union unique using when ',
    )
    .concat('where window with pivot unpivot qualify')
    .split(' '),
);
