// DuckDB in a worker: it starts once, runs one statement at a time, and is replaced after a crash or cancel.
import { AsyncDuckDB, DuckDBDataProtocol, VoidLogger } from '@duckdb/duckdb-wasm';
import { tableToIPC } from 'apache-arrow';
import { plainValue } from './values.js';

export const at = path => new URL(path, document.baseURI).href;
export const fetched = async (path, options = {}) => {
  const answer = await fetch(at(path), options).catch(() => {
    throw new Error(`${path}: the host of this page does not answer; connect to it, and try again`);
  });
  if (!answer.ok) throw new Error(`${path}: this copy of the page lacks the file; build the page again`);
  return answer;
};
const WASM = 'duckdb-eh.wasm';
const WORKER = 'duckdb-worker.js';
const ENGINE_BYTES = 34_242_586;
// After one of these, the instance returns wrong errors or none: only a new one is safe.
const CRASH = new RegExp(
  'function signature mismatch|out of bounds|unreachable|null function|call_indirect|' +
    'RuntimeError|INTERNAL|call stack',
);

export class Cancelled extends Error {}

/**
 * @typedef {object} Listener
 * @property {(text: string, share?: number) => void} status shows what the engine does, and how far it is
 * @property {(engine: Engine) => Promise<void>} restore loads the files again into a new instance
 */
export class Engine {
  #ready = null;
  #worker = null;
  #database = null;
  #connection = null;
  #macros = new Set();
  #index = null;
  #own = '';
  #stops = new Set();
  #queue = Promise.resolve();

  /** @param {Listener} listener */
  constructor(listener) {
    this.listener = listener;
  }

  /** Start the engine, once. */
  start() {
    this.#ready ??= this.#open().catch(error => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  async #open() {
    const { status } = this.listener;
    status('Loading the engine', 0);
    // A worker from a blob inherits the policy of the page; one that is loaded from a file does not.
    const source = kept.get(WORKER) ?? `importScripts(${JSON.stringify(at(WORKER))})`;
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    this.#worker = new Worker(url);
    this.#database = new AsyncDuckDB(new VoidLogger(), this.#worker);
    const base = script('base.sql');
    await this.#database.instantiate(kept.get(WASM) ?? at(WASM), null, ({ bytesLoaded }) =>
      status('Loading the engine', bytesLoaded / ENGINE_BYTES),
    );
    URL.revokeObjectURL(url);
    this.#connection = await this.#database.connect();
    this.#macros = new Set();
    // Without these, a missing extension is fetched from another host, and the instance breaks.
    await this.#run('SET autoinstall_known_extensions = false; SET autoload_known_extensions = false;');
    await this.#run((await base) + this.#own);
    await this.listener.restore(this);
    status('Ready');
  }

  /**
   * Run SQL and return its last result as an Arrow table; statements wait for each other.
   * After a crash, the next statement starts another instance.
   */
  arrow(sql) {
    const turn = this.#queue
      .then(() => this.start())
      .then(() => this.#run(sql))
      .catch(error => {
        if (error.isCrash) this.#end();
        throw error;
      });
    this.#queue = turn.catch(() => null);
    return turn;
  }

  /** Run SQL and return the rows of its last result as objects, with the names of the columns. */
  async query(sql) {
    return rowsOf(await this.arrow(sql));
  }

  /** Like `query`, for a listener that restores files before the engine is ready. */
  async during(sql) {
    return rowsOf(await this.#run(sql));
  }

  #run(sql) {
    return this.#raced(this.#connection.query(sql));
  }

  /** Wait for the worker. One that ends never answers, so each answer races against the end of its worker. */
  async #raced(answer) {
    let stop;
    const cancelled = new Promise((_, refuse) => (stop = refuse));
    this.#stops.add(stop);
    try {
      return await Promise.race([answer, cancelled]);
    } catch (error) {
      if (CRASH.test(String(error.message))) error.isCrash = true;
      throw error;
    } finally {
      this.#stops.delete(stop);
    }
  }

  /** Use the macros of a file of the reader in the place of ours. */
  async define(text) {
    await this.arrow(text);
    this.#own = text;
  }

  /** Define macros and what they need, before the first call. */
  async macros(names) {
    await this.start();
    const files = await this.files(names);
    const missing = files.filter(file => !this.#macros.has(file));
    const texts = missing.map(file => script(file));
    for (const [place, file] of missing.entries()) {
      await this.arrow(await texts[place]);
      this.#macros.add(file);
    }
  }

  /** The files that define macros, in the order in which they are loaded. */
  async files(names) {
    if (this.#own) return [];
    const index = await this.index();
    const called = names.filter(name => Object.hasOwn(index, name));
    const files = called.flatMap(name => [...index[name].needs, index[name].file]);
    return [...new Set(files)];
  }

  /** The macros by name, with the file of each. */
  index() {
    this.#index ??= fetched('macros/index.json')
      .then(answer => answer.json())
      .catch(error => {
        this.#index = null;
        throw error;
      });
    return this.#index;
  }

  /** Insert rows that Parquet files hold, as a stream of Arrow; the first part creates the table. */
  insertArrow(table, stream, isFirst) {
    return this.#raced(this.#connection.insertArrowFromIPCStream(stream, { name: table, create: isFirst }));
  }

  /** Give the engine a file to read under a name while `use` runs. */
  async withFile(name, blob, use) {
    await this.#database.registerFileHandle(name, blob, DuckDBDataProtocol.BROWSER_FILEREADER, true);
    try {
      return await use();
    } finally {
      await this.#database.dropFile(name).catch(() => null);
    }
  }

  /** End the worker, which is the only way to end a statement, and start another one with the same files. */
  restart() {
    for (const stop of this.#stops) stop(new Cancelled('cancelled'));
    this.#stops.clear();
    this.#queue = Promise.resolve();
    this.#end();
    return this.start();
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#ready = null;
  }
}

const scripts = new Map();
/** The text of a file of macros, fetched once. */
export function script(file, options) {
  if (!scripts.has(file)) {
    const text = fetched(`macros/${file}`, options).then(answer => answer.text());
    scripts.set(file, text);
    // A file that was out of reach is asked for again.
    text.catch(() => scripts.delete(file));
  }
  return scripts.get(file);
}

/** Files of the engine in memory, from which it starts again without a network. */
const kept = new Map();

/**
 * Fetch what a later question can need, and keep it in memory: the page then works without a network.
 *
 * @param {Engine} engine
 * @param {string[]} first macros that are the likeliest to be called next
 */
export async function keep(engine, first) {
  const quietly = { priority: 'low' };
  const every = Object.keys(await engine.index());
  for (const file of await engine.files([...first, ...every])) {
    await idle();
    await script(file, quietly);
  }
  if (!kept.has(WORKER)) kept.set(WORKER, await (await fetched(WORKER, quietly)).text());
  if (!kept.has(WASM)) kept.set(WASM, URL.createObjectURL(await (await fetched(WASM, quietly)).blob()));
}

const idle = () =>
  new Promise(go =>
    globalThis.requestIdleCallback ? requestIdleCallback(go, { timeout: 2000 }) : setTimeout(go),
  );

/** Rows as objects; rows of Arrow are proxies that change under the reader. */
function rowsOf(table) {
  const { fields } = table.schema;
  const names = fields.map(field => field.name);
  const columns = fields.map((field, place) => {
    const column = table.getChildAt(place);
    return row => plainValue(column.get(row), field.type);
  });
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(names.map((name, place) => [name, columns[place](row)])),
  );
  return Object.assign(rows, { names, arrow: table });
}

/** The bytes of a result as a stream of Arrow. */
export const ipcOf = table => tableToIPC(table, 'stream');

/** The words of DuckDB or of a macro, without the stack that the engine adds. */
export const message = error =>
  String(error?.message ?? error)
    .split(/\n\s*(?:at |Stack)/)[0]
    .trim();
