import type { Context } from 'hono';
import { getPath } from './mount.ts';

/**
 * The pages to which a person can come back, relative to `/console`: `staff`, `proposals/prp_1`, `endpoints/ep_1/address`,
 * `payments?status=paid`.
 */
const pagePattern = /^[a-z]{1,20}(\/\w{1,64}(\/[a-z]{1,20})?)?(\?[\w.&=%+-]{1,300})?$/;

/** Returns the address of a page to which a person comes back. Another text is the home page. */
export function addressOfPage(page: string): string {
  return pagePattern.test(page) ? `/console/${page}` : '/console';
}

/**
 * Returns the page to which a person comes back after the password: a form is sent again from the page of its subject, or from the
 * first page of its area. `hasPage`: whether a path of routes, such as `/endpoints/:id`, is that of a page.
 */
export function pageAfterConfirm(c: Context, path: string, hasPage: (path: string) => boolean): string {
  const [area = '', id = '', ...rest] = getPath(c).replace('/console/', '').split('/');
  // An action without a page of its own is no page.
  const own = [area, id, ...rest].filter((part) => part !== '').join('/');
  if (c.req.method === 'GET') return own;
  if (path.includes('/:id/') && hasPage(path)) return own;
  return path.startsWith(`/${area}/:id/`) && hasPage(`/${area}/:id`) ? `${area}/${id}` : area;
}

/**
 * Returns the address of the sign-in for a request without a session. A link to one thing or to a filtered list comes back after it;
 * a query with a long number does not, because it can be a phone number.
 */
export function signInAddress(c: Context): string {
  const { search } = new URL(c.req.url);
  const page = `${getPath(c).replace(/^\/console\/?/, '')}${/\d{7}/.test(search) ? '' : search}`;
  const isLink = c.req.method === 'GET' && /[/?]/.test(page) && pagePattern.test(page);
  return `/console/sign-in${isLink ? `?${new URLSearchParams({ page })}` : ''}`;
}
