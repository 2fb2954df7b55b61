// Asks DuckDB-Wasm the questions of a job, in this process: reads the job from stdin, writes the answers to stdout.
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Return a value of Arrow as JSON knows it, which has no infinite numbers. */
function plain(value) {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  if (value === null || typeof value !== 'object') return value;
  const read = typeof value.toJSON === 'function' ? value.toJSON() : value;
  if (Array.isArray(read) || ArrayBuffer.isView(read)) return [...read].map(plain);
  return Object.fromEntries(Object.entries(read).map(([name, part]) => [name, plain(part)]));
}

async function main() {
  const job = JSON.parse(readFileSync(0, 'utf-8'));
  const dist = join(job.engine, 'dist');
  const duckdb = require(join(dist, 'duckdb-node-blocking.cjs'));
  const modules = { mvp: { mainModule: join(dist, 'duckdb-mvp.wasm') }, eh: { mainModule: join(dist, 'duckdb-eh.wasm') } };
  const engine = await duckdb.createDuckDB(modules, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
  await engine.instantiate(() => {});
  const connection = engine.connect();
  connection.query('SET autoload_known_extensions = false; SET autoinstall_known_extensions = false;');
  const loaded = new Set();
  const load = file => {
    if (!loaded.has(file)) connection.query(readFileSync(join(job.folder, file), 'utf-8'));
    loaded.add(file);
  };
  load('base.sql');
  connection.query(job.tables);
  const answers = job.asked.map(({ files, sql }) => {
    try {
      files.forEach(load);
      return { rows: connection.query(sql).toArray().map(plain) };
    } catch (error) {
      return { error: String(error.message).split('\n')[0] };
    }
  });
  process.stdout.write(JSON.stringify(answers), () => process.exit(0));
}

main().catch(error => {
  process.stderr.write(String(error), () => process.exit(1));
});
