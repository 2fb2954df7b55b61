// Questions about the rows of an answer: the row of a system, its baseline, its slices, the best system.
import { placeOf } from './compute.js';
import { gain, sign } from './verdict.js';
import { plural } from './words.js';

/** The units that a column identifies: `users` for user_id. */
export function unitsOf(column, otherwise) {
  const stem = /^([a-z_]+)_id$/.exec(column ?? '')?.[1];
  if (!stem || stem === 'row') return otherwise;
  const words = stem.replaceAll('_', ' ');
  if (words === 'query') return ['query', 'queries'];
  return [words, /[^aeiou]y$/.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`];
}

export class Reading {
  /**
   * @param {{rows: object[], isCompared: boolean}} answer
   * @param {object} question with the metrics and the baseline
   * @param {{counted: string[], units: string[]}} words for what is counted, and for what is independent
   */
  constructor(answer, question, { counted, units }) {
    this.rows = answer.rows;
    this.isCompared = answer.isCompared;
    this.baseline = question.baseline;
    this.metrics = [...new Set(answer.rows.map(row => row.metric))];
    this.systems = [...new Set(answer.rows.map(row => row.system))];
    this.others = this.isCompared ? this.systems.filter(one => one !== this.baseline) : this.systems;
    this.counted = counted;
    this.units = units;
  }

  get first() {
    return this.row(this.others[0]) ?? this.rows[0];
  }

  /** The row of a system, by default for the first metric and for all queries or rows. */
  row(system, metric = this.metrics[0], place = '') {
    return this.rows.find(row => row.system === system && row.metric === metric && placeOf(row) === place);
  }

  base(row) {
    return this.isCompared ? this.row(this.baseline, row.metric, placeOf(row)) : null;
  }

  gain(row) {
    return gain(row, this.base(row)?.value ?? null);
  }

  /** The rows of a system in slices, the worst first; without a baseline, by value. */
  slices(system, metric = this.metrics[0]) {
    const own = this.rows.filter(row => row.slice && row.system === system && row.metric === metric);
    const key = this.isCompared ? row => this.gain(row) : row => this.worth(row);
    return own.sort((a, b) => key(a) - key(b));
  }

  worth(row) {
    if (row.value === null) return Infinity;
    return row.target === null ? (sign(row) || 1) * row.value : -Math.abs(row.value - row.target);
  }

  /** The row of the best of some systems by a metric. */
  best(systems, metric = this.metrics[0]) {
    const rows = systems.map(one => this.row(one, metric)).filter(row => row && row.value !== null);
    return rows.sort((a, b) => this.worth(b) - this.worth(a))[0];
  }

  /** `2,208 users` */
  size(row) {
    const isClustered = row.n_units !== null && row.n_units !== undefined && this.units !== this.counted;
    const rows = plural(row.n, ...this.counted);
    return isClustered ? `${rows} of ${plural(row.n_units, ...this.units)}` : rows;
  }
}
