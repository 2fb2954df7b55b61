// What is behind the number: changes per query for rankings, curves for classifiers.
import { areas, bars, figure, key, line, percents } from './charts.js';
import { cell, h, rowHead, table } from './dom.js';
import { sign } from './verdict.js';
import { capital, count, joined, number, percent, plural } from './words.js';

/** The figures and tables that the second computation found; nothing while it runs. */
export function details(state, system) {
  if (!state.details)
    return state.isWorking ? [h('p', { class: 'small' }, 'Computing what is behind the number …')] : [];
  return state.details.moves ? perQuery(state, system) : classifier(state);
}

function perQuery({ details: found, reading, focus }, system) {
  const overall = reading.row(system, focus);
  const steps = found.steps.find(one => one.system === system && one.metric === focus);
  const moves = found.moves.filter(one => one.system === system && one.metric === focus);
  if (!overall || !steps) return [];
  return [
    h(
      'div',
      { class: 'two' },
      spread(reading, overall, steps.points),
      h('div', { class: 'scroll' }, movers(reading, overall, moves)),
    ),
  ];
}

function spread(reading, row, points) {
  const most = Math.max(...points.map(Math.abs)) || 1;
  const y = [-most, most];
  // Where lower is better, a decrease is a gain.
  const turned = sign(row) < 0 ? points.map(value => -value).reverse() : points;
  const units = plural(row.n, ...reading.counted);
  const lost = `${count(row.losses)} lose`;
  return figure({
    title: `${count(row.wins)} of ${units} gain, ${lost}`,
    said: `Change of ${row.metric}, from the largest loss ${number(turned[0], 3)} to the largest gain ${number(turned.at(-1), 3)}; ${count(row.ties)} are equal.`,
    key: key([
      ['up', 'gain'],
      ['down', 'loss'],
    ]),
    x: [0, 1],
    y,
    xName: `share of ${reading.counted[1]}`,
    yName: `change of ${row.metric} per ${reading.counted[0]}, sorted`,
    xText: percents([0, 1]),
    shapes: areas(turned, y),
  });
}

function movers(reading, row, moves) {
  const losses = moves.filter(one => one.direction === 'loss').slice(0, 4);
  const gains = moves
    .filter(one => one.direction === 'gain')
    .slice(0, 4)
    .reverse();
  const rows = [...losses, ...gains].map(one => {
    const isGain = one.difference * (sign(row) || 1) > 0;
    return [
      rowHead(String(one.query_id)),
      cell('n', number(one.baseline_value, 3)),
      cell('n', number(one.value, 3)),
      cell(`n ${isGain ? 'better' : 'worse'}`, `${isGain ? '▲' : '▼'} ${number(one.difference, 3, true)}`),
    ];
  });
  const heads = [reading.counted[0], `>${reading.baseline}`, `>${row.system}`, '>change'];
  return table('moves', heads, rows, `${capital(reading.counted[1])} that change most`);
}

function classifier({ details: { drawn, curves } }) {
  const kinds = drawn.map((model, place) => [model, drawn.length > 1 && place === 0 ? 's0' : 's1']);
  const legend = () => (kinds.length > 1 ? key(kinds.map(([model, kind]) => [kind, model])) : null);
  return [
    h('h3', { class: 'part' }, 'How the scores behave'),
    h(
      'div',
      { class: 'two' },
      roc(curves, kinds, legend),
      kinds.every(([model]) => curves[model].calibration) && calibration(curves, kinds, legend),
      kinds.map(([model]) => scores(curves[model].scores, model, kinds.length === 1)),
    ),
  ];
}

function roc(curves, kinds, legend) {
  const unit = [0, 1];
  const told = kinds.map(([model]) => [model, curves[model].roc.at(-1)?.area]).reverse();
  const areasOf = told.map(([model, area]) =>
    kinds.length > 1 ? `${number(area, 3)} of ${model}` : number(area, 3),
  );
  return figure({
    title: `ROC curve: area ${joined(areasOf)}`,
    said: 'True positive rate by false positive rate; the dotted line is chance.',
    key: legend(),
    x: unit,
    y: unit,
    xName: 'false positive rate',
    yName: 'true positive rate',
    shapes: [
      line(
        [
          [0, 0],
          [1, 1],
        ],
        'ref',
        unit,
        unit,
      ),
      kinds.map(([model, kind]) =>
        line(
          curves[model].roc.map(p => [p.fpr, p.tpr]),
          kind,
          unit,
          unit,
        ),
      ),
    ],
  });
}

function calibration(curves, kinds, legend) {
  const points = model => curves[model].calibration.filter(one => one.n);
  const most = Math.max(
    ...kinds.flatMap(([model]) => points(model).flatMap(one => [one.mean_score, one.mean_label])),
    0.01,
  );
  const unit = [0, Math.min(1, most * 1.06)];
  const gap = model => {
    const own = points(model);
    const total = own.reduce((sum, one) => sum + one.n, 0);
    return own.reduce((sum, one) => sum + (one.n / total) * Math.abs(one.gap), 0);
  };
  const told = kinds
    .map(([model]) =>
      kinds.length > 1 ? `${percent(gap(model), false)} of ${model}` : percent(gap(model), false),
    )
    .reverse();
  return figure({
    title: `Calibration: off by ${joined(told)}`,
    said: 'Observed share of positives by mean predicted probability, in ten bins; the dotted line is perfect calibration.',
    key: legend(),
    x: unit,
    y: unit,
    xName: 'predicted probability',
    yName: 'observed share of positives',
    shapes: [
      line([unit.slice(0, 1).concat(unit[0]), [unit[1], unit[1]]], 'ref', unit, unit),
      kinds.map(([model, kind]) =>
        line(
          points(model).map(one => [one.mean_score, one.mean_label]),
          kind,
          unit,
          unit,
        ),
      ),
    ],
  });
}

function scores(bins, model, isAlone) {
  const x = [bins[0].lo, bins.at(-1).hi];
  const y = [0, Math.max(...bins.flatMap(one => [one.positive_share, one.negative_share])) * 1.05];
  const shares = name => bins.map(one => ({ low: one.lo, high: one.hi, value: one[name] }));
  return figure({
    title: isAlone ? 'Scores by class' : `Scores of ${model} by class`,
    said: `The share of positives and of negatives in each of ${bins.length} bins of the score.`,
    key: key([
      ['pos', 'positives'],
      ['neg', 'negatives'],
    ]),
    x,
    y,
    xName: 'score',
    yName: 'share of the class',
    yText: percents(y),
    shapes: [bars(shares('negative_share'), 'neg', x, y), bars(shares('positive_share'), 'pos', x, y)],
  });
}
