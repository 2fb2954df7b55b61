// Elements are made of text nodes and attributes only, so that nothing in a file can become markup.

export const $ = id => document.getElementById(id);

function made(element, given, children) {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value == null) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'selected') element[name] = value;
    else if (name.startsWith('aria-')) element.setAttribute(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(
    ...children.flat(Infinity).filter(child => child != null && child !== false && child !== ''),
  );
  return element;
}

/** An element of HTML: `h('p', { class: 'small' }, 'text', child, [more, children])`. */
export const h = (tag, given, ...children) => made(document.createElement(tag), given, children);

/** An element of SVG. */
export const svg = (tag, given, ...children) =>
  made(document.createElementNS('http://www.w3.org/2000/svg', tag), given, children);

export const button = (text, act, given) => h('button', { type: 'button', onclick: act, ...given }, text);

/** A menu: `options` are pairs of value and text. */
export const menu = (options, chosen, change, given) =>
  h(
    'select',
    { onchange: event => change(event.target.value), ...given },
    options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );

/** A name with places to break it where a person would. */
export const breakable = name =>
  String(name)
    .split(/(?<=[_@(,/|:])/)
    .flatMap((part, place) => (place ? [h('wbr'), part] : [part]));

/** A table; a heading that begins with '>' belongs to numbers. */
export function table(kind, heads, rows, caption) {
  const head = heads.map(text =>
    h('th', { scope: 'col', class: text.startsWith('>') ? 'n' : null }, breakable(text.replace(/^>/, ''))),
  );
  return h(
    'table',
    { class: kind || null },
    caption && h('caption', null, caption),
    h('thead', null, h('tr', null, head)),
    h(
      'tbody',
      null,
      rows.map(cells => h('tr', null, cells)),
    ),
  );
}

export const cell = (kind, ...children) => h('td', { class: kind || null }, children);
export const rowHead = (...children) => h('th', { scope: 'row' }, children);

/** Let the buttons of a tab list choose a panel, also with the arrow keys; returns what chooses one. */
export function tabs(list, choose) {
  const buttons = [...list.querySelectorAll('[role=tab]')];
  const pick = (chosen, focus) => {
    for (const one of buttons) {
      one.setAttribute('aria-selected', one === chosen);
      one.tabIndex = one === chosen ? 0 : -1;
    }
    if (focus) chosen.focus();
    choose(chosen);
  };
  const moves = { ArrowRight: 1, ArrowLeft: -1 };
  buttons.forEach((one, place) => {
    one.addEventListener('click', () => pick(one));
    one.addEventListener('keydown', event => {
      const move = moves[event.key];
      if (move) pick(buttons[(place + move + buttons.length) % buttons.length], true);
    });
  });
  return pick;
}

/** Code with a button that copies it. */
export function code(text, label = 'Copy') {
  const copy = button(
    label,
    async () => {
      try {
        await navigator.clipboard.writeText(text);
        copy.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(block);
        copy.textContent = 'Press Ctrl + C';
      }
      say(copy.textContent);
      setTimeout(() => (copy.textContent = label), 1600);
    },
    { class: 'copy' },
  );
  const block = h('pre', { tabindex: 0, 'aria-label': 'Code' }, text);
  return h('div', { class: 'code' }, copy, block);
}

/** Save bytes or text as a file of the reader. */
export function save(name, parts, type) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 2000);
}

/** Tell a screen reader what changed. */
export const say = text => ($('said').textContent = text);
