import { assignAnswer, checkNowAnswer, noteAnswer } from '../../../contract/staff/staff.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { printAnswer } from '../../terminal/output.ts';
import type { CollectionCommandDeps, StaffFlags } from './types.ts';

/** A collection, and who resolves it; `none` ends the assignment. */
type Assignment = { id: string; name: string };

/** Records who resolves a collection. @throws UserError when the gateway refuses or cannot be reached. */
export async function assignCollectionCommand(
  deps: CollectionCommandDeps,
  { id, name }: Assignment,
  options: StaffFlags,
): Promise<void> {
  const client = await deps.staffClient(options);
  const to = name === 'none' ? null : name;
  const answer = await client.post(`/collections/${pathSegment(id)}/assign`, assignAnswer, { to });
  const { collectionId, actor } = answer;
  const done = answer.to === null ? `unassigned ${collectionId}` : `assigned ${collectionId} to ${answer.to}`;
  printAnswer(deps.stdout, options, answer, `${done} by ${actor}`);
}

/** Asks the gateway to poll a collection now. @throws UserError when the gateway refuses or cannot be reached. */
export async function checkNowCommand(
  deps: CollectionCommandDeps,
  id: string,
  options: StaffFlags,
): Promise<void> {
  const client = await deps.staffClient(options);
  const answer = await client.post(`/collections/${pathSegment(id)}/check`, checkNowAnswer);
  const { collectionId, status } = answer;
  const next = `the gateway polls it now. Read the result with "dialtill ledger show ${collectionId}"`;
  printAnswer(deps.stdout, options, answer, `${collectionId} is ${status}; ${next}`);
}

/** A note for a collection. */
type Note = { id: string; text: string };

/** Records a note about a collection. @throws UserError when the gateway refuses or cannot be reached. */
export async function noteCommand(
  deps: CollectionCommandDeps,
  { id, text }: Note,
  options: StaffFlags,
): Promise<void> {
  const client = await deps.staffClient(options);
  const answer = await client.post(`/collections/${pathSegment(id)}/notes`, noteAnswer, { text });
  printAnswer(deps.stdout, options, answer, `noted on ${answer.collectionId} by ${answer.actor}`);
}
