import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createVerifyProgress } from '../../src/cli/commands/ledger/verify.ts';
import { protectOutput } from '../../src/cli/terminal/output.ts';

function print(isTTY: boolean): string {
  const stream = Object.assign(new PassThrough(), { isTTY });
  let time = 0;
  const progress = createVerifyProgress(protectOutput(stream), () => time, 1_000_000);
  for (let second = 0; second < 12; second++) {
    time += 1_000;
    progress.add(50_000);
  }
  progress.end();
  return String(stream.read());
}

test('the progress of an audit is a plain line every ten seconds in a pipe', () => {
  expect(print(false)).toBe('verified 500,000 of about 1,000,000 rows, 50,000 rows/s, 10 s left\n');
});

test('the progress of an audit is one line on a terminal, which is removed at the end', () => {
  const printed = print(true);
  expect(printed.split('\r')).toHaveLength(14);
  expect(printed).not.toContain('\n');
  expect(printed.endsWith('\r\u001b[K')).toBe(true);
});
