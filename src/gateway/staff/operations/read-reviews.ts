import type { z } from 'zod';
import type { ReviewView, reviewList, reviewQuery } from '../../../contract/review.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';
import { viewDecisions, viewReview } from '../reviews/view-review.ts';
import { unknownCollection } from './add-note.ts';

/** Lists the newest reviews, each with its open proposal. */
export async function listReviews(
  { collections, proposals, clock }: StaffDeps,
  { input: { limit, after } }: StaffCall<z.infer<typeof reviewQuery>>,
): Promise<StaffAnswer<z.infer<typeof reviewList>>> {
  const last = after === undefined ? undefined : await collections.find(after);
  if (after !== undefined && !last)
    return refuse('not_found', `after: no collection ${after}: use "next" of the previous page`);
  const found = await proposals.listReviews(limit + 1, last);
  const page = found.slice(0, limit);
  const data = page.map(({ row, proposal }) => viewReview(row, proposal, clock.now()));
  const next = found.length > limit ? (page.at(-1)?.row.id ?? null) : null;
  return { ok: true, value: { data, total: await proposals.countReviews(), next } };
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
