// JSON as rows. Whole numbers beyond 2^53 stay exact, because their text is kept.

const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const exact = (_, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? BigInt(context.source)
    : value;

/**
 * Return the rows of a text: a list of objects, an object per line, or `{query: {item: number}}`.
 *
 * @param {string} text JSON, or lines of JSON
 */
export function jsonRows(text) {
  let parsed;
  try {
    parsed = JSON.parse(text, exact);
  } catch (error) {
    const lines = text.split('\n').filter(line => line.trim());
    if (lines.length < 2 || !lines[0].trim().startsWith('{')) throw error;
    parsed = lines.map(line => JSON.parse(line, exact));
  }
  if (Array.isArray(parsed) && parsed.length && parsed.every(isObject))
    return { rows: parsed, isNested: false };
  if (Array.isArray(parsed) && !parsed.length) throw new Error('the list is empty');
  if (isObject(parsed) && Object.values(parsed).every(isObject))
    return { rows: nested(parsed), isNested: true };
  if (isObject(parsed) && Object.values(parsed).every(Array.isArray))
    return { rows: turned(parsed), isNested: false };
  throw new Error('found neither a list of objects nor {query: {item: number}}');
}

const nested = queries =>
  Object.entries(queries).flatMap(([query_id, items]) =>
    Object.entries(items).map(([item_id, score]) => ({ query_id, item_id, score })),
  );

/** Columns as lists of the same length become rows. */
function turned(columns) {
  const names = Object.keys(columns);
  return Array.from({ length: columns[names[0]]?.length ?? 0 }, (_, place) =>
    Object.fromEntries(names.map(name => [name, columns[name][place]])),
  );
}

/** Return the rows as CSV with the type of each column, so that '01' stays text. */
export function typedCsv({ rows }) {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  const types = names.map(name => ({ name, type: typeOf(rows, name) }));
  const lines = rows.map(row => types.map(({ name, type }) => field(row[name], type)).join(','));
  return { text: [names.map(name => quote(name)).join(','), ...lines, ''].join('\n'), types };
}

function typeOf(rows, name) {
  const kinds = new Set();
  for (const row of rows) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    if (typeof value === 'number') kinds.add(Number.isInteger(value) ? 'BIGINT' : 'DOUBLE');
    else kinds.add({ bigint: 'HUGEINT', boolean: 'BOOLEAN' }[typeof value] ?? listOr(value));
  }
  if (kinds.size === 1) return [...kinds][0];
  const isNumeric = [...kinds].every(kind => ['BIGINT', 'DOUBLE', 'HUGEINT'].includes(kind));
  if (!isNumeric || !kinds.size) return 'VARCHAR';
  return kinds.has('DOUBLE') ? 'DOUBLE' : 'HUGEINT';
}

function listOr(value) {
  if (!Array.isArray(value)) return 'VARCHAR';
  return value.every(one => typeof one === 'number') ? 'DOUBLE[]' : 'VARCHAR[]';
}

const quote = text => `"${text.replaceAll('"', '""')}"`;
function field(value, type) {
  if (value === null || value === undefined) return '\\N';
  if (type.endsWith('[]'))
    return quote(`[${value.map(one => (typeof one === 'string' ? listText(one) : one)).join(', ')}]`);
  if (type !== 'VARCHAR') return String(value);
  return quote(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
const listText = text => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
