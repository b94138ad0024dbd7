import type { Child } from 'hono/jsx';
import { can, type Person } from '../access/permissions.ts';
import { createCommandToken } from '../accounts/command-token.ts';
import { hasEnded } from '../accounts/session.ts';
import { changePassword, changeSeed, proposeSeed, renewCodes } from '../accounts/set-up.ts';
import { endOtherSessions, endSignInSession } from '../accounts/sign-in.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  type PageContent,
} from './define-route.ts';
import { NewPassword, RecoveryCodes, seedPage } from './first-use.tsx';
import { Mentions } from './home.tsx';
import { Card } from './parts/card.tsx';
import { showMoment } from './parts/format.ts';
import { Back, ButtonLink, CopyButton, PostButton } from './parts/forms.tsx';
import { PasskeyList } from './passkeys.tsx';

const own = { needs: 'account.own' } as const;
const confirmed = { ...own, isConfirmed: true } as const;

export const meRoutes = [
  defineConsoleRoute('GET /me', own, async (call, context) => call.show(await mePage(context, call))),
  defineConsoleRoute(
    'POST /me/password',
    { ...confirmed, result: 'Password changed. Your other sign-ins have ended.' },
    async (call, context) => {
      const { c, person, fields, show } = call;
      const answer = await changePassword(context.accounts, person, fields.password ?? '');
      return answer.ok
        ? c.redirect('/console/me', 303)
        : show({ message: answer.message, ...(await mePage(context, call)) });
    },
  ),
  defineConsoleRoute('POST /me/recovery-codes', confirmed, async (call, context) => {
    const answer = await renewCodes(context.accounts, call.person);
    if (!answer.ok) return call.show({ message: answer.message, ...(await mePage(context, call)) });
    const title = 'Your recovery codes';
    return call.show({ title, body: inCard(title, <RecoveryCodes codes={answer.codes} />) });
  }),
  defineConsoleRoute('POST /me/authenticator/new', confirmed, async ({ c, person }, { accounts }) => {
    await proposeSeed(accounts, person);
    return c.redirect('/console/me/authenticator', 303);
  }),
  defineConsoleRoute('GET /me/authenticator', confirmed, async ({ person, show }, context) =>
    show(await authenticatorPage(context, person)),
  ),
  defineConsoleRoute(
    'POST /me/authenticator',
    { ...confirmed, result: 'App changed. Codes of the old one are refused.' },
    async ({ c, person, fields, show }, context) => {
      const answer = await changeSeed(context.accounts, person, fields.code ?? '');
      return answer.ok
        ? c.redirect('/console/me', 303)
        : show({ message: answer.message, ...(await authenticatorPage(context, person)) });
    },
  ),
  defineConsoleRoute('GET /me/tokens', { needs: 'commands.use', isConfirmed: true }, ({ show }) =>
    show(tokenPage),
  ),
  defineConsoleRoute(
    'POST /me/tokens',
    { needs: 'commands.use', isConfirmed: true },
    async (call, { accounts }) => {
      const { person, show } = call;
      const answer = await createCommandToken(accounts, person);
      return show(
        answer.ok ? createdPage(person.name, answer.token) : { message: answer.message, ...tokenPage },
      );
    },
  ),
  defineConsoleRoute(
    'POST /me/sessions/end',
    { ...own, result: 'Your other sign-ins have ended.' },
    async ({ c, person }, { accounts }) => {
      await endOtherSessions(accounts, person);
      return c.redirect('/console/me', 303);
    },
  ),
  defineConsoleRoute(
    'POST /me/sessions/:id/end',
    { ...own, result: 'That sign-in has ended.' },
    async ({ c, id, person }, { accounts }) => {
      await endSignInSession(accounts, person, id);
      return c.redirect('/console/me', 303);
    },
  ),
];

async function mePage(
  { accounts, operations, passkeys }: ConsoleContext,
  { person, reads }: ConsoleCall,
): Promise<PageContent> {
  const now = accounts.clock.now();
  const all = await accounts.accounts.sessions(person.accountId);
  const ownKeys = passkeys ? await passkeys.passkeys.list(person.accountId) : null;
  const others = all.filter((one) => !hasEnded(one, now) && one.id !== person.session.id);
  const left = (await accounts.accounts.recoveryCodes(person.accountId)).length;
  return {
    title: 'My account',
    body: (
      <>
        <Mentions
          mentions={await reads.mentions(person.accountId, now)}
          {...{ now, timeZone: operations.timeZone }}
        />
        <div class="stack halves">
          <Card id="password-title" title="Password">
            <form class="form" method="post" action="/console/me/password">
              <NewPassword name={person.name} />
              <button type="submit">Change the password</button>
            </form>
          </Card>
          <Card id="authenticator" title="Authenticator app">
            <PostButton action="/console/me/authenticator/new" text="Use another app or phone" />
            <h3>Recovery codes</h3>
            <p>{left} codes are left.</p>
            <PostButton action="/console/me/recovery-codes" text="Replace the recovery codes" />
          </Card>
          <PasskeyList passkeys={ownKeys} now={now} />
          {can(person, 'alerts.own') && (
            <Card id="alerts" title="Alerts">
              <p class="small muted">Proposals, notes that mention you and alarms, by e-mail or webhook.</p>
              <p>
                <ButtonLink href="/console/me/alerts">Set the alerts</ButtonLink>
              </p>
            </Card>
          )}
          {can(person, 'commands.use') && (
            <Card id="commands" title="Command line">
              <p class="small muted">A script acts with a token, with your name and your role.</p>
              <p>
                <ButtonLink href="/console/me/tokens">Create a token for the commands</ButtonLink>
              </p>
            </Card>
          )}
          <Card id="sign-ins" title="Sign-in sessions and tokens">
            <ul class="stack tight">
              {all
                .filter((one) => !hasEnded(one, now))
                .map(({ id, createdAt, seenAt, kind }) => (
                  <li>
                    <form class="line between" method="post" action={`/console/me/sessions/${id}/end`}>
                      <span>
                        <b>
                          {kind === 'command' ? 'Token of the command line' : 'Sign-in'}
                          {id === person.session.id && ', this browser'}
                        </b>
                        <br />
                        <small>
                          {kind === 'command' ? 'created' : 'since'} {showMoment(createdAt, now)}, last used{' '}
                          {showMoment(seenAt, now)}
                        </small>
                      </span>
                      <button
                        type="submit"
                        class="quiet"
                        aria-label={`End the ${kind === 'command' ? 'token' : 'sign-in'} of ${showMoment(createdAt, now)}`}
                      >
                        End
                      </button>
                    </form>
                  </li>
                ))}
            </ul>
            {others.length > 0 && <PostButton action="/console/me/sessions/end" text="End all others" />}
          </Card>
        </div>
      </>
    ),
  };
}

async function authenticatorPage(context: ConsoleContext, person: Person): Promise<PageContent> {
  const title = 'Authenticator app';
  const form = { title, action: '/console/me/authenticator', button: 'Use this app' };
  const { body } = await seedPage(context, person, form);
  return { title, body: inCard(title, body) };
}

const inCard = (title: string, body: Child) => (
  <section class="card narrow" aria-label={title}>
    {body}
  </section>
);

const tokenPage: PageContent = {
  title: 'Token for the commands',
  body: (
    <section class="card narrow" aria-label="Token for the commands">
      <p>
        A script acts with a token, with your name and your role, for 30 days. At a terminal, use “dialtill
        staff sign-in” instead.
      </p>
      <div class="line actions">
        <PostButton action="/console/me/tokens" text="Create a token" kind="primary" />
        <a class="button quiet" href="/console/me">
          Go back
        </a>
      </div>
    </section>
  ),
};

function createdPage(name: string, token: string): PageContent {
  return {
    title: 'Your token',
    body: (
      <section class="card narrow" aria-label="Your token">
        <p>
          <code id="token">{`${name}:${token}`}</code> <CopyButton id="token" />
        </p>
        <p>
          It is not shown again. Write it into a file that only you can read, and name the file in
          DIALTILL_STAFF_FILE.
        </p>
        <Back path="/console/me" text="My account" />
      </section>
    ),
  };
}
