// Axes: the part of the numbers that a chart shows, its round labels, and the place of a number.
import { known } from './words.js';

const STEPS = [1, 2, 2.5, 5, 10];
/** An interval is cut where it is longer than the usual one by this factor. */
const WILD = 6;

export function span(values, pad = 0.06) {
  const found = values.filter(known);
  if (!found.length) return [0, 1];
  const low = Math.min(...found),
    high = Math.max(...found);
  const room = (high - low || Math.abs(high) || 1) * pad;
  return [low - room, high + room];
}

/** The axis of a forest plot: 0 and all intervals, except the end of a wild one. */
export function focus(ends, pad = 0.06) {
  const found = ends.filter(known);
  const sizes = found.map(Math.abs).sort((a, b) => a - b);
  const limit = WILD * (sizes[sizes.length >> 1] ?? 0) || Infinity;
  const [low, high] = span([0, ...found.map(end => clipped(end, [-limit, limit]))], pad);
  return [Math.max(low, -limit), Math.min(high, limit)];
}

export function ticks(low, high, about = 4) {
  if (!known(low) || !known(high) || high <= low) return known(low) ? [low] : [];
  const raw = (high - low) / about;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = STEPS.map(factor => base * factor).find(one => one >= raw * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); i++) {
    found.push(Number((i * step).toPrecision(12)) + 0);
  }
  return found;
}

export const clipped = (x, [low, high]) => Math.min(Math.max(x, low), high);
const share = (x, [low, high]) => (x - low) / (high - low);
export const place = (x, domain) => `${(100 * share(x, domain)).toFixed(2)}%`;
export const height = (y, domain) => `${(100 - 100 * share(y, domain)).toFixed(2)}%`;
