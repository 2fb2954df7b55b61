// One metric under the conventions of every tool.
import { cell, h, rowHead, table } from './dom.js';
import { number } from './words.js';

export function sideBySide(rows) {
  const shown = rows.filter(one => one.value !== null);
  const lines = shown.map(one => [
    rowHead(one.tool),
    cell('', h('code', null, one.name)),
    cell('n', number(one.value)),
    cell('n', one.like === 'duckmetrics' ? '' : number(one.difference, 4, true)),
    cell('small', one.because || one.settings || ''),
  ]);
  const refused = rows.filter(one => one.value === null).map(one => one.tool.replace(/ [\d.]+$/, ''));
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Conventions of tools' },
    table(
      'moves',
      ['tool', 'its name', '>value', '>difference', 'because of'],
      lines,
      'Values under the conventions of other tools',
    ),
    refused.length ? h('p', { class: 'small' }, `No value for these data: ${refused.join(', ')}.`) : null,
  );
}
