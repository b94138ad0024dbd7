import type { SavedView } from '../../accounts/saved-view-store.ts';
import { maxViewName } from '../../accounts/saved-views.ts';
import { type FilterTexts, queryOf } from './filter.ts';

type SavedViewsProps = { views: readonly SavedView[]; filters: FilterTexts };

/** The saved views of a person: links, and forms that save the filters of the page and remove a view. */
export function SavedViews({ views, filters }: SavedViewsProps) {
  const query = queryOf(filters);
  if (views.length === 0 && query === '') return null;
  return (
    <section class="views" aria-label="Saved views">
      {views.length > 0 && (
        <nav class="tabs" aria-label="Saved views">
          {views.map((view) => (
            <a
              href={`/console/payments${view.query}`}
              aria-current={view.query === query ? 'true' : undefined}
            >
              {view.name}
            </a>
          ))}
        </nav>
      )}
      <details>
        <summary>
          {query === '' ? 'Remove a saved view' : 'Save these filters, or remove a saved view'}
        </summary>
        {query !== '' && (
          <form class="line" method="post" action="/console/views">
            <input type="hidden" name="query" value={query} />
            <label for="view-name">Name of the view</label>
            <input id="view-name" name="name" maxlength={maxViewName} required autocomplete="off" />
            <button type="submit">Save</button>
          </form>
        )}
        {views.map(({ id, name }) => (
          <form class="line" method="post" action={`/console/views/${id}/remove`}>
            {name} <button type="submit">Remove {name}</button>
          </form>
        ))}
      </details>
    </section>
  );
}
