import type { Outcome, Plan } from './scene.ts';

/** The largest number of runs of one shrink. */
const maxRuns = 150;

/** Each reduction yields smaller plans, the smallest first. */
const reductions: readonly ((plan: Plan) => Generator<Plan>)[] = [
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
 * Reduces a failing plan while it breaks the same rule: fewer visits, features, payers and hours.
 *
 * @returns the outcome of the smallest failing plan.
 */
export async function shrink(failed: Outcome, play: (plan: Plan) => Promise<Outcome>): Promise<Outcome> {
  const rule = failed.violations[0]?.rule;
  let best = failed;
  let runs = 0;

  /** Returns the first smaller plan of a reduction that still breaks the rule. */
  async function smaller(reduction: (plan: Plan) => Generator<Plan>): Promise<Outcome | undefined> {
    for (const plan of reduction(best.plan)) {
      if (runs++ >= maxRuns) return undefined;
      const outcome = await play(plan);
      if (outcome.violations[0]?.rule === rule) return outcome;
    }
    return undefined;
  }

  for (let before: Outcome | undefined; before !== best; ) {
    before = best;
    for (const reduction of reductions) {
      for (let next = await smaller(reduction); next; next = await smaller(reduction)) best = next;
    }
  }
  return best;
}
