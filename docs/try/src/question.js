// Step 2: metrics with their meaning, cut-offs, slices, baseline, units, and how special cases count.
import { $, button, h, menu } from './dom.js';
import { metricOf, typed } from './state.js';
import { paramsOf, spec } from './words.js';

/** Draw the step. `act.asked(key, value)` sets a part of the question. */
export function drawQuestion(state, act) {
  const body = $('question-body');
  if (!state.systems.length) {
    body.replaceChildren(
      h(
        'p',
        { class: 'later' },
        'Choose metrics, cut-offs and slices. Usual ones are set when the data are there.',
      ),
    );
    return;
  }
  const wide = matchMedia('(min-width: 1000px)').matches;
  const fold = body.querySelector('.asked');
  body.replaceChildren(
    h(
      'details',
      { class: 'asked', open: wide || fold?.open },
      h('summary', null, 'Change metrics, cut-offs and slices'),
      baseline(state, act),
      slices(state, act),
      like(state, act),
      h(
        'fieldset',
        null,
        h('legend', null, 'Metrics'),
        h(
          'ul',
          { class: 'metrics' },
          shown(state).map(one => metric(state, act, one)),
        ),
      ),
      others(state, act),
      h('div', { id: 'switches' }, switches(state, act)),
    ),
  );
}

const field = (text, control) => h('label', { class: 'field' }, text, control);

const baseline = (state, act) =>
  state.systems.length > 1 &&
  field(
    'Compare with',
    menu(
      [...state.systems.map(one => [one, one]), ['', 'nothing, only values']],
      state.question.baseline,
      chosen => act.asked('baseline', chosen),
      { id: 'baseline' },
    ),
  );

function slices(state, act) {
  const known = [...new Set([...state.attributes, ...state.question.by])];
  if (!known.length) return null;
  const chosen = state.question.by.join(', ');
  const options = [['', 'none'], ...known.map(one => [one, `by ${one}`])];
  if (state.question.by.length > 1) options.push([chosen, `by ${chosen}`]);
  return field(
    'Slices',
    menu(options, chosen, value => act.asked('by', value ? value.split(', ') : []), { id: 'by' }),
  );
}

function like(state, act) {
  if (state.family !== 'ranking') return null;
  const tools = state.catalog.presets.filter(one => one.metrics.ranking?.length);
  return field(
    'Conventions',
    menu(
      [['', 'of duckmetrics'], ...tools.map(one => [one.name, `of ${one.title}`])],
      state.question.like,
      chosen => act.asked('like', chosen),
      { id: 'like' },
    ),
  );
}

/** The metrics that the page offers at first: those of the samples of the family, and those asked for. */
function shown(state) {
  const ofSamples = state.samples
    .filter(one => familyOf(one) === state.family)
    .flatMap(one => one.settings.metrics);
  const known = new Map();
  for (const text of [...state.question.metrics, ...ofSamples, ...state.catalog.usual[state.family]]) {
    const { name } = spec(text);
    const found = metricOf(name, state.family);
    if (found && ![...known.values()].some(one => one.found === found))
      known.set(name, { name, found, usual: text });
  }
  const order = [...ofSamples, ...state.question.metrics].map(text =>
    metricOf(spec(text).name, state.family),
  );
  return [...known.values()].sort((a, b) => order.indexOf(a.found) - order.indexOf(b.found));
}

export const familyOf = sample =>
  sample.files.some(one => one.role === 'rows') ? 'classification' : 'ranking';

function metric(state, act, { name, found, usual }) {
  const asked = state.question.metrics.find(one => metricOf(spec(one).name, state.family) === found);
  const k = asked ? spec(asked).k : spec(usual).k || (found.default_k ?? '');
  const required = found.switches.filter(one => one.is_required);
  const given = Object.fromEntries(paramsOf(asked ?? ''));
  const read = () => {
    const [box, ...inputs] = row.querySelectorAll('input');
    const params = required.map((one, place) => `${one.name}=${inputs[place].value || 1}`);
    const cut = found.has_cutoff ? inputs[required.length].value : '';
    const text = `${name}${params.length ? `(${params.join(', ')})` : keptParams(asked)}${cut ? `@${cut}` : ''}`;
    act.metric(found, box.checked ? text : null);
  };
  const id = `meaning-${found.name}`;
  const row = h(
    'li',
    null,
    h(
      'label',
      { class: 'tick' },
      h('input', { type: 'checkbox', checked: Boolean(asked), onchange: read, 'aria-describedby': id }),
      h('b', null, name),
    ),
    h(
      'span',
      { class: 'cut' },
      required.map(one =>
        h(
          'label',
          null,
          `${one.name} `,
          h('input', {
            type: 'number',
            step: 'any',
            value: given[one.name] ?? '1',
            oninput: read,
            title: one.meaning,
          }),
        ),
      ),
      found.has_cutoff &&
        h(
          'label',
          null,
          h('span', { 'aria-hidden': 'true' }, '@'),
          h('input', {
            type: 'number',
            min: 1,
            max: 100000,
            value: k,
            placeholder: 'all',
            oninput: read,
            'aria-label': `Cut-off of ${name}; empty for the whole list`,
          }),
        ),
    ),
    h('p', { class: 'small', id }, found.meaning.split(/(?<=\.) /)[0]),
  );
  return row;
}

const keptParams = asked => (asked ? spec(asked).params : '');

/** All other metrics of the family, with a field that filters them. */
function others(state, act) {
  const first = shown(state).map(one => one.found);
  const rest = state.catalog.metrics.filter(
    one => one.family === state.family && one.is_listed && !one.is_table && !first.includes(one),
  );
  const list = h('ul', { class: 'more', tabindex: 0, 'aria-label': 'More metrics' });
  const fill = word => {
    const wanted = word.trim().toLowerCase();
    const hits = rest.filter(one =>
      [one.name, one.title, ...one.aliases].some(text => text.toLowerCase().includes(wanted)),
    );
    list.replaceChildren(
      ...(hits.length
        ? hits.map(one =>
            h(
              'li',
              null,
              button(one.name, () => act.more(one), { class: 'link', 'aria-label': `Add ${one.name}` }),
              h('span', { class: 'small' }, ` ${one.title}`),
            ),
          )
        : [h('li', { class: 'small' }, 'No metric has this name.')]),
    );
  };
  fill('');
  return h(
    'details',
    { id: 'more' },
    h('summary', null, `${rest.length} more metrics`),
    h('input', {
      type: 'search',
      'aria-label': 'Search metrics',
      placeholder: 'Search',
      oninput: event => fill(event.target.value),
    }),
    list,
  );
}

/** The switches of the chosen metrics, each with the meaning of its choice. */
export function drawSwitches(state, act) {
  $('switches')?.replaceChildren(switches(state, act));
}

function switches(state, act) {
  const known = new Map();
  for (const text of state.question.metrics) {
    for (const one of metricOf(spec(text).name, state.family)?.switches ?? []) {
      if (!one.is_required && one.type !== 'bool' && !known.has(one.name)) known.set(one.name, one);
    }
  }
  const isOpen = $('switches')?.querySelector('details')?.open;
  const set = Object.keys(state.question.switches).length;
  return h(
    'details',
    { open: isOpen || set > 0 },
    h('summary', null, 'How special cases count', set ? ` (${set} set)` : ''),
    [...known.values()].map(one => setting(state, act, one)),
  );
}

function setting(state, act, one) {
  const value = state.question.switches[one.name];
  const id = `switch-${one.name}`;
  const told = h('span', { class: 'small', id: `${id}-meaning` });
  const say = chosen =>
    (told.textContent =
      one.choices.find(choice => String(choice.value) === String(chosen))?.meaning ?? one.meaning);
  say(value ?? one.default);
  const set = text => {
    const isDefault = text === '' || text === String(one.default);
    say(isDefault ? one.default : text);
    act.setSwitch(one.name, isDefault ? null : typed(text), false);
  };
  const given = { id, 'aria-describedby': `${id}-meaning` };
  const control = one.choices.length
    ? menu(
        one.choices.map(choice => [
          String(choice.value),
          `${choice.value}${choice.value === one.default ? ' (default)' : ''}`,
        ]),
        String(value ?? one.default),
        set,
        given,
      )
    : h('input', {
        type: 'number',
        step: 'any',
        value: value ?? '',
        placeholder: one.default ?? 'none',
        oninput: event => set(event.target.value),
        ...given,
      });
  return h('div', { class: 'field' }, h('label', { for: id }, one.name.replaceAll('_', ' ')), control, told);
}
