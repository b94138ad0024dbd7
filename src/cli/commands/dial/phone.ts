import { formatCedis } from '../../../shared/money.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { drawPhone, type Lines, type Output, type Paint, printable } from '../../terminal/terminal.ts';
import type { Decision, Payer } from './call.ts';
import { tellPrompt } from './prompts.ts';

export type PersonOptions = {
  /** The dialled code, shown above each screen. */
  code: string;
  msisdn: Msisdn;
  /** Decides about the prompt in the person's place. */
  decision: Decision | undefined;
  lines: Lines;
  output: Output;
  paint: Paint;
};

function readDecision(line: string | undefined): Decision {
  const text = (line ?? '').trim();
  if (text === '') return { kind: 'ignore' };
  return text === '0' ? { kind: 'decline' } : { kind: 'approve', pin: text };
}

/** A person at a terminal: sees a phone drawn with lines, types answers, hangs up with a blank line. */
export function person({ code, msisdn, decision, lines, output, paint }: PersonOptions): Payer {
  const say = (text: string) => void output.write(`${text}\n`);
  return {
    staysForPrompt: true,
    left: lines.left,
    seesWaiting(prompts) {
      for (const prompt of prompts) say(paint('yellow', `A prompt of before waits: ${tellPrompt(prompt)}.`));
      say(paint('dim', `Answer it with: dialtill prompts --msisdn ${localForm(msisdn)} --approve`));
    },
    seesScreen(screen) {
      say(drawPhone(code, screen.text));
      if (screen.kind === 'end') say(paint('dim', 'The session has ended.'));
    },
    async answers() {
      const line = await lines.ask(paint('bold', '> '));
      return line?.trim() || undefined;
    },
    waitsForPrompt: () => say(paint('dim', 'Waiting for the prompt (ctrl-c to leave) ...')),
    seesPrompt(prompt, on) {
      // What was typed while waiting was no decision about money.
      lines.discard();
      const pin = prompt.magic === undefined ? '\nEnter PIN:' : '';
      const pay = `Pay ${formatCedis(prompt.amount_minor)} to ${prompt.merchant_name}.`;
      say(drawPhone(on ? `Mobile money of ${localForm(on)}` : 'Mobile money', pay + pin));
    },
    async decides(refusals) {
      if (decision) return refusals === 0 ? decision : undefined;
      return readDecision(await lines.ask(paint('bold', 'PIN to approve, 0 to decline, empty to ignore: ')));
    },
    isRefused: (message) => say(paint('yellow', printable(message))),
  };
}
