// The pictures of the report: the same marks, classes and axes, as elements of this page.
import { breakable, cell, h, svg } from './dom.js';
import { clipped, focus, height, place, span, ticks } from './scales.js';
import { KINDS, SIGNS, change, sign, toward } from './verdict.js';
import { count, digitsOf, known, number, percent } from './words.js';

const SHAPES = {
  better: ['path', 'm', 'M0-5.5 5.5 4.5H-5.5Z'],
  worse: ['path', 'm', 'M0 5.5 5.5-4.5H-5.5Z'],
  different: ['path', 'm', 'M0-5.5 5.5 0 0 5.5-5.5 0Z'],
  'not tested': ['path', 'o', 'M-5 0H5'],
  left: ['path', 'm', 'M-7 0 1-4.5V4.5Z'],
  right: ['path', 'm', 'M7 0-1-4.5V4.5Z'],
  unclear: ['circle', 'o', 4.5],
  dot: ['circle', 'm', 4],
};

function mark(shape, x, y) {
  const [tag, kind, drawn] = SHAPES[shape];
  return svg('svg', { x, y }, svg(tag, { class: kind, [tag === 'path' ? 'd' : 'r']: drawn }));
}

const upright = (kind, x, domain) =>
  known(x) &&
  clipped(x, domain) === x &&
  svg('line', { class: kind, x1: place(x, domain), x2: place(x, domain), y1: 0, y2: '100%' });

function whiskers(lower, upper, domain) {
  if (!known(lower) || !known(upper)) return [];
  const [x1, x2] = [lower, upper].map(end => place(clipped(end, domain), domain));
  return [
    svg('line', { class: 'ci', x1, x2, y1: 13, y2: 13 }),
    lower < domain[0] && mark('left', '0%', 13),
    upper > domain[1] && mark('right', '100%', 13),
  ];
}

const row = (...shapes) => svg('svg', { class: 'row', height: 26, 'aria-hidden': 'true' }, shapes);

function axis(domain, text) {
  const shown = ticks(...domain, 3).map(t => svg('text', { x: place(t, domain), y: 12 }, text(t)));
  return svg('svg', { class: 'row axis', height: 16, 'aria-hidden': 'true' }, shown);
}

/** A writer of the labels of an axis, which gives all but 0 the same number of decimals. */
function labels(domain, scale = 1, sign = false) {
  const decimals = t => String(Number((scale * t).toPrecision(10))).split('.')[1]?.length ?? 0;
  const digits = Math.max(0, ...ticks(...domain).map(decimals));
  return t => (t ? number(scale * t, digits, sign) : '0');
}
/** A writer of labels in percent. */
export const percents = (domain, sign = false) => {
  const text = labels(domain, 100, sign);
  return t => (t ? `${text(t)}%` : '0');
};

/**
 * The forest table of the report: a row per metric or slice, right is better.
 *
 * @param {string} first the heading of the names
 * @param {{row: object, before: number|null, label: string, note: string}[]} lines
 * @param {number|null} guide the overall change, a dotted line
 */
export function forest(first, lines, caption, guide = null) {
  const drawn = lines.map(line => ({ ...line, change: change(line.row, line.before) }));
  const domain = focus([
    guide,
    ...drawn.flatMap(({ change: one }) => (one ? [one.lower ?? one.x, one.upper ?? one.x] : [])),
  ]);
  const heads = [
    [first, ''],
    ['from → to', 'n'],
    ['change', 'n'],
    ['95 % interval', 'ci'],
    ['worse ← 0 → better', 'p'],
    ['verdict', 'v'],
  ];
  return framed('verdicts', caption, heads, [
    drawn.map(line => forestRow(line, domain, guide)),
    h(
      'tr',
      { class: 'axis', 'aria-hidden': 'true' },
      h('td', { colspan: 4 }),
      cell('p', axis(domain, percents(domain, true))),
      h('td', null),
    ),
  ]);
}

/** A table with pictures; `parts` are the rows of its bodies. */
function framed(kind, caption, heads, ...parts) {
  const head = heads.map(([text, own]) =>
    text
      ? h('th', { role: 'columnheader', scope: 'col', class: own || null }, breakable(text))
      : h('td', { role: 'cell', class: own }),
  );
  return h(
    'div',
    { class: 'dm' },
    h(
      'table',
      { class: `forest ${kind}`, role: 'table' },
      h('caption', { class: 'hidden' }, caption),
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
      parts.map(rows => h('tbody', { role: 'rowgroup' }, rows)),
    ),
  );
}

function forestRow({ row: one, before, label, note, change: found }, domain, guide) {
  const kind = KINDS[one.verdict] ?? 'diff';
  const digits = digitsOf(one.delta_lower ?? one.lower, one.delta_upper ?? one.upper);
  const turned = sign(one);
  const ends =
    found && known(found.lower)
      ? turned > 0
        ? [found.lower, found.upper]
        : [-found.upper, -found.lower]
      : null;
  const absolute = known(one.delta_lower)
    ? `${number(one.delta_lower, digits, true)} to ${number(one.delta_upper, digits, true)}`
    : '';
  const plot = found
    ? row(
        upright('zero', 0, domain),
        upright('guide', guide, domain),
        whiskers(found.lower, found.upper, domain),
        marked(found, one.verdict, domain),
      )
    : h('span', { class: 'soft' }, wordsInstead(one, before, digits));
  const tds = [
    ['n', `${number(before)} → ${number(one.value)}`],
    [`n c ${kind}`, found ? percent(turned * found.x) : number(one.delta, digits, true)],
    ['ci', found ? (ends ? `${percent(ends[0])} to ${percent(ends[1])}` : '') : absolute],
    [`p ${kind}`, plot],
    [`v ${kind}`, `${SIGNS[one.verdict] ?? ''} ${one.verdict}`],
  ];
  return h(
    'tr',
    { role: 'row' },
    h(
      'th',
      { role: 'rowheader', scope: 'row' },
      breakable(label),
      note && h('span', { class: 'soft' }, note),
    ),
    tds.map(([kindOf, content]) => h('td', { role: 'cell', class: kindOf }, content)),
  );
}

function marked({ x, lower }, verdict, domain) {
  if (clipped(x, domain) === x) return mark(verdict, place(x, domain), 13);
  const isRight = x > domain[1];
  return [
    known(lower) ? null : mark(isRight ? 'right' : 'left', isRight ? '100%' : '0%', 13),
    mark(verdict, isRight ? '96%' : '4%', 13),
  ];
}

function wordsInstead(one, before, digits) {
  if (before === null || one.value === null) return one.reason ?? 'no value';
  if (one.target === null) return sign(one) ? 'no relative change from 0' : 'no direction is better';
  const [old, now] = [before, one.value].map(value => Math.abs(value - one.target));
  const isClear = ['better', 'worse', 'different'].includes(one.verdict);
  const way = isClear ? toward(one.target, before, one.value) : `aims at ${one.target}`;
  return `${way}: ${number(old, digits)} off, now ${number(now, digits)}`;
}

/** Values with intervals, a group of rows per metric, each on the axis of its metric. */
export function values(groups, caption, firstHead = 'metric', isShared = false) {
  const ends = one => [one.value, one.lower, one.upper];
  const all = isShared ? groups.flatMap(({ lines }) => lines.flatMap(ends)) : null;
  const heads = [
    [firstHead, ''],
    ['system', ''],
    ['value', 'n'],
    ['95 % interval', 'ci'],
    ['', 'p'],
    ['n', 'n'],
  ];
  const hasSystems = groups.some(({ lines }) => lines.length > 1);
  const shown = hasSystems ? heads : heads.filter(([text]) => text !== 'system');
  return framed('values', caption, shown, ...groups.map(group => valueRows(group, hasSystems, all)));
}

function valueRows({ label, note, lines }, hasSystems, all) {
  const domain = span(all ?? lines.flatMap(one => [one.value, one.lower, one.upper]), 0.12);
  const turned = sign(lines[0]) || 0;
  const best =
    lines.length > 1 && turned
      ? Math.max(...lines.map(one => turned * (one.value ?? -turned * Infinity)))
      : null;
  return lines.map((one, at) => {
    const isBest = best !== null && turned * one.value === best;
    const drawn =
      known(one.value) &&
      row(whiskers(one.lower, one.upper, domain), mark('dot', place(one.value, domain), 13));
    const words =
      one.value === null
        ? (one.reason ?? 'no value')
        : known(one.lower)
          ? `${number(one.lower)} to ${number(one.upper)}`
          : '';
    return h(
      'tr',
      { role: 'row', class: at ? 'again' : null },
      h(
        'th',
        { role: 'rowheader', scope: 'row' },
        h('span', { class: at ? 'hidden' : null }, breakable(label)),
        !at && note && h('span', { class: 'soft' }, note),
      ),
      hasSystems && h('td', { role: 'cell', class: 'who' }, one.system),
      h(
        'td',
        { role: 'cell', class: `n${isBest ? ' b' : ''}` },
        number(one.value),
        isBest && h('span', { class: 'hidden' }, ' (best)'),
      ),
      h('td', { role: 'cell', class: 'ci' }, words),
      h('td', { role: 'cell', class: 'p s1' }, drawn),
      h('td', { role: 'cell', class: 'n soft' }, count(one.n)),
    );
  });
}

let serial = 0;
/** A chart with axes. `shapes` lie in a square of 1000 by 1000; the description says what is seen. */
export function figure({
  title,
  said,
  key,
  x,
  y,
  xName,
  yName,
  xText = labels(x),
  yText = labels(y),
  shapes,
}) {
  const id = `chart${++serial}`;
  const grid = [
    ticks(...y).map(t => [
      svg('line', { class: 'grid', x1: 0, x2: '100%', y1: height(t, y), y2: height(t, y) }),
      svg('text', { class: 'y', x: -7, y: height(t, y), dy: '.32em' }, yText(t)),
    ]),
    ticks(...x).map(t => svg('text', { x: place(t, x), y: '100%', dy: 17 }, xText(t))),
    svg('text', { x: '50%', y: '100%', dy: 36 }, xName),
  ];
  return h(
    'figure',
    { class: 'dm' },
    h('figcaption', null, h('b', null, title), h('span', { class: 'soft' }, yName), key),
    svg(
      'svg',
      { class: 'plot', height: 220, role: 'img', 'aria-labelledby': `${id} ${id}d` },
      svg('title', { id }, title),
      svg('desc', { id: `${id}d` }, said),
      grid,
      svg(
        'svg',
        { viewBox: '0 0 1000 1000', preserveAspectRatio: 'none', width: '100%', height: '100%' },
        shapes,
      ),
    ),
  );
}

export const key = entries =>
  h(
    'span',
    { class: 'key' },
    entries.map(([kind, text]) => h('span', null, h('i', { class: kind, 'aria-hidden': 'true' }), text)),
  );

const scaled = (value, [low, high]) => Math.round((1000 * (value - low)) / (high - low));

/** A line through points of two axes. */
export const line = (points, kind, x, y) =>
  svg('path', {
    class: `line ${kind}`,
    d: `M${points.map(([a, b]) => `${scaled(a, x)} ${1000 - scaled(b, y)}`).join(' ')}`,
  });

/** Gains and losses as two areas over the sorted differences. */
export function areas(points, y) {
  const zero = 1000 - scaled(0, y);
  const area = (kind, keep) => {
    const at = points.map(
      (value, place) =>
        `${(1000 * place) / (points.length - 1)} ${keep(value) ? 1000 - scaled(value, y) : zero}`,
    );
    return svg('path', { class: `band ${kind}`, d: `M0 ${zero} ${at.join(' ')} 1000 ${zero}Z` });
  };
  return [area('better', value => value > 0), area('worse', value => value < 0)];
}

/** A bar for each bin: from `low` to `high`, as tall as `value`. */
export const bars = (bins, kind, x, y) =>
  bins.map(({ low, high, value }) => {
    const top = 1000 - scaled(value, y);
    return svg('rect', {
      class: `bar ${kind}`,
      x: scaled(low, x),
      y: top,
      width: Math.max(1, scaled(high, x) - scaled(low, x)),
      height: 1000 - top,
    });
  });
