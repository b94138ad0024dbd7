import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyProject, locateBug, plant, readSources } from '../../kit/plant.ts';
import type { Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';

/*
 * Removes each protection of docs/security.md in a copy of the project and runs the tests that the matrix names for it.
 * Exits with 1 when the tests of a protection pass without it, or when the protection cannot be removed.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const help = `Removes each protection of docs/security.md and runs the tests that must notice.

  npm run security:planted -- [--only <part of a requirement, name or file>] [--json]

Examples:
  npm run security:planted
  npm run security:planted -- --only 'ASVS 6.5.2'
  npm run security:planted -- --only src/shared/http --json

Each protection is caught when at least one test fails. Exit code 1: at least one is missed.`;

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A test that hangs without its protection is stopped. */
const maxRunMs = 300_000;

type Result = Mutation & { caughtBy: string | null; seconds: number };

/** Runs test files in a folder. Returns the title of the first test that failed; `null` when all passed. */
async function firstFailure(folder: string, tests: readonly string[]): Promise<string | null> {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...tests, '--bail=1', '--maxWorkers=1', '--reporter=json'];
  const child = spawn(process.execPath, [...args, `--outputFile=${report}`], {
    cwd: folder,
    stdio: 'ignore',
    timeout: maxRunMs,
    killSignal: 'SIGKILL',
  });
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_, endedBy) => resolve(endedBy));
  });
  if (signal !== null) return `no end within ${maxRunMs / 1_000} s`;
  return failureIn(JSON.parse(readFileSync(report, 'utf8')) as Report);
}

type Report = {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { title: string; status: string }[];
  }[];
};

function failureIn({ testResults }: Report): string | null {
  const titles = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
  );
  if (titles[0] !== undefined) return titles[0];
  // A file that cannot be loaded shows that the mutation is not valid code, not that a test notices it.
  const broken = testResults.find(({ status }) => status === 'failed');
  if (broken) throw new Error(`${broken.name} did not run: ${broken.message}`);
  return null;
}

async function tryMutation(mutation: Mutation, folder: string): Promise<Result> {
  const startedAt = performance.now();
  const restore = plant(mutation, folder);
  try {
    const caughtBy = await firstFailure(folder, mutation.tests);
    return { ...mutation, caughtBy, seconds: Math.round((performance.now() - startedAt) / 1_000) };
  } finally {
    restore();
  }
}

if (values.help) {
  process.stdout.write(`${help}\n`);
} else {
  const { folder, remove } = copyProject(root);
  const sources = readSources(root);
  const chosen = mutations.filter((one) =>
    [one.requirement, one.name, locateBug(one, sources)].some((text) => text.includes(values.only)),
  );
  const results: Result[] = [];
  try {
    for (const mutation of chosen) {
      const result = await tryMutation(mutation, folder);
      results.push(result);
      const outcome = result.caughtBy === null ? 'MISSED' : `caught by "${result.caughtBy}"`;
      if (!values.json)
        process.stdout.write(
          `| ${mutation.requirement} | ${mutation.name} | ${outcome} | ${result.seconds} s |\n`,
        );
    }
  } finally {
    remove();
  }
  const caught = results.filter(({ caughtBy }) => caughtBy !== null).length;
  process.stdout.write(
    values.json
      ? `${JSON.stringify(results)}\n`
      : `${caught} of ${results.length} removed protections are noticed\n`,
  );
  process.exitCode = caught === results.length && results.length > 0 ? 0 : 1;
}
