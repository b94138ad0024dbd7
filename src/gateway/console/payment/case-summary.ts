import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm } from '../../../shared/msisdn.ts';
import { showShortReference } from '../../../shared/short-reference.ts';
import { answersOf, describeAnswer } from '../../collection/answers.ts';
import type { CollectionRecord } from '../../support/collection-query.ts';
import { assigneeOf } from '../../support/explain/assignee.ts';
import type { Explanation } from '../../support/explain/explain.ts';
import { reasonsOf, showAmount, showTime, statusView } from '../pages/format.ts';
import type { TimelineItem } from '../pages/timeline-view.ts';

/** The newest entries of the story. */
const maxEntries = 30;

/**
 * Describes a payment as plain text, to paste into a mail or a ticket. Its numbers are masked, also for a person who sees whole
 * ones: the text leaves the console.
 */
export function caseSummary(
  { collection, actions }: CollectionRecord,
  { summary, nextStep, received }: Explanation,
  items: readonly TimelineItem[],
): string {
  const { payer, dialler, network, reference } = collection;
  const story = items.filter(({ layer }) => layer === 'story');
  const assignee = assigneeOf(actions);
  const reasons = reasonsOf(collection);
  const lines = [
    `Payment ${showShortReference(collection.shortReference)} (${collection.id})`,
    `Status: ${statusView(collection).words}${reasons === '' ? '' : ` (${reasons})`}`,
    summary,
    nextStep.text,
    '',
    `Merchant: ${collection.merchantId} (${collection.livemode ? 'live' : 'test'}, channel ${collection.channel})`,
    `Payer: ${maskedForm(payer)} on ${network}`,
    ...(payer === dialler ? [] : [`Dialled by: ${maskedForm(dialler)}`]),
    `Reference: ${reference}`,
    ...answersOf(collection, 'masked').map(describeAnswer),
    `Price: ${showAmount(collection.goodsMinor)}`,
    `Received: ${received ? showAmount(received.amountMinor) : 'nothing'}`,
    ...(assignee === undefined ? [] : [`Assigned to: ${assignee}`]),
    '',
    ...(story.length > maxEntries ? [`(${story.length - maxEntries} earlier entries)`] : []),
    ...story.slice(-maxEntries).map(({ at, text }) => `${showTime(at)} UTC  ${text}`),
  ];
  return maskNumbers(lines.join('\n'));
}
