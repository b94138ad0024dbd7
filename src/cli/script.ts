import { formatCedis } from '../shared/money.ts';
import type { Decision, Payer } from './call.ts';
import { printable } from './terminal.ts';

export type ScriptOptions = {
  code: string;
  /** The answers to the screens, in order; the script hangs up after the last. */
  inputs: readonly string[];
  /** Without a decision, the script does not stay for the prompt. */
  decision: Decision | undefined;
  /** Takes one line of output. */
  say(line: string): void;
};

/** A payer whose answers are known beforehand; what happens is told in plain lines. */
export function script({ code, inputs, decision, say }: ScriptOptions): Payer {
  const left = [...inputs];
  say(`> ${code}`);
  return {
    staysForPrompt: decision !== undefined,
    seesScreen: (screen) => say(printable(screen.text)),
    async answers() {
      const input = left.shift();
      if (input !== undefined) say(`> ${input}`);
      return input;
    },
    waitsForPrompt() {},
    seesPrompt: (prompt) =>
      say(`Prompt: pay ${formatCedis(prompt.amount_minor)} to ${printable(prompt.merchant_name)}`),
    decides: async (refusals) => (refusals === 0 ? decision : undefined),
    isRefused: (message) => say(printable(message)),
  };
}
