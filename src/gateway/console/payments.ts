import { type Assets, sendAsset } from '../../shared/pages/assets.ts';
import type { AssetPaths } from '../../shared/pages/document.tsx';
import type { Store } from '../../sqlite/store.ts';
import type { AccountDeps } from '../accounts/deps.ts';
import type { Person } from '../accounts/session.ts';
import type { StaffDeps } from '../staff/operation.ts';
import { type ConsoleRoute, defineRoute } from './define-route.ts';
import { maskedNumbers } from './numbers.ts';
import { linksFor } from './page.tsx';
import { createReader } from './reader.ts';
import { mayUse, readers } from './roles.ts';
import { paymentRoutes } from './routes.tsx';
import { readActions } from './work/payment-actions.tsx';

/** The addresses of the style sheet and the script. */
export function assetPaths({ css, js }: Assets): AssetPaths {
  return { css: `/console/assets/${css.name}`, js: `/console/assets/${js.name}` };
}

/** Returns the routes of the payments for people who are signed in, and of the files of all pages. */
export function paymentPages(
  store: Store,
  assets: Assets,
  { clock, livemode, operations }: Pick<AccountDeps, 'clock' | 'livemode'> & { operations: StaffDeps },
): ConsoleRoute[] {
  const pages = paymentRoutes({
    reader: createReader(store),
    clock,
    shell(c) {
      const person: Person | undefined = c.get('person');
      const shell = { assets: assetPaths(assets), person: person?.name ?? '', livemode };
      return person ? { ...shell, links: linksFor(person) } : shell;
    },
    numbers: () => maskedNumbers,
    async actions(c, row) {
      const person: Person | undefined = c.get('person');
      const mayAct = person && mayUse(person.role, 'POST /payments/:id/notes');
      return mayAct ? readActions(operations, row, person.name) : null;
    },
  });
  const handlerOf = (name: string) => {
    const page = pages.find(({ method, path }) => `${method} ${path}` === name);
    if (!page) throw new Error(`no page for ${name}`);
    return page.handler;
  };
  const list = handlerOf('GET /');
  return [
    defineRoute('GET /assets/:name', ({ c }) => sendAsset(c, assets)),
    defineRoute('GET /', ({ c, person }) =>
      readers.includes(person.role) ? list(c) : c.redirect('/console/me', 303),
    ),
    ...(['POST /search', 'GET /payments/:id', 'GET /payments/:id/payer'] as const).map((name) => {
      const handler = handlerOf(name);
      return defineRoute(name, ({ c }) => handler(c));
    }),
  ];
}
