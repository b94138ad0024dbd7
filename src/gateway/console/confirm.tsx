import type { Context } from 'hono';
import type { Person } from '../access/permissions.ts';
import type { SignInRefusal } from '../accounts/check-person.ts';
import { confirmOpenly } from '../accounts/open-account.ts';
import { confirmOptions } from '../accounts/passkeys.ts';
import { confirmPerson, confirmWithPasskey } from '../accounts/sign-in.ts';
import { addressOfPage, confirmAddress, getNetwork, getPath, setDone } from './browser.ts';
import {
  type ConsoleContext,
  defineConsoleRoute,
  type FormInput,
  type PageContent,
  unsentCode,
} from './define-route.ts';
import { KeptField, keepFormOf, keptFormPage } from './kept-form.tsx';
import { Submit } from './parts/forms.tsx';
import { PasskeyForm } from './passkeys.tsx';
import { PasswordAndCode, showRefusal } from './sign-in.tsx';

/** The pages that ask for the password of a person who is signed in. */
export const confirmRoutes = [
  defineConsoleRoute(
    'GET /confirm',
    { needs: 'account.own' },
    async ({ c, person, query: { page = '', unsent }, show }, context) => {
      const asked = { page, ...(unsent !== undefined && { isUnsent: true }) };
      return (
        (await confirmOpen(c, person, asked, context)) ?? show(await confirmPage(context, person, asked))
      );
    },
  ),
  defineConsoleRoute(
    'POST /confirm',
    { needs: 'account.own' },
    async ({ c, person, fields, show }, context) => {
      const { accounts, passkeys } = context;
      const { password = '', code = '', credential = '', page = '', kept = '', unsent } = fields;
      const network = getNetwork(c, context);
      const asked = { page, kept, isUnsent: unsent !== undefined };
      const answer =
        passkeys && credential !== ''
          ? await confirmWithPasskey(passkeys, person, { credential, network })
          : await confirmPerson(accounts, person, { password, code, network });
      if (!answer.ok) return show(await confirmPage(context, person, { ...asked, refusal: answer }));
      const keptPage = keptFormPage(accounts, { accountId: person.accountId, kept, why: askedFirst });
      return keptPage ? show(keptPage) : goBack(c, asked, context);
    },
  ),
];

const askedFirst = 'Your password was asked for first.';

/** What a person wanted before the password: a page, a form that is kept, or a form that is not. */
type Asked = { page: string; kept?: string | undefined; isUnsent?: boolean };

function goBack(
  c: Context,
  { page, isUnsent }: Asked,
  { publicUrl }: Pick<ConsoleContext, 'publicUrl'>,
): Response {
  const response = c.redirect(addressOfPage(page), 303);
  if (isUnsent) setDone(response, publicUrl, unsentCode);
  return response;
}

/** Confirms a person of the demo, who needs no password; undefined for other people. */
async function confirmOpen(c: Context, person: Person, asked: Asked, context: ConsoleContext) {
  if (!context.openAccounts.some(({ name }) => name === person.name)) return undefined;
  await confirmOpenly(context.accounts, person);
  return goBack(c, asked, context);
}

/**
 * Answers a form of a person who must enter the password first: a kept form comes back after it, and the page after another one says that
 * nothing was changed.
 */
export async function askFirst(
  { c, person, page, verb }: { c: Context; person: Person; page: string; verb: string | undefined },
  fields: FormInput,
  context: ConsoleContext,
): Promise<Response | PageContent> {
  const { accounts, openAccounts } = context;
  const form = verb === undefined ? undefined : { verb, path: getPath(c), fields };
  const kept = form && keepFormOf(accounts, person.accountId, form);
  if (kept === undefined) return c.redirect(confirmAddress(page, { isUnsent: true }), 303);
  if (!openAccounts.some(({ name }) => name === person.name))
    return { ...(await confirmPage(context, person, { page, kept })), status: 403 };
  await confirmOpenly(accounts, person);
  return (
    keptFormPage(accounts, { accountId: person.accountId, kept, why: askedFirst }) ??
    c.redirect(addressOfPage(page), 303)
  );
}

async function confirmPage(
  { passkeys }: ConsoleContext,
  person: Person,
  { page, kept, isUnsent, refusal }: Asked & { refusal?: SignInRefusal },
): Promise<PageContent> {
  const options = passkeys && (await confirmOptions(passkeys, person));
  const back = (
    <>
      <input type="hidden" name="page" value={page} />
      {isUnsent && <input type="hidden" name="unsent" value="1" />}
      <KeptField kept={kept} />
    </>
  );
  return {
    title: 'Enter your password again',
    ...showRefusal(refusal),
    body: (
      <section class="card narrow" aria-label="Confirmation">
        <p>This action needs your password and a code, or a passkey. They count for five minutes.</p>
        <form class="form" method="post" action="/console/confirm">
          {back}
          <PasswordAndCode />
          <Submit>Continue</Submit>
        </form>
        {options && (
          <PasskeyForm
            action="/console/confirm"
            options={options}
            button="Use a passkey"
            otherwise="No passkey was used. Try again, or enter the password and a code."
          >
            {back}
          </PasskeyForm>
        )}
      </section>
    ),
  };
}
