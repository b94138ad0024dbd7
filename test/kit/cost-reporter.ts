import { readFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** The CPU time of a file of the quick tier, in milliseconds. */
const maxQuickMs = 3_000;
const shown = 20;

/**
 * Prints the CPU time of the most expensive test files: `npm test -- --reporter=./test/kit/cost-reporter.ts`. A file above 3 s
 * is marked, unless it is long or has the reason in a comment that begins with "Not long:".
 */
export default class CostReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const costs = modules
      .map((module) => ({ file: module.relativeModuleId, ms: module.meta().cpuMs ?? 0 }))
      .sort((a, b) => b.ms - a.ms);
    const isTooLong = ({ file, ms }: (typeof costs)[number]) =>
      ms > maxQuickMs &&
      !/\.(long|browser)\.test\.ts$/.test(file) &&
      !readFileSync(file, 'utf8').includes('Not long:');
    const lines = costs
      .slice(0, shown)
      .map(
        (one) =>
          `${seconds(one.ms)} ${one.file}${isTooLong(one) ? ' - name it .long, or make it cheaper' : ''}`,
      );
    const total = costs.reduce((sum, { ms }) => sum + ms, 0);
    process.stdout.write(
      `CPU time of test files\n${lines.join('\n')}\n${seconds(total)} in ${costs.length} files\n`,
    );
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1).padStart(6)} s`;
