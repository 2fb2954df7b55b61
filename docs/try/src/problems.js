// Errors as a headline, a place, and a way out.
import { commandFor, elsewhere } from './elsewhere.js';
import { message } from './engine.js';
import { separating } from './compute.js';
import { metricOf } from './state.js';
import { joined, spec } from './words.js';

const KIND = /^(Invalid Input|Binder|Conversion|Catalog|IO|Invalid|Out of Memory|Parser|Constraint) Error: /;

/** The parts of a message of a macro: `duckmetrics: where: what; what to do next`. */
export function parts(error) {
  const text = message(error)
    .replace(KIND, '')
    .replace(/^duckmetrics: /, '')
    .replace(/\n+LINE \d+:[\s\S]*$/, '');
  const [, where, rest] = /^([\w.]+(?: \w+)?): ([\s\S]*)$/.exec(text) ?? [null, '', text];
  const [what, ...todo] = rest.split('; ');
  return { where, what, todo: todo.join('; ') };
}

/** A problem of a file, to show where files are dropped. */
export function ofFile(error, names) {
  const { what, todo } = parts(error);
  const head = error.isBig ? 'This file is too large for a browser tab' : 'This file cannot be read';
  return { head, where: error.file ?? '', what, todo, command: error.isBig ? commandFor(names) : undefined };
}

/** A problem of an answer, with buttons that settle it where the page knows how. */
export async function ofAnswer(error, engine, state, act) {
  const text = message(error);
  if (/Out of Memory|could not allocate|Array buffer allocation/i.test(text)) {
    return {
      head: 'The tab is out of memory',
      what: 'a browser tab holds about 3 GB, and nothing of it can go to disk',
      todo: 'choose fewer metrics or slices, or run this command on your machine',
      command: elsewhere(state).command,
    };
  }
  if (error.isCrash) {
    return {
      head: 'The engine stopped and was replaced',
      what: 'your files are still here',
      todo: 'compute again; if it stops again, run this command on your machine',
      command: elsewhere(state).command,
      actions: [{ label: 'Compute again', act: act.compute }],
    };
  }
  const problem = { head: 'No number: the data need a correction first', ...parts(error), actions: [] };
  if (!/duckmetrics/.test(text)) problem.head = 'The engine refused this question';
  if (/more than once|several systems/.test(text)) await stacked(problem, engine, state, act);
  for (const one of settings(problem.todo, state)) {
    problem.actions.push({
      label: `Set ${one.name}=${one.value}`,
      act: () => act.setSwitch(one.name, one.value),
      why: one.meaning,
    });
  }
  const metric = state.question.metrics.find(
    one =>
      problem.where.startsWith('predictions') &&
      /probability/.test(problem.what) &&
      needsProbability(one, state),
  );
  if (metric) {
    const kept = state.question.metrics.filter(one => !needsProbability(one, state));
    const dropped = state.question.metrics.filter(one => needsProbability(one, state));
    if (kept.length)
      problem.actions.push({
        label: `Leave out ${joined(dropped)}`,
        act: () => act.asked('metrics', kept, true),
        why: 'The others accept any score.',
      });
  }
  return problem;
}

/** Metrics of probabilities have a lowest and a highest score in their meaning: those that clip or bin it. */
const needsProbability = (text, state) =>
  metricOf(spec(text).name, state.family)?.switches.some(one => ['eps', 'bins'].includes(one.name)) ||
  /probabilit/i.test(metricOf(spec(text).name, state.family)?.meaning ?? '');

async function stacked(problem, engine, state, act) {
  const found = await separating(engine, state, act.candidates()).catch(() => null);
  if (!found) return;
  problem.head = 'This file holds several systems';
  problem.actions.push({
    label: `Treat ${found.column} as the system`,
    act: () => act.system(found.column),
    why: `${found.column} has the values ${joined(found.names)}. Within each of them, no item is repeated.`,
  });
}

/** The switches that an advice names, with the meaning of the value. */
function settings(todo, state) {
  const found = new Map();
  for (const [, name, value] of (todo ?? '').matchAll(/(\w+)(?: := |=)'?(\w+)'?/g)) {
    const known = state.question.metrics.flatMap(
      one => metricOf(spec(one).name, state.family)?.switches ?? [],
    );
    const choice = known.find(one => one.name === name)?.choices.find(one => String(one.value) === value);
    if (choice) found.set(`${name}=${value}`, { name, value, meaning: choice.meaning });
  }
  return [...found.values()];
}
