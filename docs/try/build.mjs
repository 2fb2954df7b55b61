// Bundles the page into dist/, next to what data.py wrote there.
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, 'dist');
const engine = join(here, 'node_modules/@duckdb/duckdb-wasm/dist');
const parquet = join(here, 'node_modules/parquet-wasm/esm');
const copied = {
  'index.html': join(here, 'index.html'),
  'style.css': join(here, 'style.css'),
  'charts.css': join(here, '../../duckmetrics/pages/chart.css'),
  'report.css': join(here, '../../duckmetrics/pages/templates/style.css'),
  'duckdb-eh.wasm': join(engine, 'duckdb-eh.wasm'),
  'parquet_wasm_bg.wasm': join(parquet, 'parquet_wasm_bg.wasm'),
};

await mkdir(dist, { recursive: true });
await Promise.all(Object.entries(copied).map(([name, from]) => copyFile(from, join(dist, name))));
const common = { bundle: true, minify: true, target: 'es2022', legalComments: 'linked', logLevel: 'warning' };
await build({
  ...common,
  entryPoints: { main: join(here, 'src/main.js'), theme: join(here, 'src/theme.js') },
  outdir: dist,
  format: 'esm',
  splitting: true,
  chunkNames: 'part-[hash]',
});
await build({
  ...common,
  entryPoints: { 'duckdb-worker': join(engine, 'duckdb-browser-eh.worker.js') },
  outdir: dist,
});
