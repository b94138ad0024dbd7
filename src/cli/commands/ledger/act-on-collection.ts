import { assignAnswer, checkNowAnswer, noteAnswer, revealAnswer } from '../../../contract/staff/staff.ts';
import { describeAnswer } from '../../../gateway/collection/answers.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { pathSegment } from '../../service/admin-client.ts';
import type { ConnectStaff, StaffFlags } from '../../staff/staff-client.ts';
import { printAnswer, showTime } from '../../terminal/output.ts';
import type { Output } from '../../terminal/protected-output.ts';

/* Each command calls the gateway for a named person. It throws a `UserError` when the gateway refuses or cannot be reached. */

export type ActDeps = { stdout: Output; staffClient: ConnectStaff };

const pathOf = (id: string, action: string) => `/collections/${pathSegment(id)}/${action}`;

/** Records who resolves a collection. @param name `none` ends the assignment. */
export async function assign(
  { stdout, staffClient }: ActDeps,
  { id, name }: { id: string; name: string },
  options: StaffFlags,
): Promise<void> {
  const to = name === 'none' ? null : name;
  const answer = await (await staffClient(options)).post(pathOf(id, 'assign'), assignAnswer, { to });
  const { collectionId, actor } = answer;
  const done = answer.to === null ? `unassigned ${collectionId}` : `assigned ${collectionId} to ${answer.to}`;
  printAnswer(stdout, options, answer, `${done} by ${actor}`);
}

/** Asks the gateway to poll a collection now. */
export async function checkNow(
  { stdout, staffClient }: ActDeps,
  id: string,
  options: StaffFlags,
): Promise<void> {
  const answer = await (await staffClient(options)).post(pathOf(id, 'check'), checkNowAnswer);
  const { collectionId, status } = answer;
  const next = `the gateway polls it now. Read the result with "dialtill ledger show ${collectionId}"`;
  printAnswer(stdout, options, answer, `${collectionId} is ${status}; ${next}`);
}

/** Records a note about a collection. */
export async function note(
  { stdout, staffClient }: ActDeps,
  { id, text }: { id: string; text: string },
  options: StaffFlags,
): Promise<void> {
  const answer = await (await staffClient(options)).post(pathOf(id, 'notes'), noteAnswer, { text });
  printAnswer(stdout, options, answer, `noted on ${answer.collectionId} by ${answer.actor}`);
}

/** Prints the whole numbers of a collection. The gateway records who saw them and why. */
export async function reveal(
  { stdout, staffClient }: ActDeps,
  id: string,
  { reason, ...options }: StaffFlags & { reason: string },
): Promise<void> {
  const answer = await (await staffClient(options)).post(pathOf(id, 'reveal'), revealAnswer, { reason });
  const { collectionId, payer, dialler, answers, until } = answer;
  const lines = [
    `payer       ${localForm(payer as Msisdn)}`,
    `dialled by  ${localForm(dialler as Msisdn)}`,
    ...answers.map((one) => `answer      ${describeAnswer(one)}`),
    `Until ${showTime(Date.parse(until))} UTC, "dialtill ledger show ${collectionId}" shows them too.`,
  ];
  printAnswer(stdout, options, answer, lines.join('\n'));
}
