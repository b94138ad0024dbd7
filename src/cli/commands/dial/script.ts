import { localForm } from '../../../shared/msisdn.ts';
import { printable } from '../../terminal/terminal.ts';
import type { Decision, Payer } from './call.ts';
import { tellPrompt } from './prompts.ts';

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
    seesWaiting: (prompts) => {
      for (const prompt of prompts) say(`A prompt of before is left alone: ${tellPrompt(prompt)}`);
    },
    seesScreen: (screen) => say(printable(screen.text)),
    async answers() {
      const input = left.shift();
      if (input !== undefined) say(`> ${input}`);
      return input;
    },
    waitsForPrompt() {},
    seesPrompt: (prompt, on) =>
      say(`Prompt${on === undefined ? '' : ` on ${localForm(on)}`}: ${tellPrompt(prompt)}`),
    decides: async (refusals) => (refusals === 0 ? decision : undefined),
    isRefused: (message) => say(printable(message)),
  };
}
