// Results as files of the reader.
import { ipcOf } from './engine.js';
import { parquet } from './files.js';
import { save as saved } from './dom.js';

/** The makers of Arrow tables. */
export const arrow = () => import('apache-arrow');

/** Save the rows of a result as CSV, JSON or Parquet. */
export async function save(kind, rows, name = 'duckmetrics') {
  if (kind === 'json') return saved(`${name}.json`, [JSON.stringify([...rows], null, 1)], 'application/json');
  if (kind === 'csv') return saved(`${name}.csv`, [csv(rows)], 'text/csv');
  const module = await parquet();
  const table = module.Table.fromIPCStream(ipcOf(await asArrow(rows)));
  return saved(`${name}.parquet`, [module.writeParquet(table)], 'application/vnd.apache.parquet');
}

const columns = rows => [...new Set(rows.flatMap(row => Object.keys(row)))];

function csv(rows) {
  const names = columns(rows);
  const field = value => {
    if (value === null || value === undefined) return '';
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows.map(row => names.map(name => row[name]))]
    .map(one => `${one.map(field).join(',')}\n`)
    .join('');
}

/** The table that the engine returned; rows that were put together here become a new one. */
async function asArrow(rows) {
  if (rows.arrow) return rows.arrow;
  const { tableFromArrays, vectorFromArray, Utf8, Float64 } = await arrow();
  const vectors = columns(rows).map(name => {
    const held = rows.map(row => row[name] ?? null);
    const isNumber = held.every(value => value === null || typeof value === 'number');
    return [
      name,
      isNumber
        ? vectorFromArray(held, new Float64())
        : vectorFromArray(
            held.map(value => (value === null ? null : String(value))),
            new Utf8(),
          ),
    ];
  });
  return tableFromArrays(Object.fromEntries(vectors));
}
