// What happens: files come and go, the question changes, the answer is computed again.
import { current, drawAnswer, drawAsk, drawBehind, drawCare, drawProblem, problemBox } from './answer.js';
import { DERIVED_TABLES, columnsOf, isRows, ofRole } from './calls.js';
import * as compute from './compute.js';
import { drawData, drawFileProblem, drawFound } from './data.js';
import { $, button, h, say } from './dom.js';
import { Cancelled, fetched } from './engine.js';
import { define, fetchedFile, open, refuse, tableName } from './files.js';
import { recognized, scoresOf, settle, textOf } from './layouts.js';
import { afterwards, ofAnswer, ofFile } from './problems.js';
import { drawQuestion, drawSwitches, familyOf } from './question.js';
import { Reading } from './reading.js';
import { compute as computeColumns } from './shapes.js';
import { clearAnswer, emptyQuestion, metricOf, remember, state } from './state.js';
import { sideBySide as drawSideBySide } from './side_by_side.js';
import { columnsOfSample, describe, foundWords, lacking, sampleSettings, usual, words } from './usual.js';
import { few, name as quoted, spec } from './words.js';

const MOST_FILES = 12;
const WAIT = 250;

export class Control {
  #timer = 0;
  #isRunning = false;
  #isDirty = false;
  isQuiet = false;

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
    const isAlone = known.settings.scores?.length === 1;
    drawData(state, this, 'Reading the sample …');
    try {
      compute.prepare(this.engine, isRowsSample, isAlone).catch(() => null);
      const blobs = await Promise.all(known.files.map(one => fetchedFile(one.file)));
      await this.add(blobs, known, settings);
    } catch (error) {
      this.#fileProblem(error, []);
    }
  }

  /** Load the files that a command opened the page with. */
  async given(list) {
    drawData(state, this, 'Reading the files …');
    try {
      const { files } = await (await fetched(list)).json();
      const blobs = await Promise.all(files.map(one => fetchedFile(one.url, one.name)));
      await this.add(blobs);
      const roles = files
        .filter(one => one.role)
        .map(one => [state.files.find(file => file.name === one.name), one.role]);
      const wrong = roles.filter(([file, role]) => file && file.role !== role && file.role !== 'rows');
      for (const [file, role] of wrong) file.role = role;
      if (wrong.length) await this.changed();
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
    if (blob.name.endsWith('.sql')) return define(this.engine, state, blob);
    const again = state.files.find(one => one.name === blob.name);
    if (again) await this.#drop(again);
    const named = tableName(
      blob.name,
      state.files.flatMap(one => [one.table, one.source]),
    );
    const file = { name: blob.name, blob, table: named, system: named, loaded: null };
    try {
      Object.assign(file, await open(this.engine, blob, named, textOf(state.layouts, blob.name)));
      refuse(file);
    } catch (error) {
      if (!error.isCrash) await this.#drop(file);
      throw error;
    }
    const systems = new RegExp(`^(?:${state.catalog.system_columns})$`, 'i');
    Object.assign(file, recognized(state.layouts, systems, file.columns, blob.name));
    if (file.computed) await computeColumns(this.engine, file);
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
    for (const file of state.extra) await file.load(null);
    // What follows a number reads the views of its question.
    if (state.answer) for (const view of compute.viewsOf(state)) await this.engine.during(view);
  }

  async #drop(file) {
    state.files = state.files.filter(one => one !== file);
    const view = file.source ? `DROP VIEW IF EXISTS ${quoted(file.table)};` : '';
    const table = `DROP TABLE IF EXISTS ${quoted(file.source ?? file.table)}`;
    await this.engine.query(view + table).catch(() => null);
  }

  async #forget() {
    for (const file of state.files) await this.#drop(file);
    await this.engine.query(DERIVED_TABLES).catch(() => null);
    state.question = emptyQuestion();
  }

  async #fileProblem(error, names) {
    if (error.isCrash) await this.engine.restart().catch(() => null);
    this.page.status('Ready');
    drawData(state, this);
    if (state.files.length) await this.changed().catch(() => null);
    error.file ??= names[0] ?? '';
    drawFileProblem(ofFile(error, names));
  }

  async reset() {
    await this.#forget();
    Object.assign(state, { sample: null, family: null, systems: [], attributes: [], found: [] });
    clearAnswer();
    this.#draw();
    later('The verdict in words, values with intervals, and the same as a command, as Python and as SQL.');
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

  // ---- the question

  /** The data changed: find systems and attributes, choose what is usual, compute. */
  async changed(wanted = {}) {
    clearAnswer();
    later('The answer is computed.');
    state.found = [];
    state.lack = lacking(state);
    state.family = isRows(state) ? 'classification' : 'ranking';
    if (state.lack) {
      state.systems = [];
      this.#draw();
      drawAsk(state.lack.text);
      this.page.status('Ready');
      return;
    }
    await this.#load(this.engine);
    await describe(this.engine, state);
    await usual(this.engine, state, wanted);
    this.#draw();
    await this.compute();
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
    // SQL of an address comes first; the question of its sample is computed when the reader turns to it.
    if (state.lack || !state.systems.length || this.isQuiet) return;
    if (!state.question.metrics.length) {
      clearAnswer();
      current();
      drawAsk('Choose at least one metric.');
      return;
    }
    this.#isRunning = true;
    this.#isDirty = false;
    remember();
    const stopClock = this.#clock();
    let isCancelled = false;
    try {
      await this.#load(this.engine);
      await this.#answer();
    } catch (error) {
      isCancelled = error instanceof Cancelled;
      await this.#failed(error);
    } finally {
      stopClock();
      state.isWorking = false;
      this.#isRunning = false;
      // After a cancel, the new engine says when it is ready.
      if (!isCancelled) this.page.status('Ready');
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
    Object.assign(state, { answer, reading: new Reading(answer, state.question, words(state)) });
    drawAnswer(state, this);
    drawBehind(state, this);
    current();
    this.page.answered();
    if (this.#isDirty) return;
    state.details = await compute.details(this.engine, state, answer);
    state.isWorking = false;
    drawBehind(state, this);
    if (this.#isDirty) return;
    state.findings = await compute.findings(this.engine, state);
    state.found = await foundWords(this.engine, state);
    drawFound(state, this);
    drawCare(state);
    this.page.settled();
  }

  async #failed(error) {
    current();
    if (error instanceof Cancelled) {
      clearAnswer();
      drawAsk(
        'The computation was cancelled. Your files are still here.',
        button('Compute again', this.compute),
      );
      return;
    }
    if (error.isCrash) await this.engine.start().catch(() => null);
    if (state.answer) {
      // The number stands; only what follows it failed.
      state.isWorking = false;
      drawBehind(state, this);
      $('behind')?.append(problemBox(afterwards(await ofAnswer(error, this.engine, state, this))));
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

  /** The metric under the conventions of every tool, on demand. */
  async sideBySide(metric, system) {
    try {
      const rows = await compute.sideBySide(this.engine, state, metric, system);
      state.sideBySide = { metric, system, rows };
      $('tools')?.replaceChildren(drawSideBySide(rows));
    } catch (error) {
      $('tools')?.replaceChildren(
        h('p', { class: 'small' }, (await ofAnswer(error, this.engine, state, this)).what),
      );
    }
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

/** Say what the place of the answer is for. */
const later = text => $('answer-body').replaceChildren(h('p', { class: 'later' }, text));
