import { typedInput } from '../../../menu/text/named-input.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { type Output, type Paint, printable } from '../../terminal/output.ts';
import { drawPhone, type LineReader } from '../../terminal/terminal.ts';
import type { Decision, PhoneUser } from './call.ts';
import { describePrompt } from './prompts.ts';

type ScriptedUserOptions = {
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

type TerminalUserOptions = {
  /** The dialled code, shown above each screen. */
  code: string;
  msisdn: Msisdn;
  /** The decision about the prompt; when absent, the person is asked. */
  decision: Decision | undefined;
  lines: LineReader;
  output: Output;
  paint: Paint;
};

/** Creates the user for a person at a terminal: draws the phone and reads inputs; an empty line hangs up. */
export function createTerminalUser(options: TerminalUserOptions): PhoneUser {
  const { code, msisdn, decision, lines, output, paint } = options;
  const print = (text: string) => void output.write(`${text}\n`);
  return {
    awaitsPrompt: true,
    left: lines.left,
    showOpenPrompts(prompts) {
      for (const prompt of prompts)
        print(paint('yellow', `An older prompt is open: ${describePrompt(prompt)}.`));
      print(paint('dim', `To answer it, run: dialtill prompts --msisdn ${localForm(msisdn)} --approve`));
    },
    showScreen(screen) {
      print(drawPhone(code, screen.text));
      if (screen.kind === 'end') print(paint('dim', 'The session has ended.'));
    },
    async readInput() {
      const line = await lines.ask(paint('bold', '> '));
      return line?.trim() || undefined;
    },
    showWaiting: () => print(paint('dim', 'Waiting for the prompt (ctrl-c to leave) ...')),
    showPrompt(prompt, otherPhone) {
      // A line that was typed before the prompt appeared is not a decision about it.
      lines.discard();
      const title = otherPhone ? `Mobile money of ${localForm(otherPhone)}` : 'Mobile money';
      const pin = prompt.magic === undefined ? '\nEnter PIN:' : '';
      print(drawPhone(title, `Pay ${formatCedis(prompt.amount_minor)} to ${prompt.merchant_name}.${pin}`));
    },
    async readDecision(rejections) {
      if (decision) return rejections === 0 ? decision : undefined;
      return parseDecision(await lines.ask(paint('bold', 'PIN to approve, 0 to decline, empty to ignore: ')));
    },
    showRejection: (message) => print(paint('yellow', printable(message))),
  };
}

function parseDecision(line: string | undefined): Decision {
  const text = (line ?? '').trim();
  if (text === '') return { kind: 'ignore' };
  return text === '0' ? { kind: 'decline' } : { kind: 'approve', pin: text };
}
