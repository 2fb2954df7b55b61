// Files become tables: Parquet from its footer on, text by DuckDB, JSON by the browser.
import { at, fetched, message, script } from './engine.js';
import { jsonRows, typedCsv } from './json.js';
import { count, literal, name as quoted, plural } from './words.js';

/** Cells up to which every column of a file is loaded; of larger files, only those that a question reads. */
const SMALL = 12e6;
/** The rows that one metric handles in the memory of a tab. */
const MOST_ROWS = 12e6;
const BATCH = 1e6;
const JSON_BYTES = 300e6;

/** Lines of features, as learning to rank has them: label qid:query feature:value. */
const IS_LETOR = /^\s*[-\d.]+ +qid:\S/;
const LETOR =
  'only the command reads lines label qid:query feature:value; run it on your machine, or export a table';

/** An error of a file, with a place on the page: the drop zone. */
export class FileError extends Error {
  constructor(file, text, more = {}) {
    super(text);
    Object.assign(this, { file }, more);
  }
}

let reader = null;
/** The reader of Parquet, loaded with the first file of that kind. */
export function parquet() {
  reader ??= import('parquet-wasm').then(async module => {
    await module.default({ module_or_path: at('parquet_wasm_bg.wasm') });
    return module;
  });
  return reader;
}

/** The name of a table: that of its file without what comes after the first point, as `duckmetrics shell`. */
export function tableName(fileName, taken) {
  const stem = fileName
    .toLowerCase()
    .replace(/(\.(parquet|csv|tsv|txt|trec|run|qrels|jsonl?|ndjson|gz|snappy))+$/, '');
  const words = stem.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  const base = !words || /^\d/.test(words) ? `t_${words}`.replace(/_$/, '') : words;
  let found = base;
  for (let place = 2; taken.includes(found); place++) found = `${base}_${place}`;
  return found;
}

/**
 * Return what a file is: its kind, its rows where they are known, and how to load it.
 *
 * @param {import('./engine.js').Engine} engine
 * @param {File} blob
 * @param {string} table
 * @param {{delimiter: string, header?: boolean} | null} text what a tool is known to write
 */
export async function open(engine, blob, table, text = null) {
  const start = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  if (!blob.size) throw new FileError(blob.name, 'the file is empty: it has no bytes; export it again');
  if (String.fromCharCode(...start) === 'PAR1') return openParquet(engine, blob, table);
  const isZipped = start[0] === 0x1f && start[1] === 0x8b;
  const head = await firstText(blob, isZipped);
  if (head === null) {
    throw new FileError(
      blob.name,
      'this is not a table: drop Parquet, CSV, TSV, JSON or TREC text, also with .gz',
    );
  }
  const isJson = /\.(json|jsonl|ndjson)(\.gz)?$/i.test(blob.name) || /^\s*(\[\s*\{|\{\s*")/.test(head);
  return isJson
    ? openJson(engine, blob, table, isZipped)
    : openText(engine, blob, table, isZipped, head, text);
}

/** The first characters of a file of text; null if it is not text. */
async function firstText(blob, isZipped) {
  let bytes;
  try {
    const stream = isZipped
      ? blob.stream().pipeThrough(new DecompressionStream('gzip'))
      : blob.slice(0, 65536).stream();
    const part = await stream.getReader().read();
    bytes = part.value?.slice(0, 65536) ?? new Uint8Array();
  } catch {
    throw new FileError(blob.name, 'the compressed file cannot be unpacked: it was cut off; export it again');
  }
  return bytes.includes(0) ? null : new TextDecoder().decode(bytes);
}

async function openParquet(engine, blob, table) {
  const module = await parquet();
  let file, metadata;
  try {
    file = await module.ParquetFile.fromFile(blob);
    metadata = file.metadata();
  } catch {
    throw new FileError(
      blob.name,
      'this Parquet file has no readable end: it was cut off, or it is still being written; export it again',
    );
  }
  const rows = Number(metadata.fileMetadata().numRows());
  const insert = async (options, isFirst) => {
    let stream;
    try {
      stream = (await file.read({ batchSize: 122880, ...options })).intoIPCStream();
    } catch (error) {
      throw new FileError(
        blob.name,
        `a part of this Parquet file cannot be read: ${message(error)}; export it again`,
      );
    }
    await engine.insertArrow(table, stream, isFirst);
  };
  refuse({ name: blob.name, rows });
  // One row shows the names and types. Without rows, a dictionary column would have no dictionary.
  await engine.during(`DROP TABLE IF EXISTS ${quoted(table)}`);
  await insert({ limit: 1 }, true);
  const columns = await described(engine, table);
  const groups = Array.from({ length: metadata.numRowGroups() }, (_, place) => place);
  return {
    kind: 'parquet',
    rows,
    columns,
    isSelective: rows * columns.length > SMALL,
    async load(names) {
      await engine.during(`DROP TABLE IF EXISTS ${quoted(table)}`);
      const parts = [];
      for (const group of groups) {
        const held = Number(metadata.rowGroup(group).numRows());
        const last = parts.at(-1);
        if (last && last.rows + held <= BATCH)
          Object.assign(last, { rows: last.rows + held, groups: [...last.groups, group] });
        else parts.push({ rows: held, groups: [group] });
      }
      const projected = names ? { columns: names } : {};
      for (const [place, part] of parts.entries()) {
        await insert({ rowGroups: part.groups, ...projected }, place === 0);
      }
    },
  };
}

async function openText(engine, blob, table, isZipped, head, text) {
  if (IS_LETOR.test(head)) throw new FileError(blob.name, LETOR, { isElsewhere: true });
  const trec = text ? null : trecMacro(head);
  // Brackets and stars in the name of a file would be a pattern of names.
  const handle = isZipped ? `${table}.gz` : table;
  const zipped = isZipped ? ", compression = 'gzip'" : '';
  const known = text ? `, delim = ${literal(text.delimiter)}, header = ${text.header ?? false}` : '';
  const load = names =>
    engine.withFile(handle, blob, async () => {
      if (trec) await engine.during(await script(`${trec}.sql`));
      const columns = names ? names.map(quoted).join(', ') : '*';
      // The types are those that hold for all rows; by default, DuckDB guesses them from the first ones.
      const call = trec
        ? `${trec}(${literal(handle)})`
        : `read_csv(${literal(handle)}${zipped}${known}, sample_size = -1)`;
      await engine
        .during(`CREATE OR REPLACE TABLE ${quoted(table)} AS SELECT ${columns} FROM ${call}`)
        .catch(error => {
          throw unreadable(blob, error);
        });
    });
  await load();
  const columns = await described(engine, table);
  const [{ n }] = await engine.during(`SELECT count(*) AS n FROM ${quoted(table)}`);
  return {
    kind: trec ? 'TREC text' : 'text',
    rows: n,
    columns,
    isSelective: n * columns.length > SMALL,
    isLoaded: true,
    load,
  };
}

function unreadable(blob, error) {
  const first = message(error)
    .split('\n')[0]
    .replace(/^[A-Z][\w ]* Error: /, '');
  return Object.assign(new FileError(blob.name, `not readable as a table: ${first}`), {
    isCrash: error.isCrash,
  });
}

/** The macro that reads TREC text; null for other text. */
function trecMacro(head) {
  const words = head
    .split('\n', 1)[0]
    .trim()
    .split(/[ \t]+/);
  if (words.length === 6 && /^(q0|0)$/i.test(words[1]) && !Number.isNaN(Number(words[4])))
    return 'read_trec_run';
  if (words.length === 4 && /^(q0|0)$/i.test(words[1]) && /^-?\d+$/.test(words[3])) return 'read_trec_qrels';
  return null;
}

async function openJson(engine, blob, table, isZipped) {
  if (blob.size > JSON_BYTES) {
    throw new FileError(blob.name, 'JSON of this size does not fit into a tab; write it as Parquet', {
      isBig: true,
    });
  }
  const stream = isZipped ? blob.stream().pipeThrough(new DecompressionStream('gzip')) : blob.stream();
  let found;
  try {
    found = jsonRows(await new Response(stream).text());
  } catch (error) {
    throw new FileError(blob.name, `this is not JSON with rows: ${message(error)}; write a list of objects`);
  }
  const { text, types } = typedCsv(found);
  const declared = types.map(({ name, type }) => `${literal(name)}: '${type}'`).join(', ');
  const csv = new Blob([text]);
  const load = async names => {
    const columns = names ? names.map(quoted).join(', ') : '*';
    await engine.withFile(`${table}.csv`, csv, () =>
      engine.during(`CREATE OR REPLACE TABLE ${quoted(table)} AS SELECT ${columns} FROM
read_csv(${literal(`${table}.csv`)}, header = true, delim = ',', quote = '"', escape = '"',
nullstr = '\\N', allow_quoted_nulls = false, auto_detect = false, columns = {${declared}})`),
    );
  };
  await load();
  const columns = await described(engine, table);
  return {
    kind: 'JSON',
    rows: found.rows.length,
    columns,
    isSelective: false,
    isLoaded: true,
    load,
    isNested: found.isNested,
  };
}

/** The names and types of the columns of a table. */
export const described = (engine, table) =>
  engine.during(`SELECT column_name AS name, column_type AS type FROM (DESCRIBE ${quoted(table)})`);

/** A file of this host, as one that the reader dropped. */
export async function fetchedFile(path, fileName = path.replace(/^.*\//, '')) {
  const answer = await fetched(path);
  return new File([await answer.blob()], fileName);
}

/** Load sample files as tables for the SQL tab, without a question; returns what loads them again. */
export async function sampleTables(engine, names) {
  const known = await (await fetched('tables.json')).json();
  await engine.start();
  const found = [];
  for (const table of names.filter(one => Object.hasOwn(known, one))) {
    const opened = await open(engine, await fetchedFile(known[table].file), table);
    await opened.load(null);
    found.push(opened);
  }
  return found;
}

/** Refuse what cannot be evaluated before it is loaded. */
export function refuse(file) {
  if (!file.rows) {
    throw new FileError(file.name, 'no rows; check how it was exported');
  }
  if (file.rows > MOST_ROWS) {
    throw new FileError(
      file.name,
      `${plural(file.rows, 'row')} do not fit into a browser tab, which holds about ${count(MOST_ROWS)}; ` +
        'run the command on your machine, where the rest goes to disk',
      { isBig: true },
    );
  }
}

/** Load macros that `duckmetrics macros --definitions` wrote; the metrics in them are offered like ours. */
export async function define(engine, { catalog }, file) {
  const text = await file.text();
  const told = text.match(/^-- metrics: (.*)$/m)?.[1];
  if (!told)
    throw new FileError(file.name, 'no metrics of yours; write it with duckmetrics macros --definitions');
  await engine.define(text);
  catalog.metrics = [...JSON.parse(told), ...catalog.metrics.filter(one => !one.columns)];
}
