import fc, { type Plugin, PreconditionFailure } from 'fast-check';

/*
 * Setup of every test file: random properties have one seed, and a failure is reported soon. FAST_CHECK_SEED sets another
 * seed, as the nightly job does.
 */

const seed = Number(process.env.FAST_CHECK_SEED ?? 20_260_308);

const maxShrinkMs = 20_000;

/** Ends the search for a smaller counterexample `maxMs` after the first one, and reports the smallest one found. */
export function shrinkWithin(maxMs: number, now = () => performance.now()): Plugin<unknown> {
  return () => {
    let failedAt: number | undefined;
    const noteFailure = <Result>(result: Result): Result => {
      if (result !== null && !PreconditionFailure.isFailure(result)) failedAt ??= now();
      return result;
    };
    return {
      decorateRun: (run) => (value) => {
        if (failedAt !== undefined && now() - failedAt > maxMs) return new PreconditionFailure(true);
        const result = run(value);
        return result instanceof Promise ? result.then(noteFailure) : noteFailure(result);
      },
    };
  };
}

// The test files of one process share one library.
if (fc.readConfigureGlobal().seed === undefined) {
  fc.configureGlobal({ seed });
  fc.installGlobalPlugin(shrinkWithin(maxShrinkMs));
}
