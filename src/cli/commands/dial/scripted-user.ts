import { typedInput } from '../../../menu/text/named-input.ts';
import { localForm } from '../../../shared/msisdn.ts';
import { printable } from '../../terminal/protected-output.ts';
import type { Decision, PhoneUser } from './call.ts';
import { describePrompt } from './prompts.ts';

export type ScriptedUserOptions = {
  code: string;
  /** The inputs in order. The user hangs up after the last one. */
  inputs: readonly string[];
  /** The decision about the prompt. Without one, the user does not wait for the prompt. */
  decision: Decision | undefined;
  /** Prints one line. */
  print(line: string): void;
};

/** Creates the user for a list of inputs. */
export function createScriptedUser({ code, inputs, decision, print }: ScriptedUserOptions): PhoneUser {
  const remaining = [...inputs];
  let shown = '';
  print(`> ${code}`);
  return {
    awaitsPrompt: decision !== undefined,
    showOpenPrompts(prompts) {
      for (const prompt of prompts) print(`An older prompt stays open: ${describePrompt(prompt)}`);
    },
    showScreen({ text }) {
      shown = text;
      print(printable(text));
    },
    async readInput() {
      const input = remaining.shift();
      if (input === undefined) return undefined;
      const typed = typedInput(shown, input);
      print(typed === input ? `> ${input}` : `> ${typed} (${input})`);
      return typed;
    },
    showWaiting() {},
    showPrompt: (prompt, otherPhone) =>
      print(
        `Prompt${otherPhone === undefined ? '' : ` on ${localForm(otherPhone)}`}: ${describePrompt(prompt)}`,
      ),
    readDecision: async (rejections) => (rejections === 0 ? decision : undefined),
    showRejection: (message) => print(printable(message)),
  };
}
