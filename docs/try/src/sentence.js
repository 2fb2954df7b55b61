// The verdict of a comparison in one sentence, with its exceptions. These are the words of the package
// (duckmetrics/sentences/verdict.py) without the verdicts of a margin, which the page does not ask for.
// A test compares the sentences of both.
import { few, joined } from './words.js';

const FEW_NAMES = 3;
const MOST_GROUPS = 2;
const UNCLEAR = 'unclear';
const UNTESTED = 'not tested';
const AGAINST = { better: ['worse'], worse: ['better'] };
const REST = { different: 'different on', [UNCLEAR]: 'unclear on', [UNTESTED]: 'not tested on' };
const STANDINGS = {
  better: ['is better than', 'are better than'],
  worse: ['is worse than', 'are worse than'],
  different: ['differs from', 'differ from'],
  [UNCLEAR]: ['does not clearly differ from', 'do not clearly differ from'],
  [UNTESTED]: ['was not tested against', 'were not tested against'],
};

const named = (names, noun) => few(names, noun, FEW_NAMES);
const verb = (n, one, many) => (n === 1 ? one : many);
const grouped = (list, key) => {
  const found = new Map();
  for (const one of list) found.set(key(one), [...(found.get(key(one)) ?? []), one]);
  return found;
};

/**
 * Return the sentence, without a full stop.
 *
 * @param {string} baseline
 * @param {{system: string, metric: string, verdict: string, place: string, words: string, before: ?number,
 *   value: ?number, gain: ?number}[]} facts of all systems but the baseline; those of the first metric first
 * @param {(x: number) => string} text writes a value
 */
export function leadingSentence(baseline, facts, text) {
  const overall = facts.filter(one => !one.place);
  const systems = [...new Set(overall.map(one => one.system))];
  const compared = { baseline, facts, overall, metric: overall[0].metric };
  return systems.length === 1 ? ofOne(compared, systems[0]) : ofSeveral(compared, systems, text);
}

// ---- one system, over all metrics

function ofOne(compared, system) {
  const { baseline, overall } = compared;
  const byVerdict = grouped(overall, one => one.verdict);
  const metrics = verdict => (byVerdict.get(verdict) ?? []).map(one => one.metric);
  const leading = leadingVerdict(overall, byVerdict);
  const against = (AGAINST[leading] ?? ['worse', 'better']).flatMap(verdict => {
    const where = metrics(verdict).length ? [`on ${named(metrics(verdict), 'metric')}`] : [];
    where.push(...places(compared, system, verdict).map(place => `in ${place}`));
    return where.length ? [`${verdict} ${where.join(' and ')}`] : [];
  });
  const rest = Object.entries(REST)
    .filter(([verdict]) => verdict !== leading && byVerdict.has(verdict))
    .map(
      ([verdict, words]) => `${words} ${named(metrics(verdict), 'metric')}${meaning(byVerdict.get(verdict))}`,
    );
  const start = beginning(system, baseline, byVerdict.get(leading) ?? [], leading, overall.length);
  return [start, ...(against.length ? [`but ${against.join(' and ')}`] : []), ...rest].join(', ');
}

/** The verdict that the sentence begins with: that of the first metric, if it is better or worse. */
function leadingVerdict(facts, byVerdict) {
  const size = verdict => byVerdict.get(verdict)?.length ?? 0;
  const first =
    facts[0].verdict in AGAINST ? facts[0].verdict : size('worse') > size('better') ? 'worse' : 'better';
  return [first, ...Object.keys(REST)].find(verdict => byVerdict.has(verdict)) ?? UNTESTED;
}

function beginning(system, baseline, own, leading, total) {
  const metrics = own.map(one => one.metric);
  const counted = metrics.length <= FEW_NAMES ? joined(metrics) : `${metrics.length} of ${total} metrics`;
  const on = own.length === total ? '' : ` on ${counted}`;
  if (leading in AGAINST) return `${system} is ${leading} than ${baseline}${on}`;
  if (leading === 'different') {
    const why = meaning(own);
    return `${system} differs from ${baseline}${why ? ` on ${metrics[0]}${why}` : on}`;
  }
  if (leading === UNCLEAR) return `${system} does not clearly differ from ${baseline}${on}`;
  return `${system} was not tested against ${baseline}`;
}

/** The meaning of one difference that is neither better nor worse, in parentheses. */
const meaning = facts =>
  facts.length === 1 && facts[0].verdict === 'different' && facts[0].words ? ` (${facts[0].words})` : '';

// ---- several systems, by the first metric

function ofSeveral(compared, systems, text) {
  const { baseline, overall, metric } = compared;
  const facts = new Map(overall.filter(one => one.metric === metric).map(one => [one.system, one]));
  const group = verdict => systems.filter(one => facts.get(one).verdict === verdict);
  const better = group('better');
  const best = bestOf(group, baseline);
  const closest = closestOf([...facts.values()]);
  let told;
  if (best !== null) told = [`${best} is the best of ${systems.length + 1} systems by ${metric}`];
  else if (closest) told = [ofClosest(closest, baseline, text), ...worseAndOthers(group, systems, baseline)];
  else {
    const isMany = better.length > FEW_NAMES; // only the best has a name in the sentence
    if (isMany) better.sort((a, b) => facts.get(b).gain - facts.get(a).gain);
    told = Object.entries(STANDINGS)
      .filter(([verdict]) => group(verdict).length)
      .map(([verdict, forms]) => {
        const own = group(verdict);
        const who =
          isMany && verdict === 'better'
            ? `${better[0]} and ${own.length - 1} other systems`
            : named(own, 'system');
        return `${who} ${verb(own.length, ...forms)} ${baseline}`;
      });
    told[0] += ` by ${metric}`;
  }
  if (better.length > 1) told.splice(1, 0, 'they were not tested against each other');
  const exceptions = better.flatMap(system => exception(compared, system, better.length > 1));
  if (exceptions.length) told[0] += `, but ${joined(exceptions)}`;
  return told.join('; ');
}

/** The best system, if the tests show it: all others are worse than the baseline. */
function bestOf(group, baseline) {
  const better = group('better');
  if (better.length > 1 || Object.keys(REST).some(verdict => group(verdict).length)) return null;
  return better[0] ?? baseline;
}

/** The best system by the first metric, if the baseline has the best value of all. */
function closestOf(own) {
  if (own.some(one => one.verdict === 'better' || one.verdict === 'different')) return null;
  const known = own.filter(one => one.gain !== null);
  const closest = known.reduce((best, one) => (one.gain > best.gain ? one : best), known[0]);
  return closest?.gain <= 0 ? closest : null;
}

function ofClosest({ metric, system, before, value }, baseline, text) {
  const shown = x => (x === null ? '' : ` (${text(x)})`);
  return `No system is better than ${baseline}${shown(before)} by ${metric}; the closest is ${system}${shown(value)}`;
}

function worseAndOthers(group, systems, baseline) {
  const worse = group('worse').length;
  const untested = group(UNTESTED);
  const was = verb(untested.length, 'was', 'were');
  return [
    worse && `${worse} of ${systems.length} ${verb(worse, 'is', 'are')} worse`,
    untested.length && `${named(untested, 'system')} ${was} not tested against ${baseline}`,
  ].filter(Boolean);
}

/** Where a system that is better by the first metric is worse. */
function exception(compared, system, hasName) {
  const worse = compared.overall
    .filter(one => one.system === system && one.verdict === 'worse')
    .map(one => one.metric);
  const where = worse.length ? [`on ${named(worse, 'metric')}`] : [];
  where.push(...places(compared, system, 'worse').map(place => `in ${place}`));
  if (!where.length) return [];
  return [`${hasName ? `${system} is ` : ''}worse than ${compared.baseline} ${where.join(' and ')}`];
}

// ---- slices

/** The slices with a verdict on the first metric, and those where a system is worse on others. */
function places({ facts, metric }, system, verdict) {
  const own = facts.filter(one => one.place && one.system === system);
  const total = new Set(own.map(one => one.place)).size;
  const found = [
    ...grouped(
      own.filter(one => one.verdict === verdict),
      one => one.place,
    ),
  ].map(([place, rows]) => [place, rows.map(one => one.metric)]);
  const first = found.filter(([, metrics]) => metrics.includes(metric)).map(([place]) => place);
  const others = found.filter(([, metrics]) => !metrics.includes(metric));
  const told = [];
  if (first.length) {
    const counted = first.length === total ? `all ${total} slices` : `${first.length} of ${total} slices`;
    told.push(first.length <= FEW_NAMES ? joined(first) : counted);
  }
  // Those that are worse on most metrics are named first.
  if (others.length && verdict === 'worse')
    told.push(...onOthers(others.sort(([, a], [, b]) => b.length - a.length)));
  return told;
}

/** Slices with the metrics that they are worse on; those with the same metrics stand together. */
function onOthers(others) {
  if (others.length === 1) {
    const [[place, metrics]] = others;
    return [`${place} on ${named(metrics, 'other metric')}`];
  }
  const groups = [...grouped(others, ([, metrics]) => JSON.stringify(metrics)).values()];
  if (groups.length > MOST_GROUPS) {
    const metrics = [...new Set(others.flatMap(([, own]) => own))];
    return [`${someOf(others.map(([place]) => place))} (on one or more of ${someOf(metrics)})`];
  }
  return groups.map(group => `${someOf(group.map(([place]) => place))} (${someOf(group[0][1])})`);
}

/** A few names, and the number of the others: `a, b and 3 more`. */
const someOf = names =>
  names.length <= FEW_NAMES
    ? joined(names)
    : joined([...names.slice(0, FEW_NAMES - 1), `${names.length - FEW_NAMES + 1} more`]);
