import { removeView, type SavedViewDeps, saveView } from '../../accounts/saved-views.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
import { filterFault, scopeOf } from '../scope.ts';
import { listPath, queryOf } from './filter.ts';
import { readListAddress } from './list-address.ts';

/** Returns the routes with which a person saves filters under a name, and removes them. Others do not see them: they get the link. */
export function viewRoutes(deps: SavedViewDeps): ConsoleRoute[] {
  return [
    defineRoute('POST /views', async ({ c, person, fields, show }) => {
      const { name = '', query = '' } = fields;
      const address = readListAddress(Object.fromEntries(new URLSearchParams(query)));
      if (address.kind !== 'filter' || Object.keys(address.texts).length === 0)
        return show(
          notSaved(address.kind === 'invalid' ? address.message : 'A view has at least one filter.'),
        );
      const fault = filterFault(scopeOf(person), address.texts);
      if (fault !== undefined) return show(notSaved(fault));
      const answer = await saveView(deps, person, { name, query: queryOf(address.texts) });
      return answer.ok ? c.redirect(listPath(address.texts), 303) : show(notSaved(answer.message));
    }),
    defineRoute('POST /views/:id/remove', async ({ c, person, show }) => {
      const answer = await removeView(deps, person, c.req.param('id') ?? '');
      return answer.ok ? c.redirect(listPath({}), 303) : show({ ...notSaved(answer.message), status: 404 });
    }),
  ];
}

function notSaved(text: string): PageContent {
  const body = (
    <>
      <Message text={text} />
      <p>
        <a href={listPath({})}>All payments</a>
      </p>
    </>
  );
  return { title: 'Saved views', status: 422, body };
}
