import type { z } from 'zod';
import { noInput, type ReviewView, type reviewList, reviewQuery } from '../../../contract/staff/review.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { viewDecisions, viewReview } from '../reviews/view-review.ts';
import { collectionSubject } from '../subjects.ts';

/** Lists the newest reviews, each with its open proposal. */
export const listReviews = defineOperation({
  route: 'GET /reviews',
  permission: 'cases.read',
  input: reviewQuery,
  async run(
    { collections, proposals, clock }: StaffDeps,
    { input: { limit, after } },
  ): Promise<StaffAnswer<z.infer<typeof reviewList>>> {
    const last = after === undefined ? undefined : await collections.find(after);
    if (after !== undefined && !last)
      return refuse('not_found', `after: no collection ${after}: use "next" of the previous page`);
    const found = await proposals.listReviews(limit + 1, last);
    const page = found.slice(0, limit);
    const data = page.map(({ row, proposal }) => viewReview(row, proposal, clock.now()));
    const next = found.length > limit ? (page.at(-1)?.row.id ?? null) : null;
    return { ok: true, value: { data, total: await proposals.countReviews(), next } };
  },
});

/** Returns one review with the postings of each decision that is possible now. */
export const showReview = defineOperation({
  route: 'GET /reviews/:id',
  permission: 'cases.read',
  input: noInput,
  subject: collectionSubject,
  async run(deps: StaffDeps, { id, subject: row }): Promise<StaffAnswer<ReviewView>> {
    const { proposals, clock } = deps;
    if (row.review === null) return refuse('conflict', `${id} is ${row.status} and not in review`);
    const proposal = (await proposals.findOpen(id)) ?? null;
    return {
      ok: true,
      value: { ...viewReview(row, proposal, clock.now()), decisions: await viewDecisions(deps, row) },
    };
  },
});
