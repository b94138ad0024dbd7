import { Icon } from '../../shared/pages/icons.tsx';
import { maxViewName, removeView, type SavedView, saveView } from '../accounts/saved-view-store.ts';
import type { FilterTexts } from '../support/filter-text.ts';
import { type ConsoleContext, defineConsoleRoute, type PageContent } from './define-route.ts';
import { toQuery } from './parts/format.ts';
import { Back, PostButton, TextInput } from './parts/forms.tsx';
import { clockFor, filterFault, listPath, readListAddress } from './payments-filter.ts';
import { getScope } from './scope.ts';

/** The routes with which a person saves filters under a name, and removes them. Others do not see them: they get the link. */
export const savedViewsRoutes = [
  defineConsoleRoute(
    'POST /views',
    { needs: 'payments.read', result: 'View saved. Only you see it.' },
    async ({ c, person, fields, show }, context) => {
      const { name = '', query = '' } = fields;
      const address = readListAddress(
        Object.fromEntries(new URLSearchParams(query)),
        clockFor(context.operations, person),
      );
      if (address.kind !== 'filter' || Object.keys(address.texts).length === 0)
        return show(
          notSaved(address.kind === 'invalid' ? address.fault.message : 'A view has at least one filter.'),
        );
      const fault = filterFault(getScope(person), address.texts);
      if (fault !== undefined) return show(notSaved(fault));
      const answer = await saveView(listDeps(context), person, { name, query: toQuery(address.texts) });
      return answer.ok ? c.redirect(listPath(address.texts), 303) : show(notSaved(answer.message));
    },
  ),
  defineConsoleRoute(
    'POST /views/:id/remove',
    { needs: 'payments.read', result: 'View removed.' },
    async (call, context) => {
      const { c, id, person, show } = call;
      const answer = await removeView(listDeps(context), person, id);
      return answer.ok ? c.redirect(listPath({}), 303) : show({ ...notSaved(answer.message), status: 404 });
    },
  ),
];

const listDeps = ({ accounts, views }: ConsoleContext) => ({ ...accounts, views });

function notSaved(message: string): PageContent {
  return { title: 'Saved views', message, body: <Back path={listPath({})} text="All payments" /> };
}

type SavedViewsProps = { views: readonly SavedView[]; filters: FilterTexts };

/** The saved views of a person behind a button: links, and forms that save the filters of the page and remove a view. */
export function SavedViews({ views, filters }: SavedViewsProps) {
  const query = toQuery(filters);
  if (views.length === 0 && query === '') return null;
  return (
    <details class="views">
      <summary class="button quiet">
        Saved views
        <Icon name="down" />
      </summary>
      <ul class="card tight" aria-label="Saved views">
        {views.map((view) => (
          <li class="line between">
            <a
              href={`/console/payments${view.query}`}
              aria-current={view.query === query ? 'true' : undefined}
            >
              {view.name}
            </a>
            <PostButton
              action={`/console/views/${view.id}/remove`}
              text="Remove"
              label={`Remove ${view.name}`}
              kind="quiet"
            />
          </li>
        ))}
        {query !== '' && (
          <li>
            <form class="line" method="post" action="/console/views">
              <input type="hidden" name="query" value={query} />
              <TextInput
                id="view-name"
                name="name"
                label="Name of the view"
                maxlength={maxViewName}
                required
              />
              <button type="submit">Save the view</button>
            </form>
          </li>
        )}
      </ul>
    </details>
  );
}
