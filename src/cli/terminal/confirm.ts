import type { Output } from './protected-output.ts';
import { createLineReader, type Input } from './terminal.ts';

/** Asks a question that "y" or "yes" confirms. Without a terminal, the question is not asked and nothing is confirmed. */
export async function confirm(deps: { stdin: Input; stdout: Output }, question: string): Promise<boolean> {
  if (!deps.stdin.isTTY || !deps.stdout.isTTY) return false;
  const reader = createLineReader(deps.stdin, deps.stdout);
  const answer = await reader.ask(`${question} [y/N] `);
  reader.close();
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
