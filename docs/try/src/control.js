// What happens: files come and go, the question changes, the answer is computed again.
import { drawAnswer, drawAsk, drawBehind, drawCare, drawProblem, problemBox } from './answer.js';
import { columnsOf, isRows, ofRole } from './calls.js';
import * as compute from './compute.js';
import { drawData, drawFileProblem, drawFound } from './data.js';
import { $, button, cell, h, rowHead, say, table } from './dom.js';
import { Cancelled, fetched } from './engine.js';
import { FileError, open, refuse, tableName } from './files.js';
import { recognized, scoresOf, settle } from './layouts.js';
import { ofAnswer, ofFile } from './problems.js';
import { drawQuestion, drawSwitches, familyOf } from './question.js';
import { Reading, unitsOf } from './reading.js';
import { clearAnswer, emptyQuestion, metricOf, remember, state } from './state.js';
import { few, name as quoted, number, percent, plural, spec } from './words.js';

const MOST_FILES = 12;
const WAIT = 250;
const IS_ATTRIBUTE = /^(VARCHAR|BOOLEAN|U?(TINY|SMALL|BIG)?INT(EGER)?|ENUM|DATE)/;
const MOST_SLICES = 40;

export class Control {
  #timer = 0;
  #isRunning = false;
  #isDirty = false;

  constructor(engine, page) {
    Object.assign(this, { engine, page });
    // The views call these by name.
    for (const name of Object.getOwnPropertyNames(Control.prototype))
      if (name !== 'constructor') this[name] = this[name].bind(this);
  }

  // ---- files

  /** Load a sample, with other settings than its own if an address has them. */
  async sample(name, settings = {}) {
    const known = state.samples.find(one => one.name === name);
    if (!known) return;
    const isRowsSample = familyOf(known) === 'classification';
    drawData(state, this, 'Reading the sample …');
    try {
      compute.prepare(this.engine, isRowsSample).catch(() => null);
      const blobs = await Promise.all(
        known.files.map(async one => {
          const answer = await fetched(one.file);
          return new File([await answer.blob()], one.file.replace(/^.*\//, ''));
        }),
      );
      await this.add(blobs, known, settings);
    } catch (error) {
      this.#fileProblem(error, []);
    }
  }

  async add(blobs, sample = null, settings = {}) {
    if (!blobs.length) return;
    if (sample || state.sample) await this.#forget();
    state.sample = sample?.name ?? null;
    const names = blobs.map(one => one.name);
    drawData(state, this, `Reading ${few(names, 'file')} …`);
    $('data-body').setAttribute('aria-busy', 'true');
    try {
      await this.engine.start();
      for (const blob of blobs.slice(0, MOST_FILES)) await this.#read(blob, sample);
      if (!sample) settle(state.files);
      await this.changed({ ...sampleSettings(sample), ...settings });
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#fileProblem(error, names);
    } finally {
      $('data-body').removeAttribute('aria-busy');
    }
  }

  async #read(blob, sample) {
    this.page.status(`Reading ${blob.name}`);
    const again = state.files.find(one => one.name === blob.name);
    if (again) await this.#drop(again);
    const named = tableName(
      blob.name,
      state.files.map(one => one.table),
    );
    const opened = await open(this.engine, blob, named);
    const file = { name: blob.name, blob, table: named, system: named, loaded: null, ...opened };
    refuse(file);
    Object.assign(file, recognized(state.layouts, file.columns, blob.name));
    const known = sample?.files.find(one => one.file.endsWith(`/${blob.name}`));
    if (known) file.role = known.role;
    if (sample) Object.assign(file.map, columnsOfSample(sample, file));
    file.scores = sample?.settings.scores && file.role === 'rows' ? sample.settings.scores : scoresOf(file);
    if (file.isLoaded) file.loaded = file.columns.map(one => one.name);
    state.files.push(file);
  }

  /** Load the columns that the question reads, where they are not loaded. */
  async #load(engine) {
    for (const file of state.files) {
      const wanted = file.isSelective ? columnsOf(state, file) : file.columns.map(one => one.name);
      if (file.loaded && wanted.every(one => file.loaded.includes(one))) continue;
      this.page.status(`Loading ${file.name}`);
      await file.load(file.isSelective ? wanted : null);
      file.loaded = wanted;
    }
    return engine;
  }

  /** Load every file again, into an instance that took the place of another one. */
  async restore() {
    for (const file of state.files) if (file.loaded) await file.load(file.isSelective ? file.loaded : null);
  }

  async #drop(file) {
    state.files = state.files.filter(one => one !== file);
    await this.engine.query(`DROP TABLE IF EXISTS ${quoted(file.table)}`).catch(() => null);
  }

  async #forget() {
    for (const file of state.files) await this.#drop(file);
    state.question = emptyQuestion();
  }

  async #fileProblem(error, names) {
    if (error.isCrash) await this.engine.restart().catch(() => null);
    this.page.status('Ready');
    drawData(state, this);
    drawFileProblem(
      ofFile(error instanceof FileError ? error : Object.assign(error, { file: names[0] ?? '' }), names),
    );
    if (state.files.length) await this.changed().catch(() => null);
    if (state.files.length) drawFileProblem(ofFile(error, names));
  }

  async reset() {
    await this.#forget();
    Object.assign(state, { sample: null, family: null, systems: [], attributes: [], found: [] });
    clearAnswer();
    this.#draw();
    $('answer-body').replaceChildren(
      h(
        'p',
        { class: 'later' },
        'The verdict in words, values with intervals, and the same as a command, as Python and as SQL.',
      ),
    );
    remember();
    $('choose').focus();
  }

  async remove(file) {
    await this.#drop(file);
    state.sample = null;
    if (!state.files.length) return this.reset();
    return this.changed();
  }

  // ---- roles and columns

  role(file, role) {
    const other = state.files.find(one => one !== file && one.role === role && role !== 'predictions');
    if (other) other.role = file.role;
    file.role = role;
    return this.changed();
  }

  column(file, key, column) {
    file.map[key] = column;
    if (key === 'score' && column) file.map.rank = '';
    if (key === 'rank' && column) file.map.score = '';
    if (key === 'label') Object.assign(file, { positive: undefined, scores: scoresOf(file) });
    return this.changed();
  }

  cluster(column) {
    return this.asked('cluster', column);
  }

  positive(file, value) {
    file.positive = value;
    return this.changed();
  }

  scores(file, scores) {
    file.scores = file.columns.map(one => one.name).filter(one => scores.includes(one));
    return this.changed();
  }

  system(column) {
    ofRole(state, 'predictions')[0].map.system = column;
    return this.changed();
  }

  /** The columns of the predictions that can tell systems apart. */
  candidates() {
    const [file] = ofRole(state, 'predictions');
    const taken = Object.values(file?.map ?? {});
    return (file?.columns ?? [])
      .filter(one => /^(VARCHAR|ENUM|BOOLEAN|.*INT)/.test(one.type) && !taken.includes(one.name))
      .map(one => one.name);
  }

  // ---- the question

  /** The data changed: find systems and attributes, choose what is usual, compute. */
  async changed(wanted = {}) {
    clearAnswer();
    state.found = [];
    state.lack = lacking();
    state.family = isRows(state) ? 'classification' : 'ranking';
    if (state.lack) {
      state.systems = [];
      this.#draw();
      drawAsk(state.lack.text);
      this.page.status('Ready');
      return;
    }
    await this.#load(this.engine);
    await this.#describe();
    await this.#usual(wanted);
    this.#draw();
    await this.compute();
  }

  async #describe() {
    const { engine } = this;
    if (isRows(state)) {
      const [file] = ofRole(state, 'rows');
      state.systems = file.scores;
      await this.#labels(file);
      state.attributes = await this.#attributesOf(file, [file.map.label, ...file.scores]);
      return;
    }
    const runs = ofRole(state, 'predictions');
    const [{ map, table: named }] = runs;
    if (runs.length > 1) state.systems = runs.map(one => one.system);
    else if (map.system) {
      const rows = await engine.query(
        `SELECT ${quoted(map.system)}::VARCHAR AS system FROM ${quoted(named)} GROUP BY ALL ORDER BY ALL LIMIT 30`,
      );
      state.systems = rows.map(row => row.system).filter(one => one !== null);
    } else state.systems = [runs[0].system];
    const [queries] = ofRole(state, 'queries');
    const of = queries ? [queries] : ofRole(state, 'truth');
    state.attributes = (
      await Promise.all(of.map(one => this.#attributesOf(one, Object.values(one.map))))
    ).flat();
  }

  /** The values of a label that is text, of which one counts as positive. */
  async #labels(file) {
    const type = file.columns.find(one => one.name === file.map.label)?.type ?? '';
    file.labels = null;
    if (!/^(VARCHAR|ENUM)/.test(type)) return;
    const rows = await this.engine.query(
      `SELECT ${quoted(file.map.label)}::VARCHAR AS label FROM ${quoted(file.table)} GROUP BY ALL ORDER BY ALL LIMIT 12`,
    );
    file.labels = rows.map(row => row.label).filter(one => one !== null);
    file.positive ??=
      file.labels.find(one => /^(1|yes|true|y|t|pos|positive|click|clicked)$/i.test(one)) ??
      file.labels.at(-1);
  }

  async #attributesOf(file, taken) {
    const names = file.columns
      .filter(
        one => !taken.includes(one.name) && IS_ATTRIBUTE.test(one.type) && file.loaded?.includes(one.name),
      )
      .map(one => one.name)
      .slice(0, 60);
    if (!names.length) return [];
    const counted = names
      .map((one, place) => `approx_count_distinct(${quoted(one)}) AS c${place}`)
      .join(', ');
    const [row] = await this.engine.query(`SELECT ${counted} FROM ${quoted(file.table)}`);
    return names.filter((_, place) => row[`c${place}`] > 1 && row[`c${place}`] <= MOST_SLICES);
  }

  async #usual(wanted) {
    const { question } = state;
    Object.assign(question, wanted);
    if (!state.systems.includes(question.baseline) && (wanted.baseline === undefined || question.baseline)) {
      const named = state.systems.find(one => /base|control|old|prod|current/i.test(one));
      question.baseline =
        state.systems.length < 2 ? '' : (named ?? (state.systems.length === 2 ? state.systems[0] : ''));
    }
    question.metrics = question.metrics.filter(one => metricOf(spec(one).name, state.family));
    if (!question.metrics.length) question.metrics = await this.#usualMetrics();
    const columns = state.files.flatMap(one => one.columns.map(column => column.name));
    question.by = question.by.filter(one => columns.includes(one));
    if (isRows(state)) {
      const [file] = ofRole(state, 'rows');
      if (question.cluster && !file.columns.some(one => one.name === question.cluster)) question.cluster = '';
      if (wanted.cluster === undefined && !question.cluster && file.isNew !== false)
        question.cluster = file.map.cluster ?? '';
      file.isNew = false;
    }
  }

  /** The metrics of the first sample of the family; of scores that are no probabilities, the usual ones. */
  async #usualMetrics() {
    const usual = state.catalog.usual[state.family];
    const [sample] = state.samples.filter(one => familyOf(one) === state.family);
    if (!isRows(state)) return [...sample.settings.metrics];
    const [file] = ofRole(state, 'rows');
    const outside = file.scores
      .map(one => `bool_or(NOT ${quoted(one)}::DOUBLE BETWEEN 0 AND 1)`)
      .join(' OR ');
    const [{ is_outside }] = await this.engine.query(
      `SELECT ${outside} AS is_outside FROM ${quoted(file.table)}`,
    );
    return is_outside ? [...usual] : [...sample.settings.metrics];
  }

  /** A part of the question changed. */
  asked(key, value, isDrawn = false) {
    state.question[key] = value;
    if (isDrawn) drawQuestion(state, this);
    this.#later();
  }

  metric(found, text) {
    const { metrics } = state.question;
    const at = metrics.findIndex(one => metricOf(spec(one).name, state.family) === found);
    if (at >= 0) metrics.splice(at, 1, ...(text ? [text] : []));
    else if (text) metrics.push(text);
    drawSwitches(state, this);
    this.#later();
  }

  /** Add a metric from the list of all. */
  more(found) {
    const required = found.switches.filter(one => one.is_required).map(one => `${one.name}=1`);
    const k = found.default_k ? `@${found.default_k}` : '';
    state.question.metrics.push(`${found.name}${required.length ? `(${required.join(', ')})` : ''}${k}`);
    drawQuestion(state, this);
    this.#later();
  }

  setSwitch(name, value, isDrawn = true) {
    if (value === null || value === undefined) delete state.question.switches[name];
    else state.question.switches[name] = value;
    if (isDrawn) drawSwitches(state, this);
    this.#later();
  }

  #later() {
    remember();
    clearTimeout(this.#timer);
    $('answer-body').classList.add('old');
    this.#timer = setTimeout(this.compute, WAIT);
  }

  // ---- the answer

  /** Compute the question; one that changes meanwhile is computed after it. */
  async compute() {
    if (this.#isRunning) {
      this.#isDirty = true;
      return;
    }
    if (state.lack || !state.systems.length) return;
    if (!state.question.metrics.length) {
      clearAnswer();
      $('answer-body').classList.remove('old');
      drawAsk('Choose at least one metric.');
      return;
    }
    this.#isRunning = true;
    this.#isDirty = false;
    remember();
    const stopClock = this.#clock();
    try {
      await this.#load(this.engine);
      await this.#answer();
    } catch (error) {
      await this.#failed(error);
    } finally {
      stopClock();
      state.isWorking = false;
      this.#isRunning = false;
      this.page.status('Ready');
      if (this.#isDirty) this.compute();
    }
  }

  #clock() {
    const start = performance.now();
    const tell = () => {
      const seconds = Math.floor((performance.now() - start) / 1000);
      this.page.status(seconds ? `Computing, ${seconds} s` : 'Computing');
    };
    tell();
    const clock = setInterval(tell, 1000);
    $('answer-body').classList.add('old');
    return () => clearInterval(clock);
  }

  async #answer() {
    state.isWorking = true;
    const answer = await compute.number(this.engine, state, (done, total) =>
      this.page.status(`Computing metric ${done + 1} of ${total}`),
    );
    clearAnswer();
    Object.assign(state, { answer, reading: new Reading(answer, state.question, words()) });
    drawAnswer(state, this);
    drawBehind(state, this);
    $('answer-body').classList.remove('old');
    this.page.answered();
    if (this.#isDirty) return;
    state.details = await compute.details(this.engine, state, answer);
    state.isWorking = false;
    drawBehind(state, this);
    if (this.#isDirty) return;
    state.findings = await compute.findings(this.engine, state);
    state.found = await this.#foundWords();
    drawFound(state, this);
    drawCare(state);
    this.page.settled();
  }

  async #failed(error) {
    $('answer-body').classList.remove('old');
    if (error instanceof Cancelled) {
      clearAnswer();
      drawAsk(
        'The computation was cancelled. Your files are still here.',
        button('Compute again', this.compute),
      );
      return;
    }
    if (error.isCrash) await this.engine.restart().catch(() => null);
    if (state.answer) {
      // The number stands; only what follows it failed.
      state.isWorking = false;
      drawBehind(state, this);
      $('behind')?.append(problemBox(await ofAnswer(error, this.engine, state, this)));
      return;
    }
    clearAnswer();
    drawProblem(await ofAnswer(error, this.engine, state, this));
  }

  /** End what is computed. */
  async cancel() {
    await this.engine.restart();
    say('Cancelled');
  }

  async #foundWords() {
    const systems = `${plural(state.systems.length, isRows(state) ? 'model' : 'system')} (${few(state.systems, 'name', 3)})`;
    if (isRows(state)) {
      const { n, positives } = state.details;
      return [
        systems,
        plural(n, 'row'),
        `${number(positives, 0)} positive (${percent(positives / n, false)})`,
      ];
    }
    const [truth] = ofRole(state, 'truth');
    const [{ n }] = await this.engine.query(
      `SELECT count(DISTINCT ${quoted(truth.map.query_id)}) AS n FROM ${quoted(truth.table)}`,
    );
    const unjudged = state.findings.find(one => one.check === 'unjudged_item');
    const judged = unjudged?.of
      ? `${percent(1 - unjudged.count / unjudged.of, false)} of the first items judged`
      : 'all of the first items judged';
    return [systems, `${plural(n, ...words().counted)} with judgments`, judged];
  }

  /** The metric under the conventions of every tool, on demand. */
  async sideBySide(metric, system) {
    try {
      const rows = await compute.sideBySide(this.engine, state, metric, system);
      state.sideBySide = { metric, system, rows };
      $('tools')?.replaceChildren(this.drawSideBySide(rows));
    } catch (error) {
      $('tools')?.replaceChildren(
        h('p', { class: 'small' }, (await ofAnswer(error, this.engine, state, this)).what),
      );
    }
  }

  drawSideBySide(rows) {
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

  openSql(text) {
    this.page.openSql(text);
  }

  #draw() {
    drawData(state, this);
    drawFound(state, this);
    drawQuestion(state, this);
  }
}

/** What is counted, and what is independent of each other. */
function words() {
  if (isRows(state)) {
    const rows = ['row', 'rows'];
    return { counted: rows, units: unitsOf(state.question.cluster, rows) };
  }
  const query = ofRole(state, 'predictions')[0]?.map.query_id;
  const counted = unitsOf(query, ['query', 'queries']);
  return { counted, units: counted };
}

/** The first thing that a question needs and does not have. */
function lacking() {
  const of = (file, key, text) => ({ file, key, text });
  if (isRows(state)) {
    const [file] = ofRole(state, 'rows');
    if (!file.map.label)
      return of(file, 'label', `${file.name}: choose the column that holds the label, such as 0 and 1.`);
    if (!file.scores.length)
      return of(file, 'score', `${file.name}: choose a column that holds the score of a model.`);
    return null;
  }
  const runs = ofRole(state, 'predictions');
  const [truth] = ofRole(state, 'truth');
  if (!runs.length)
    return of(
      null,
      '',
      'The predictions are missing. Drop the file with the ranked items, in columns such as query_id, item_id and score.',
    );
  if (!truth)
    return of(
      null,
      '',
      'The truth is missing. Drop the file with the relevant items, in columns such as query_id, item_id and relevance.',
    );
  for (const file of [...runs, truth]) {
    for (const key of ['query_id', 'item_id']) {
      if (!file.map[key])
        return of(
          file,
          key,
          `${file.name} has no column that is known as ${key}. Choose it in the card of the file.`,
        );
    }
    if (file.role === 'predictions' && !file.map.score && !file.map.rank) {
      return of(
        file,
        'score',
        `${file.name} has neither a score nor a rank. Choose the column that orders the items.`,
      );
    }
  }
  return null;
}

function sampleSettings(sample) {
  if (!sample) return {};
  const { metrics, baseline = '', by = [], cluster = '' } = sample.settings;
  return { metrics: [...metrics], baseline, by: [...by], cluster };
}

function columnsOfSample(sample, file) {
  const { system, label, columns = {} } = sample.settings;
  const has = name => file.columns.some(one => one.name === name);
  const found = {};
  for (const [key, column] of Object.entries({ system, label, ...columns }))
    if (column && has(column)) found[key] = column;
  return found;
}
