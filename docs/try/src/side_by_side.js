// One metric under the conventions of every tool.
import { cell, h, rowHead, table } from './dom.js';
import { number } from './words.js';

export function sideBySide(rows) {
  const shown = rows.filter(one => one.value !== null);
  const lines = shown.map(one => [
    rowHead(one.tool),
    cell('n', number(one.value)),
    cell('n', one.settings ? number(one.difference, 4, true) : ''),
    cell('small', (one.settings ?? []).join(' ')),
  ]);
  const refused = rows.filter(one => one.value === null).map(one => one.tool);
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Conventions of tools' },
    table(
      'moves',
      ['tool', '>value', '>difference', 'settings'],
      lines,
      'Values under the conventions of other tools',
    ),
    refused.length ? h('p', { class: 'small' }, `No value for these data: ${refused.join(', ')}.`) : null,
  );
}
