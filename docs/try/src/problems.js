// Errors as a headline, a place, and a way out.
import { ofRole } from './calls.js';
import { commandFor, elsewhere } from './elsewhere.js';
import { message } from './engine.js';
import { separating } from './compute.js';
import { metricOf } from './state.js';
import { joined, literal, spec } from './words.js';

const KIND = /^[A-Z][\w ]* Error: /;

/** The parts of a message that does not come from a macro: `what; what to do next`. */
export function plain(error) {
  const text = message(error)
    .replace(KIND, '')
    .replace(/\n+LINE \d+:[\s\S]*$/, '');
  const [what, ...todo] = text.split('; ');
  return { code: '', where: '', what, todo: todo.join('; ') };
}

/** The parts of a message of a macro, which another macro knows. */
async function parts(error, engine) {
  await engine.macros(['duckmetrics_problem']);
  const [found] = await engine.query(`FROM duckmetrics_problem(${literal(message(error))})`);
  if (!found) return plain(error);
  const { code, place, what, example, advice, switch: name, value } = found;
  const text = example ? `${what} (for example ${example})` : what;
  return { code, where: place ?? '', what: text, todo: advice ?? '', setting: name && { name, value } };
}

/** A problem of a file, to show where files are dropped. */
export function ofFile(error, names) {
  const { what, todo } = plain(error);
  const head = error.isBig ? 'This file is too large for a browser tab' : 'This file cannot be read';
  const command = error.isBig || error.isElsewhere ? commandFor(names, error.isBig) : undefined;
  return { head, where: error.file ?? '', what, todo, command };
}

/** A problem of an answer, with buttons that settle it where the page knows how. */
export async function ofAnswer(error, engine, state, act) {
  const text = message(error);
  if (/Out of Memory|could not allocate|Array buffer allocation/i.test(text)) {
    return {
      head: 'The tab is out of memory',
      what: 'a browser tab holds about 3 GB, and nothing of it can go to disk',
      todo: 'choose fewer metrics or slices, or run the command on your machine, which also checks the data',
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
  const found = await parts(error, engine).catch(() => plain(error));
  const problem = { head: 'No number: the data need a correction first', ...found, actions: [] };
  if (found.code === 'call') problem.head = 'No number: something needs a correction first';
  if (!found.code) problem.head = 'The engine refused this question';
  if (STACKED.includes(found.code)) await stacked(problem, engine, state, act);
  if (found.setting) problem.actions.push(settingAction(found.setting, state, act));
  if (found.code === 'not_a_probability') leaveOut(problem, state, act);
  return problem;
}

/** A problem of what follows the number, which stands. */
export const afterwards = problem => ({
  ...problem,
  head: 'The number is complete, but what follows it is not',
  what: `after the number, ${problem.what}`,
});

const STACKED = ['duplicate_prediction', 'combined_systems', 'stacked_prediction'];

function settingAction({ name, value }, state, act) {
  const known = state.question.metrics.flatMap(one => metricOf(spec(one).name, state.family)?.switches ?? []);
  const choices = known.find(one => one.name === name)?.choices ?? [];
  const why = choices.find(one => String(one.value) === value)?.meaning;
  return { label: `Set ${name}=${value}`, act: () => act.setSwitch(name, value), why };
}

/** Offer the metrics that accept any score. */
function leaveOut(problem, state, act) {
  const acceptsAny = text => metricOf(spec(text).name, state.family)?.accepts_any_score;
  const kept = state.question.metrics.filter(acceptsAny);
  const others = state.question.metrics.filter(one => !acceptsAny(one));
  const usual = kept.length ? kept : state.catalog.usual[state.family];
  problem.actions.push({
    label: `Ask for ${joined(usual)} only`,
    act: () => act.asked('metrics', [...usual], true),
    why: `It accepts any score. Without probabilities, ${joined(others)} has no meaning.`,
  });
}

/** The columns of the predictions that can tell systems apart. */
function candidates(state) {
  const [file] = ofRole(state, 'predictions');
  const taken = Object.values(file.map);
  const known = file.columns.filter(one => /^(VARCHAR|ENUM|BOOLEAN|.*INT)/.test(one.type));
  return known.map(one => one.name).filter(one => !taken.includes(one));
}

async function stacked(problem, engine, state, act) {
  const found = await separating(engine, state, candidates(state)).catch(() => null);
  if (!found) return;
  problem.head = 'This file holds several systems';
  problem.actions.push({
    label: `Treat ${found.column} as the system`,
    act: () => act.system(found.column),
    why: `${found.column} has the values ${joined(found.names)}. Within each of them, no item is repeated.`,
  });
}
