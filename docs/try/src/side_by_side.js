// One metric under the conventions of every tool.
import { cell, h, rowHead, table } from './dom.js';
import { plain } from './problems.js';
import { number } from './words.js';

const TITLE = 'Values by conventions of tools';

export function sideBySide(rows) {
  const [usual] = rows;
  const shown = rows.filter(one => one.signature).sort((a, b) => b.value - a.value);
  const known = usual.signature.split('|');
  const lines = shown.map(one => [
    rowHead(one.tool ?? 'duckmetrics'),
    cell('n', number(one.value)),
    cell('n', number(one.value - usual.value, 4, true)),
    cell(
      'small',
      one.signature
        .split('|')
        .filter(part => !known.includes(part))
        .join(' '),
    ),
  ]);
  const refused = rows.filter(one => one.error).map(one => `${one.tool}: ${plain(one.error).what}.`);
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': TITLE },
    table('moves', ['tool', '>value', '>change', 'settings'], lines, TITLE),
    refused.map(text => h('p', null, text)),
  );
}
