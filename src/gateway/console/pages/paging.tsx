import type { PageContent } from '../define-route.ts';
import { queryOf } from '../list/filter.ts';

/** Rows on one page of a list. */
export const pageRows = 50;

/** The page of a cursor that no longer exists. */
export const noPage: PageContent = {
  title: 'No such page',
  status: 404,
  body: <p>The page before it no longer exists. Start with the first page.</p>,
};

type OlderProps = {
  path: string;
  next: string | null;
  /** The filters of the list. */
  query?: Readonly<Record<string, string | undefined>>;
};

/** The link to the next page of a list. */
export function Older({ path, next, query = {} }: OlderProps) {
  return next === null ? null : (
    <p>
      <a href={`${path}${queryOf({ ...query, after: next })}`}>Older ones</a>
    </p>
  );
}
