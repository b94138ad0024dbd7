import { grantAccess } from '../../shared/http/access.ts';
import { plural } from '../../shared/plural.ts';
import { readAccountName, type SignInRefusal } from '../accounts/check-person.ts';
import { signInOpenly } from '../accounts/open-account.ts';
import { signInOptions } from '../accounts/passkeys.ts';
import { findOwner } from '../accounts/session.ts';
import { endSignInSession, signIn, signInWithPasskey } from '../accounts/sign-in.ts';
import { addressOfPage, callerAddress, getNetwork, removeToken, setToken } from './browser.ts';
import { type ConsoleContext, defineConsoleRoute, type PageContent } from './define-route.ts';
import { KeptField, keptFormPage } from './kept-form.tsx';
import { Flash } from './parts/card.tsx';
import { Back, FormField, Submit } from './parts/forms.tsx';
import { PasskeyForm } from './passkeys.tsx';

export const signInRoutes = [
  defineConsoleRoute(
    'GET /sign-in',
    'everyone',
    async ({ c, person, query: { page = '', ended }, show }, context) => {
      if (person) return c.redirect(addressOfPage(page), 303);
      return show(await signInPage(context, { page, hasEnded: ended !== undefined }));
    },
  ),
  defineConsoleRoute('POST /sign-in', 'everyone', async ({ c, fields, show }, context) => {
    const { accounts, passkeys, publicUrl, openAccounts, wrongSignIns } = context;
    const { password = '', code = '', page = '', credential = '', kept = '' } = fields;
    const name = readAccountName(fields.name);
    // To the page of a link, or to the form that was sent after the session had ended.
    const goOn = async (token: string) => {
      const owner = await findOwner(accounts, token);
      const why = 'Your sign-in had ended before the form was sent.';
      const keptPage =
        owner === undefined ? undefined : keptFormPage(accounts, { accountId: owner, kept, why });
      return keptPage ? show(keptPage) : c.redirect(addressOfPage(page), 303);
    };
    const open = openAccounts.find((one) => one.name === fields.open);
    if (open) {
      grantAccess(c.env);
      const token = await signInOpenly(accounts, open);
      setToken(c, publicUrl, token);
      return goOn(token);
    }
    const network = getNetwork(c, context);
    const answer =
      passkeys && credential !== ''
        ? await signInWithPasskey(passkeys, { credential, network })
        : await signIn(accounts, { name, password, code, network });
    if (!answer.ok) {
      wrongSignIns.record(answer.reason, { caller: callerAddress(c, context) });
      return show(await signInPage(context, { refusal: answer, name, page, kept }));
    }
    grantAccess(c.env);
    setToken(c, publicUrl, answer.token);
    return goOn(answer.token);
  }),
  defineConsoleRoute(
    'POST /sign-out',
    { needs: 'account.own' },
    async ({ c, person }, { accounts, publicUrl }) => {
      await endSignInSession(accounts, person, person.session.id);
      removeToken(c, publicUrl);
      return c.redirect('/console/sign-in', 303);
    },
  ),
];

function refusalText(refusal: SignInRefusal): string {
  switch (refusal.reason) {
    case 'wrong':
      return 'The name, the password or the code is wrong. A code of the app is accepted once: wait for the next one.';
    case 'wrong_passkey':
      return 'The passkey was not accepted. Try again, or enter the password and a code.';
    case 'wait':
      return `There were wrong attempts. Try again after ${plural(refusal.waitSeconds, 'second')}.`;
    case 'busy':
      return 'Too many people are signing in. Try again in some seconds.';
  }
}

const statuses = { wrong: 422, wrong_passkey: 422, wait: 429, busy: 503 } as const;

/** Returns the message and the status of a refused sign-in; none without one. */
export function showRefusal(refusal: SignInRefusal | undefined): Pick<PageContent, 'message' | 'status'> {
  return refusal ? { message: refusalText(refusal), status: statuses[refusal.reason] } : {};
}

function comingBack(page: string, kept: string | undefined): string {
  if (kept !== undefined) return 'What you typed comes back afterwards.';
  return page === '' ? 'What you sent last was not done.' : 'The page comes back afterwards.';
}

type SignIn = {
  /** The page after it. */
  page?: string;
  refusal?: SignInRefusal;
  name?: string;
  /** True when the session of the browser has ended. */
  hasEnded?: boolean;
  /** The form that was sent after that. */
  kept?: string | undefined;
};

export async function signInPage(
  { openAccounts, passkeys }: ConsoleContext,
  { page = '', refusal, name = '', hasEnded = false, kept }: SignIn,
): Promise<PageContent> {
  const options = passkeys && (await signInOptions(passkeys));
  const back = (
    <>
      {page !== '' && <input type="hidden" name="page" value={page} />}
      <KeptField kept={kept} />
    </>
  );
  return {
    title: 'Sign in',
    ...showRefusal(refusal),
    body: (
      <>
        {hasEnded && (
          <Flash tone="review">
            <b>Your sign-in has ended.</b> It ends after 30 minutes without an action, and after 12 hours.{' '}
            {comingBack(page, kept)}
          </Flash>
        )}
        {openAccounts.length > 0 && (
          <form method="post" action="/console/sign-in">
            {back}
            <p>
              This is the demo: these people need no password. One proposes a decision, and another one
              approves it.
            </p>
            <div class="stack tight fill">
              {openAccounts.map((one) => (
                <button type="submit" name="open" value={one.name}>
                  Sign in as {one.name} ({one.role})
                </button>
              ))}
            </div>
          </form>
        )}
        <form class="form" method="post" action="/console/sign-in">
          {back}
          <FormField name="name" label="Name" autocomplete="username" maxlength={32} value={name} />
          <PasswordAndCode />
          <Submit>Sign in</Submit>
        </form>
        {options && (
          <PasskeyForm
            action="/console/sign-in"
            options={options}
            button="Sign in with a passkey"
            otherwise="No passkey was used. Try again, or enter the password and a code."
          >
            {back}
          </PasskeyForm>
        )}
        <Back path="/console/first-use" text="Set up a new account" />
        <p class="muted small">
          Lost your phone? Use a recovery code. Lost both? Ask an admin to reset your account.
        </p>
      </>
    ),
  };
}

export function PasswordAndCode() {
  return (
    <>
      <FormField
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        maxlength={512}
      />
      <FormField
        name="code"
        label="Code"
        autocomplete="one-time-code"
        maxlength={24}
        hint="Six digits of the authenticator app, or a recovery code."
      />
    </>
  );
}
