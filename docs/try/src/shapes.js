// The columns of a table under a shape of a layout: known by name or type, computed, or numbered.
// The keys of a shape are those of the files in duckmetrics/layouts.
import { described } from './files.js';
import { literal, name as quoted } from './words.js';

const OWN = '{name}';
const ONLY_OTHER = '*';
const NUMBERED = /^(.*?)_?(\d+)$/;
/** The columns of the page that lists of a layout are. */
const KEYS = { items: 'item_id', relevant: 'item_id', scores: 'score' };

export const list = value => (Array.isArray(value) ? value : value ? [value] : []);

/**
 * Return how a table is read under a shape; null if it has another one.
 *
 * @param {object} shape of a layout
 * @param {{name: string, type: string}[]} columns of the table
 * @returns {{map: object, computed: object, typed: string[]} | null} the column of each canonical one, the
 * SQL of those that are computed, and the columns that it reads
 */
export function fit(shape, columns) {
  const fits = owns(shape, columns).map(own => fitOf(shape, columns, own));
  const found = fits.filter(Boolean);
  return found.length === 1 ? found[0] : null;
}

/** What the part of the names can be that is the reader's own. */
function owns(shape, columns) {
  const patterns = [...Object.values(shape.columns).flatMap(list), ...Object.keys(shape.types ?? {})];
  const pattern = patterns.find(one => one.includes(OWN) && one !== OWN);
  if (!pattern) return [''];
  const [before, after] = pattern.split(OWN);
  const held = ({ name }) => name.slice(before.length, name.length - after.length);
  return columns.filter(one => held(one) && `${before}${held(one)}${after}` === one.name).map(held);
}

function fitOf(shape, columns, own) {
  const known = new Map(columns.map(one => [one.name.toLowerCase(), one]));
  const named = text => known.get(text.replace(OWN, own).toLowerCase());
  const map = {};
  const others = [];
  for (const [key, names] of Object.entries(shape.columns)) {
    const wanted = list(names);
    if (wanted[0] === ONLY_OTHER) {
      others.push(key);
      continue;
    }
    const column = columns.find(one => wanted.some(text => named(text) === one));
    if (!column) return null;
    map[key] = column.name;
  }
  const types = Object.entries(shape.types ?? {});
  if (!types.every(([text, type]) => new RegExp(`^(?:${type})$`).test(named(text)?.type ?? ''))) return null;
  const numbered = shape.numbered ? numberedColumns(columns, Object.values(map)) : [];
  if (shape.numbered && !numbered) return null;
  const typed = [...types.map(([text]) => named(text).name), ...numbered];
  const rest = columns.map(one => one.name).filter(one => ![...Object.values(map), ...typed].includes(one));
  if ((others.length && rest.length !== 1) || (shape.exact && rest.length)) return null;
  for (const key of others) map[key] = rest[0];
  const computed = Object.fromEntries(
    Object.entries(shape.computed ?? {}).map(([key, sql]) => [key, sql.trim().replaceAll(OWN, own)]),
  );
  if (shape.numbered) computed[shape.numbered] = listOf(numbered);
  // A table that has the columns already is not of this shape.
  if (Object.keys(computed).some(key => known.has(key))) return null;
  for (const key of Object.keys(computed)) map[KEYS[key] ?? key] = key;
  return { map, computed, typed, usual: shape.positive, hasHoles: Boolean(shape.numbered) };
}

/** The columns called by a stem and 1, 2, ... (or 0, 1, ...), if there is one such stem. */
function numberedColumns(columns, taken) {
  const stems = new Map();
  for (const { name } of columns) {
    const [, stem, digits] = taken.includes(name) ? [] : (NUMBERED.exec(name) ?? []);
    if (digits === undefined) continue;
    const key = stem.toLowerCase();
    stems.set(key, [...(stems.get(key) ?? []), { name, place: Number(digits) }]);
  }
  if (stems.size !== 1) return null;
  const [found] = [...stems.values()].map(one => one.sort((a, b) => a.place - b.place));
  const isWhole = found.every((one, at) => one.place === at + found[0].place) && found[0].place <= 1;
  return found.length > 1 && isWhole ? found.map(one => one.name) : null;
}

const listOf = columns => `[${columns.map(quoted).join(', ')}]`;

/**
 * SQL of the view that has the columns of a file and those that its layout computes; none for other files.
 * The page runs it, and the reader copies it.
 */
export function viewOf(file) {
  if (!file?.computed) return [];
  const columns = Object.entries(file.computed).map(
    ([key, sql]) =>
      `${sql.replaceAll('$positive', () => literal(file.positive ?? file.usual ?? ''))} AS ${quoted(key)}`,
  );
  const text = `SELECT *,\n    ${columns.join(',\n    ')}\nFROM ${quoted(file.source)}`;
  return [`CREATE OR REPLACE TEMP VIEW ${quoted(file.table)} AS\n${text}`];
}

/**
 * Let a file have the columns that its layout computes: its table becomes a view of the loaded one.
 *
 * @param {import('./engine.js').Engine} engine
 * @param {object} file with `computed` and `typed`, as `fit` returns them
 */
export async function compute(engine, file) {
  const { load, table, columns } = file;
  Object.assign(file, { source: table, table: `${table}_columns` });
  const view = async () => {
    for (const text of viewOf(file)) await engine.during(text);
  };
  await view();
  file.columns = await described(engine, file.table);
  file.load = async names => {
    const own = columns.map(one => one.name);
    await load(names && own.filter(one => names.includes(one) || file.typed.includes(one)));
    await view();
  };
}
