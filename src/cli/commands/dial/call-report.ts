import { unreachable } from '../../../shared/errors.ts';
import { answerTimeoutMs } from '../../../shared/http/exchange.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import type { PhoneFailure } from '../../../simulator/phone.ts';
import type { PromptAnswerFailure } from '../../../simulator/prompts.ts';
import { printable } from '../../terminal/output.ts';
import type { CallResult } from './call.ts';

/** The exit codes of `dial` and `prompts`; their help texts list them. */
export const exitCode = { done: 0, failed: 1, stillOpen: 3, noPrompt: 4, rejected: 5 } as const;

export type ReportContext = {
  msisdn: Msisdn;
  channelId: string;
  gatewayUrl: string;
  serviceUrl: string;
  waitMs: number;
  /** True for a person at a terminal, for whom hanging up is not a failure. */
  isAttended: boolean;
  /** True when the command line has a decision about the prompt, so that a missing prompt is a failure. */
  isPromptExpected: boolean;
};

/** The lines for standard output, the line for standard error, and the exit code. */
export type CallReport = { lines: string[]; fault: string | undefined; exitCode: number };

export function reportCall(result: CallResult, context: ReportContext): CallReport {
  const number = localForm(context.msisdn);
  const find = `dialtill ledger find ${number}`;
  const hint = result.collected ? [`See it in the ledger: ${find}`] : [];
  const done = (...lines: string[]): CallReport => ({ lines, fault: undefined, exitCode: exitCode.done });
  const fail = (code: number, fault: string, lines: string[] = []): CallReport => ({
    lines,
    fault,
    exitCode: code,
  });
  switch (result.outcome) {
    case 'ended':
      return done(...hint);
    case 'approved':
      return done('Approved.', ...hint);
    case 'declined':
      return done('Declined.', ...hint);
    case 'ignored':
      return done('Left unanswered.', ...hint);
    case 'automatic': {
      const phone = localForm(result.promptPhone ?? context.msisdn);
      const magic = `${phone} is a magic number (${printable(result.magic)})`;
      return done(`${magic}: it answers the prompt itself. See: dialtill service numbers`, ...hint);
    }
    case 'hung_up':
      return context.isAttended ? done('Hung up.') : fail(exitCode.stillOpen, stillOpenFault(result));
    case 'nothing_collected': {
      const older =
        result.olderPrompts > 0
          ? `; to answer the older prompt, run: dialtill prompts --msisdn ${number}`
          : '';
      return context.isPromptExpected
        ? fail(exitCode.noPrompt, `the session ended without a new payment, so there is no prompt${older}`)
        : done(`The session ended without a new payment${older}.`);
    }
    case 'no_prompt': {
      const seconds = `within ${context.waitMs / 1000} s`;
      return context.isPromptExpected
        ? fail(
            exitCode.noPrompt,
            `no prompt arrived ${seconds}: wait longer with --wait, or see the reason with: ${find}`,
          )
        : done(`No prompt arrived ${seconds}. To see the reason, run: ${find}`);
    }
    case 'rejected':
      return fail(
        exitCode.rejected,
        `the simulated phone rejected the decision: ${printable(result.failure.code)}`,
        hint,
      );
    case 'gateway_failed':
      return fail(exitCode.failed, gatewayFault(result.failure, context));
    case 'phone_failed':
      return fail(exitCode.failed, simulatedPhoneFault(result.failure, context.serviceUrl), hint);
    default:
      return unreachable(result);
  }
}

function stillOpenFault({ screens }: CallResult): string {
  if (screens.length < 2) return 'the session is still open: add inputs, such as --input 1,20,1';
  const [first, last] = [screens[0], screens.at(-1)].map((screen = '') =>
    printable(screen.split('\n')[0] ?? ''),
  );
  return `the session is still open, at the screen "${last}": add an input for it. If you expected another screen, compare the first one with your inputs: "${first}"`;
}

function gatewayFault(failure: PhoneFailure, { gatewayUrl, channelId }: ReportContext): string {
  switch (failure.reason) {
    case 'unreachable':
      return `no gateway at ${gatewayUrl} (${failure.detail}): start one with: npx dialtill start`;
    case 'timeout':
      return `the gateway at ${gatewayUrl} did not answer within ${answerTimeoutMs / 1000} s: see its log`;
    case 'bad_screen':
      return (
        `the gateway at ${gatewayUrl} did not return a screen (${failure.detail}): ` +
        `check that its configuration has channel "${channelId}" with the same secret`
      );
    default:
      return unreachable(failure.reason);
  }
}

export function simulatedPhoneFault(failure: PromptAnswerFailure, serviceUrl: string): string {
  const detail = failure.reason === 'rejected' ? printable(failure.message) : failure.detail;
  return `no simulated phone at ${serviceUrl} (${detail}): check that the service is running`;
}
