import type { PageContent } from '../define-route.ts';

/** Rows on one page of a list. */
export const pageRows = 50;

/** The page of a cursor that no longer exists. */
export const noPage: PageContent = {
  title: 'No such page',
  status: 404,
  body: <p>The page before it no longer exists. Start with the first page.</p>,
};

/** The link to the next page of a list. */
export function Older({ path, next }: { path: string; next: string | null }) {
  return next === null ? null : (
    <p>
      <a href={`${path}?${new URLSearchParams({ after: next })}`}>Older ones</a>
    </p>
  );
}
