// The SQL tab: several statements at once, each with its rows; names are completed.
import { $, button, cell, h, say, table } from './dom.js';
import { message } from './engine.js';
import { save } from './saving.js';
import { names, statements, wordAt } from './statements.js';
import { literal, name as quoted, plural } from './words.js';

const MOST_SHOWN = 500;
const WORDS =
  'SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT JOIN USING WITH CREATE VIEW TABLE DESCRIBE UNPIVOT round count avg'.split(
    ' ',
  );

export class Shell {
  #editor = null;
  #columns = new Map();
  #macros = [];
  #hints = null;

  /**
   * @param {import('./engine.js').Engine} engine
   * @param {{status: (text: string) => void, edited: (sql: string) => void, catalog: () => object}} page
   */
  constructor(engine, page) {
    Object.assign(this, { engine, page });
  }

  get sql() {
    return this.#editor?.value ?? '';
  }

  /** Show the tab, with other SQL if it is given. */
  async show(text) {
    if (!this.#editor) this.#draw();
    if (text !== undefined && text !== null) {
      this.#editor.value = text;
      this.#editor.rows = Math.min(24, Math.max(8, text.split('\n').length + 1));
    }
    await this.refresh();
  }

  focus() {
    this.#editor.focus({ preventScroll: true });
    this.#editor.setSelectionRange(0, 0);
  }

  #draw() {
    this.#editor = h('textarea', {
      id: 'editor',
      rows: 8,
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      'aria-label': 'SQL',
      'aria-describedby': 'keys',
      'aria-autocomplete': 'list',
      'aria-controls': 'hints',
      onkeydown: event => this.#key(event),
      oninput: () => this.#typed(),
      onblur: () => setTimeout(() => this.#close(), 150),
    });
    this.#editor.value =
      "-- FROM evaluate('predictions', 'truth', 'ndcg@10') evaluates two tables.\nFROM duckmetrics_help('ndcg');\n";
    this.#hints = h('ul', { id: 'hints', role: 'listbox', 'aria-label': 'Names', hidden: true });
    const search = h('input', {
      type: 'search',
      'aria-label': 'Search macros',
      placeholder: 'Search, such as calibration',
      oninput: event => this.#list(event.target.value),
    });
    $('sql').replaceChildren(
      h(
        'div',
        { class: 'shell' },
        h(
          'div',
          null,
          h('div', { class: 'editing' }, this.#editor, this.#hints),
          h(
            'p',
            { class: 'bar' },
            button('Run', () => this.run(), { class: 'primary', id: 'run' }),
            h(
              'span',
              { class: 'small', id: 'keys' },
              'Ctrl + Enter runs all statements, or the selected ones. Ctrl + Space completes a name.',
            ),
          ),
          h('div', { id: 'results' }),
        ),
        h(
          'aside',
          { 'aria-label': 'Tables and macros' },
          h('h2', null, 'Tables'),
          h('div', { id: 'tables' }),
          h('h2', null, 'Macros'),
          search,
          h('ul', { id: 'macros', tabindex: 0, 'aria-label': 'Macros' }),
        ),
      ),
    );
  }

  /** Read the names of tables and macros again. */
  async refresh() {
    const index = await this.engine.index();
    const titles = new Map(
      this.page
        .catalog()
        .metrics.flatMap(one => [one.macro, one.name, ...one.aliases].map(key => [key, one.title])),
    );
    this.#macros = Object.keys(index)
      .filter(one => !one.startsWith('duckmetrics_fn') && !one.startsWith('duckmetrics_segment'))
      .map(one => ({ name: one, about: titles.get(one) ?? index[one].title ?? '' }));
    this.#list('');
    const rows = await this.engine.query(
      `SELECT table_name, list(column_name ORDER BY column_index) AS columns
FROM duckdb_columns() WHERE NOT internal GROUP BY ALL ORDER BY ALL`,
    );
    this.#columns = new Map(rows.map(row => [row.table_name, row.columns]));
    $('tables').replaceChildren(
      this.#columns.size
        ? h(
            'ul',
            null,
            [...this.#columns].map(([name, columns]) =>
              h(
                'li',
                null,
                button(name, () => this.#insert(`FROM ${quoted(name)} LIMIT 10;`), { class: 'link' }),
                h('p', { class: 'small' }, columns.join(', ')),
              ),
            ),
          )
        : h('p', { class: 'small' }, 'There are none. Files that you drop appear here by their names.'),
    );
  }

  #list(word) {
    const wanted = word.trim().toLowerCase();
    const hits = this.#macros.filter(
      one => one.name.includes(wanted) || one.about.toLowerCase().includes(wanted),
    );
    $('macros').replaceChildren(
      ...(hits.length
        ? hits.map(one =>
            h(
              'li',
              null,
              button(one.name, () => this.#insert(`FROM duckmetrics_help(${literal(one.name)});`), {
                class: 'link',
              }),
              h('span', { class: 'small' }, ` ${one.about}`),
            ),
          )
        : [h('li', { class: 'small' }, 'No macro has this name.')]),
    );
  }

  #insert(text) {
    const before = this.#editor.value.trimEnd();
    this.#editor.value = `${before}${before ? '\n\n' : ''}${text}\n`;
    this.#editor.focus();
    this.#editor.scrollTop = this.#editor.scrollHeight;
    this.page.edited(this.sql);
  }

  /** Run the selection, or everything; the first error ends it. */
  async run() {
    const { selectionStart, selectionEnd, value } = this.#editor;
    const text = selectionStart === selectionEnd ? value : value.slice(selectionStart, selectionEnd);
    const parts = statements(text);
    const box = $('results');
    box.replaceChildren(h('p', { class: 'later' }, 'Running …'));
    this.page.edited(value);
    this.page.status('Computing');
    const shown = [];
    for (const part of parts) {
      const start = performance.now();
      try {
        await this.engine.macros([...names(part)]);
        shown.push(result(part, await this.engine.query(part), performance.now() - start));
      } catch (error) {
        shown.push(failure(part, error));
        break;
      }
      box.replaceChildren(...shown);
    }
    box.replaceChildren(
      ...(shown.length ? shown : [h('p', { class: 'later' }, 'There is no statement to run.')]),
    );
    say(`${plural(shown.length, 'result')}`);
    this.page.status('Ready');
    await this.refresh().catch(() => null);
  }

  // ---- completion

  #key(event) {
    const isOpen = !this.#hints.hidden;
    const chosen = this.#hints.querySelector('[aria-selected=true]');
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.run();
    else if (event.key === ' ' && event.ctrlKey) this.#open(1);
    else if (isOpen && event.key === 'Escape') this.#close();
    else if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp'))
      this.#move(event.key === 'ArrowDown' ? 1 : -1);
    else if (isOpen && chosen && (event.key === 'Enter' || event.key === 'Tab'))
      this.#complete(chosen.textContent);
    else return;
    event.preventDefault();
  }

  #typed() {
    this.#open(2);
    this.page.edited(this.sql);
  }

  #open(least) {
    const { written } = wordAt(this.sql, this.#editor.selectionStart);
    const hits = written.length >= least ? this.#completions(written) : [];
    this.#hints.replaceChildren(
      ...hits.map((text, place) =>
        h(
          'li',
          {
            role: 'option',
            id: `hint-${place}`,
            'aria-selected': place === 0,
            onmousedown: event => {
              event.preventDefault();
              this.#complete(text);
            },
          },
          text,
        ),
      ),
    );
    this.#hints.hidden = !hits.length;
    this.#hints.style.top = `${this.#below()}px`;
    this.#mark();
  }

  /** Where the line after that of the cursor begins. */
  #below() {
    const { value, selectionStart, scrollTop, clientHeight } = this.#editor;
    const lines = value.slice(0, selectionStart).split('\n').length;
    const lineHeight = parseFloat(getComputedStyle(this.#editor).lineHeight);
    return Math.min(clientHeight, 12 + lines * lineHeight - scrollTop);
  }

  #completions(written) {
    const wanted = written.toLowerCase();
    const columns = [...this.#columns.values()].flat();
    const every = [...this.#columns.keys(), ...columns, ...this.#macros.map(one => one.name), ...WORDS];
    const found = [...new Set(every)].filter(
      one => one.toLowerCase().startsWith(wanted) && one.toLowerCase() !== wanted,
    );
    return found.sort((a, b) => a.length - b.length).slice(0, 8);
  }

  #move(step) {
    const options = [...this.#hints.children];
    const at = options.findIndex(one => one.getAttribute('aria-selected') === 'true');
    options.forEach((one, place) =>
      one.setAttribute('aria-selected', place === (at + step + options.length) % options.length),
    );
    this.#mark();
  }

  #mark() {
    const chosen = this.#hints.hidden ? null : this.#hints.querySelector('[aria-selected=true]');
    if (chosen) this.#editor.setAttribute('aria-activedescendant', chosen.id);
    else this.#editor.removeAttribute('aria-activedescendant');
  }

  #complete(text) {
    const { start } = wordAt(this.sql, this.#editor.selectionStart);
    const isPlain = /^\w+$/.test(text);
    this.#editor.setRangeText(isPlain ? text : quoted(text), start, this.#editor.selectionStart, 'end');
    this.#close();
    this.page.edited(this.sql);
  }

  #close() {
    this.#hints.hidden = true;
    this.#mark();
  }
}

const firstLine = sql =>
  sql
    .split('\n')
    .find(one => one.trim() && !one.trim().startsWith('--'))
    ?.slice(0, 90) ?? '';

function result(sql, rows, milliseconds) {
  const numeric = rows.names.map(name => rows.some(row => typeof row[name] === 'number'));
  const text = value =>
    value === null || value === undefined
      ? 'NULL'
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  const cells = row =>
    rows.names.map((name, place) =>
      cell(numeric[place] ? 'n' : row[name] === null ? 'null' : '', text(row[name])),
    );
  const cut = rows.length > MOST_SHOWN ? `; the first ${MOST_SHOWN} are shown` : '';
  return h(
    'section',
    { class: 'result', 'aria-label': firstLine(sql) },
    h(
      'p',
      { class: 'between' },
      h(
        'span',
        { class: 'small' },
        h('code', null, firstLine(sql)),
        ` ${plural(rows.length, 'row')} in ${(milliseconds / 1000).toFixed(2)} s${cut}`,
      ),
      rows.length
        ? button('CSV', () => save('csv', rows, 'result'), {
            class: 'quiet',
            'aria-label': 'Download these rows as CSV',
          })
        : null,
    ),
    rows.length
      ? h(
          'div',
          { class: 'scroll rows', tabindex: 0, role: 'region', 'aria-label': 'Rows' },
          table(
            '',
            rows.names.map((name, place) => (numeric[place] ? `>${name}` : name)),
            rows.slice(0, MOST_SHOWN).map(cells),
          ),
        )
      : null,
  );
}

// The words of Chromium and of Firefox.
const IS_OUTSIDE = /XMLHttpRequest|NetworkError|network error/;
const OUTSIDE =
  'This page reaches no other host, so that nothing leaves your machine. Drop the file instead.';

const REPLACED = 'The engine stopped and was replaced. Your files are still here; what you created is not.';

function failure(sql, error) {
  const text = message(error).split('\n\n')[0];
  return h(
    'div',
    { class: 'problem', role: 'alert' },
    h('h3', null, 'This statement did not run'),
    h('p', null, h('code', null, firstLine(sql))),
    IS_OUTSIDE.test(text) && h('p', null, OUTSIDE),
    error.isCrash && h('p', null, REPLACED),
    h('pre', { tabindex: 0, 'aria-label': 'Error' }, text),
  );
}
