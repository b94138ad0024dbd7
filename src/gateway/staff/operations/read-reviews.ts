import type { z } from 'zod';
import type { ReviewView, reviewList } from '../../../contract/review.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';
import { viewDecisions, viewReview } from '../reviews/view-review.ts';
import { unknownCollection } from './add-note.ts';

/** Reviews of one answer. */
const maxReviews = 100;

/** Lists the newest reviews, each with its open proposal. */
export async function listReviews({
  proposals,
  clock,
}: StaffDeps): Promise<StaffAnswer<z.infer<typeof reviewList>>> {
  const found = await proposals.listReviews(maxReviews + 1);
  const reviews = found
    .slice(0, maxReviews)
    .map(({ row, proposal }) => viewReview(row, proposal, clock.now()));
  return { ok: true, value: { reviews, isCut: found.length > maxReviews } };
}

/** Returns one review with the postings of each decision that is possible now. */
export async function showReview(
  deps: StaffDeps,
  { id }: StaffCall<unknown>,
): Promise<StaffAnswer<ReviewView>> {
  const { collections, proposals, clock } = deps;
  const row = await collections.find(id);
  if (!row) return unknownCollection(id);
  if (row.review === null) return refuse('conflict', `${id} is ${row.status} and not in review`);
  const proposal = (await proposals.findOpen(id)) ?? null;
  return {
    ok: true,
    value: { ...viewReview(row, proposal, clock.now()), decisions: await viewDecisions(deps, row) },
  };
}
