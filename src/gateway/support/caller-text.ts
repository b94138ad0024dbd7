import type { CollectionRow } from '../collection/collection.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import { getOutcome } from './playbook/playbook.ts';
import { type PlaybookRow, payerTexts } from './playbook/playbook-row.ts';
import type { SessionEnd } from './session-end.ts';
import type { SessionSummary } from './session-query.ts';

type Text = PlaybookRow['tellPayer'];

/** What a caller did, each list newest first. */
type CallerHistory = {
  /** The payments of the own phone. */
  payments: readonly CollectionRow[];
  /** The dialogues without a payment. */
  dialogues: readonly Pick<SessionSummary, 'startedAt' | 'end'>[];
  /** The money that waits in suspense. */
  unplaced: readonly Pick<UnplacedPayment, 'reason'>[];
};

/** A longer text is not read out. */
const maxTexts = 3;

/**
 * Returns one text for a caller: about the last call or payment, and about money that a person checks.
 *
 * @returns null for a caller without any of them.
 */
export function callerText({ payments, dialogues, unplaced }: CallerHistory): Text | null {
  const [payment] = payments;
  const [dialogue] = dialogues;
  const isCallLast = dialogue !== undefined && dialogue.startedAt >= (payment?.openedAt ?? 0);
  const last = isCallLast ? textOfEnd(dialogue.end) : payment && getOutcome(payment).tellPayer;
  const checked = payments
    .slice(isCallLast ? 0 : 1)
    .filter(({ review }) => review !== null)
    .map((row) => getOutcome(row).tellPayer);
  const waiting = unplaced.map(({ reason }) =>
    reason === 'second_charge' ? payerTexts.secondCharge : payerTexts.unplacedMoney,
  );
  const texts = [...new Set([...(last ? [last] : []), ...waiting, ...checked])].slice(0, maxTexts);
  if (texts.length === 0) return null;
  return { en: texts.map(({ en }) => en).join(' '), tw: texts.map(({ tw }) => tw).join(' ') };
}

function textOfEnd(end: SessionEnd): Text {
  return end === 'rejected' ? payerTexts.notPossible : payerTexts.nothingConfirmed;
}
