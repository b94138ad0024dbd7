import { unreachable } from '../../../shared/errors.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { hopTimeoutMs } from '../../../simulator/exchange.ts';
import type { HopFailure } from '../../../simulator/phone.ts';
import type { PromptFailure } from '../../../simulator/prompts.ts';
import { printable } from '../../terminal/terminal.ts';
import type { CallResult } from './call.ts';

/** How the command ends; the help text of `dial` lists them. */
export const exitCode = { done: 0, failed: 1, usage: 2, stillOpen: 3, noPrompt: 4, refused: 5 } as const;

export type ReportContext = {
  msisdn: Msisdn;
  channelId: string;
  gatewayUrl: string;
  serviceUrl: string;
  waitMs: number;
  /** A person held the phone: hanging up is then no failure. */
  attended: boolean;
  /** A decision was asked for, so that a prompt had to arrive. */
  promptExpected: boolean;
};

/** What to tell about a call: on standard output, on standard error, and by the exit code. */
export type Report = { said: string[]; fault: string | undefined; exitCode: number };

function gatewayFault(failure: HopFailure, { gatewayUrl, channelId }: ReportContext): string {
  switch (failure.reason) {
    case 'unreachable':
      return `no gateway at ${gatewayUrl} - start one with: npx dialtill start (${failure.detail})`;
    case 'timeout':
      return `the gateway at ${gatewayUrl} did not answer within ${hopTimeoutMs / 1000} s - look at its log`;
    case 'bad_screen':
      return (
        `the gateway at ${gatewayUrl} answered no screen (${failure.detail}) - ` +
        `does it run with channel "${channelId}" of the same configuration?`
      );
    default:
      return unreachable(failure.reason);
  }
}

/** Why nothing can be said of prompts. */
export function handsetFault(failure: PromptFailure, serviceUrl: string): string {
  const detail = failure.reason === 'refused' ? printable(failure.message) : failure.detail;
  return `no simulated handset at ${serviceUrl} (${detail}) - is the service running?`;
}

/** Says how a call went, and what to do where it did not go well. */
export function reportCall(result: CallResult, context: ReportContext): Report {
  const number = localForm(context.msisdn);
  const find = `dialtill ledger find ${number}`;
  // Where nothing was collected there is nothing to see.
  const look = result.collected ? [`See it in the ledger: ${find}`] : [];
  const done = (...said: string[]): Report => ({ said, fault: undefined, exitCode: exitCode.done });
  switch (result.outcome) {
    case 'ended':
      return done(...look);
    case 'approved':
      return done('Approved.', ...look);
    case 'declined':
      return done('Declined.', ...look);
    case 'ignored':
      return done('Left unanswered.', ...look);
    case 'automatic': {
      const magic = `${localForm(result.on ?? context.msisdn)} is a magic number (${printable(result.magic)})`;
      return done(`${magic}: its payer answers by itself. See: dialtill service numbers`, ...look);
    }
    case 'hung_up':
      if (context.attended) return done('Hung up.');
      return {
        said: [],
        fault: 'the session is still open and waits for an answer - give more: --input 1,20,1',
        exitCode: exitCode.stillOpen,
      };
    case 'nothing_collected': {
      const older =
        result.waiting > 0 ? `; for the prompt of before: dialtill prompts --msisdn ${number}` : '';
      const said = `the session ended without a new payment, so no prompt comes${older}`;
      if (!context.promptExpected) return done(`Nothing new was collected${older}.`);
      return { said: [], fault: said, exitCode: exitCode.noPrompt };
    }
    case 'no_prompt': {
      const seconds = `within ${context.waitMs / 1000} s`;
      if (!context.promptExpected) return done(`No prompt arrived ${seconds}. The ledger tells why: ${find}`);
      const fault = `no prompt arrived ${seconds} - the ledger tells why: ${find}; or wait longer with --wait`;
      return { said: [], fault, exitCode: exitCode.noPrompt };
    }
    case 'refused':
      return {
        said: look,
        fault: `the handset refused the decision: ${printable(result.failure.code)}`,
        exitCode: exitCode.refused,
      };
    case 'gateway_failed':
      return { said: [], fault: gatewayFault(result.failure, context), exitCode: exitCode.failed };
    case 'handset_failed':
      return {
        said: look,
        fault: handsetFault(result.failure, context.serviceUrl),
        exitCode: exitCode.failed,
      };
    default:
      return unreachable(result);
  }
}
