import type { Outcome, Plan } from './scene.ts';

/** Runs that a shrinking may take. */
const maxRuns = 150;

/** Plans with less of one thing: the boldest first. */
const ways: readonly ((plan: Plan) => Generator<Plan>)[] = [
  function* visits(plan) {
    for (const fewer of [1, plan.visits >> 1, plan.visits - 1])
      if (fewer >= 1 && fewer < plan.visits) yield { ...plan, visits: fewer };
  },
  function* features(plan) {
    const { length } = plan.features;
    for (let size = Math.ceil(length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < length; from += size)
        yield { ...plan, features: plan.features.filter((_, index) => index < from || index >= from + size) };
    }
  },
  function* payers(plan) {
    for (const fewer of [1, plan.payers - 1])
      if (fewer >= 1 && fewer < plan.payers) yield { ...plan, payers: fewer };
  },
  function* hours(plan) {
    if (plan.hours > 1) yield { ...plan, hours: plan.hours >> 1 };
  },
];

/**
 * Makes a failing plan smaller for as long as it goes on breaking the same rule: fewer visits, faults, payers, hours.
 *
 * @returns the outcome of the smallest plan found, the given one where nothing smaller fails.
 */
export async function shrink(failed: Outcome, play: (plan: Plan) => Promise<Outcome>): Promise<Outcome> {
  const rule = failed.violations[0]?.rule;
  let best = failed;
  let runs = 0;

  /** The first smaller plan of this way that still breaks the rule. */
  async function smaller(way: (plan: Plan) => Generator<Plan>): Promise<Outcome | undefined> {
    for (const plan of way(best.plan)) {
      if (runs++ >= maxRuns) return undefined;
      const outcome = await play(plan);
      if (outcome.violations[0]?.rule === rule) return outcome;
    }
    return undefined;
  }

  for (let before: Outcome | undefined; before !== best; ) {
    before = best;
    for (const way of ways) {
      for (let next = await smaller(way); next; next = await smaller(way)) best = next;
    }
  }
  return best;
}
