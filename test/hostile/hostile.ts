import { parseArgs } from 'node:util';
import { type HostileReport, runHostile } from './run.ts';

const help = `Sends hostile requests to the real gateway and the real service on 127.0.0.1, while honest payers pay.

  npm run test:hostile -- [options]

  --requests <n>     number of hostile requests (1000000)
  --seed <n>         seed of the requests (1)
  --concurrency <n>  hostile requests in progress (16)
  --json             print the report as JSON
  --help

The addresses of the attackers are those of 127.0.0.0/8, which needs Linux.

Exit code: 0 if every promise held, 1 if one was broken, 2 for wrong options.`;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        requests: { type: 'string', default: '1000000' },
        seed: { type: 'string', default: '1' },
        concurrency: { type: 'string', default: '16' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return undefined;
    const count = (name: string, text: string, max: number) => {
      const value = Number(text);
      if (!/^\d{1,9}$/.test(text) || value < 1 || value > max) {
        throw new Error(`--${name}: expected a whole number from 1 to ${max}, found ${text}`);
      }
      return value;
    };
    return {
      requests: count('requests', values.requests, 100_000_000),
      seed: count('seed', values.seed, 999_999_999),
      concurrency: count('concurrency', values.concurrency, 256),
      json: values.json,
    };
  } catch (fault) {
    process.stderr.write(`${fault instanceof Error ? fault.message : fault}\nTry --help.\n`);
    process.exit(2);
  }
}

function print({ answers, honest, memory, ...report }: HostileReport): void {
  const lines = Object.entries(answers)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, counts]) => {
      const shown = Object.entries(counts).map(([status, count]) => `${status}: ${count}`);
      return `${kind.padEnd(28)} ${shown.join(', ')}`;
    });
  const programs = Object.entries(memory).map(
    ([name, { firstQuarterMib, lastQuarterMib, logLines }]) =>
      `${name.padEnd(28)} ${firstQuarterMib} MiB at first, ${lastQuarterMib} MiB at last, ${logLines} log lines`,
  );
  process.stdout.write(
    [
      ...lines,
      '',
      `${'hostile requests'.padEnd(28)} ${report.requests} in ${report.seconds} s, ${report.perSecond} per second`,
      `${'honest payers'.padEnd(28)} ${honest.sessions} payments, screens p50 ${honest.p50Ms} ms, p99 ${honest.p99Ms} ms`,
      ...programs,
      '',
      ...(report.failures.length === 0 ? ['every promise held'] : report.failures),
      '',
    ].join('\n'),
  );
}

const options = readOptions();
if (!options) {
  process.stdout.write(`${help}\n`);
} else {
  const startedAt = performance.now();
  let shownAt = startedAt;
  const report = await runHostile({
    ...options,
    onProgress(done) {
      const now = performance.now();
      if (options.json || now - shownAt < (process.stderr.isTTY ? 500 : 10_000)) return;
      shownAt = now;
      const line = `${done} of ${options.requests} requests, ${Math.round((now - startedAt) / 1000)} s`;
      process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
    },
  });
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else print(report);
  process.exitCode = report.failures.length === 0 ? 0 : 1;
}
