import { grantAccess } from '../../../shared/http/access.ts';
import type { Refusal } from '../../accounts/check-person.ts';
import { confirmOpenly, signInOpenly } from '../../accounts/open-account.ts';
import { confirmPerson, endSession, signIn } from '../../accounts/sign-in.ts';
import { removeToken, setToken } from '../cookie.ts';
import { type ConsoleRoute, defineRoute, type Fields, type PageContent } from '../define-route.ts';
import { Field, Message } from '../page.tsx';
import { type AccessPagesDeps, addressOf, networkOf } from './deps.ts';

/** Returns the routes for signing in and out, and for entering the password again. */
export function signInRoutes(deps: AccessPagesDeps): ConsoleRoute[] {
  const { accounts, publicUrl, wrongSignIns, openAccounts } = deps;
  return [
    defineRoute('GET /sign-in', ({ c, person, show }) =>
      person ? c.redirect('/console', 303) : show(signInPage(openAccounts)),
    ),
    defineRoute('POST /sign-in', async ({ c, fields, show }) => {
      const { name = '', password = '', code = '' } = fields;
      const open = openAccounts.find((one) => one.name === fields.open);
      if (open) {
        grantAccess(c.env);
        setToken(c, publicUrl, await signInOpenly(accounts, open));
        return c.redirect('/console', 303);
      }
      const network = networkOf(c, deps);
      const answer = await signIn(accounts, { name, password, code, network });
      if (!answer.ok) {
        wrongSignIns.record(answer.reason, { caller: addressOf(c, deps) });
        return show(signInPage(openAccounts, answer, name));
      }
      grantAccess(c.env);
      setToken(c, publicUrl, answer.token);
      return c.redirect('/console', 303);
    }),
    defineRoute('POST /sign-out', async ({ c, person }) => {
      await endSession(accounts, person, person.session.id);
      removeToken(c, publicUrl);
      return c.redirect('/console/sign-in', 303);
    }),
    defineRoute('GET /confirm', async ({ c, person, show }) => {
      const page = c.req.query('page') ?? '';
      if (!openAccounts.some(({ name }) => name === person.name)) return show(confirmPage(page));
      await confirmOpenly(accounts, person);
      return c.redirect(pageOf(page), 303);
    }),
    defineRoute('POST /confirm', async ({ c, person, fields, show }) => {
      const { password = '', code = '', page = '' } = fields;
      const answer = await confirmPerson(accounts, person, { password, code, network: networkOf(c, deps) });
      return answer.ok ? c.redirect(pageOf(page), 303) : show(confirmPage(page, answer));
    }),
  ];
}

/** Returns the page of an area of the console. A name of another form is the home page. */
function pageOf(area: string): string {
  return /^[a-z]{1,20}$/.test(area) ? `/console/${area}` : '/console';
}

function refusalText(refusal: Refusal): string {
  switch (refusal.reason) {
    case 'wrong':
      return 'The name, the password or the code is wrong. A code of the app is accepted once: wait for the next one.';
    case 'wait':
      return `There were wrong attempts. Try again after ${refusal.waitSeconds} seconds.`;
    case 'busy':
      return 'Too many people are signing in. Try again in some seconds.';
  }
}

function statusOf(refusal: Refusal | undefined): Pick<PageContent, 'status'> {
  if (!refusal) return {};
  return { status: refusal.reason === 'wrong' ? 422 : refusal.reason === 'wait' ? 429 : 503 };
}

function signInPage(
  openAccounts: AccessPagesDeps['openAccounts'],
  refusal?: Refusal,
  name: Fields[string] = '',
): PageContent {
  return {
    title: 'Sign in',
    ...statusOf(refusal),
    body: (
      <>
        <Message text={refusal && refusalText(refusal)} />
        {openAccounts.length > 0 && (
          <form method="post" action="/console/sign-in">
            <p>This is the demo. Two people are ready, so that one can approve what the other proposes:</p>
            {openAccounts.map((one) => (
              <p>
                <button type="submit" name="open" value={one.name}>
                  Sign in as {one.name} ({one.role})
                </button>
              </p>
            ))}
          </form>
        )}
        <form method="post" action="/console/sign-in">
          <Field name="name" label="Name" autocomplete="username" maxlength={32} value={name} />
          <PasswordAndCode />
          <button type="submit">Sign in</button>
        </form>
        <p>
          <a href="/console/first-use">First use of an account</a>
        </p>
      </>
    ),
  };
}

function confirmPage(page: string, refusal?: Refusal): PageContent {
  return {
    title: 'Enter your password again',
    ...statusOf(refusal),
    body: (
      <>
        <Message text={refusal && refusalText(refusal)} />
        <p>This action needs your password and a code. They count for five minutes.</p>
        <form method="post" action="/console/confirm">
          <input type="hidden" name="page" value={page} />
          <PasswordAndCode />
          <button type="submit">Continue</button>
        </form>
      </>
    ),
  };
}

function PasswordAndCode() {
  return (
    <>
      <Field
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        maxlength={512}
      />
      <Field
        name="code"
        label="Code"
        autocomplete="one-time-code"
        maxlength={24}
        hint="Six digits of the authenticator app, or a recovery code."
      />
    </>
  );
}
