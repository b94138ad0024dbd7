import { grantAccess } from '../../../shared/http/access.ts';
import type { Person } from '../../access/actor.ts';
import { base32 } from '../../accounts/base32.ts';
import { passwordLength } from '../../accounts/password.ts';
import { completeSetUp, proposedSeed, startSetUp } from '../../accounts/set-up.ts';
import { enrolmentUrl } from '../../accounts/totp.ts';
import { removeToken, setToken } from '../cookie.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { Field, Message } from '../page.tsx';
import { type AccessPagesDeps, addressOf, networkOf } from './deps.ts';
import { QrCode } from './qr-code.tsx';

/** Returns the routes for the first use of an account. */
export function setUpRoutes(deps: AccessPagesDeps): ConsoleRoute[] {
  const { accounts, publicUrl, wrongSignIns } = deps;

  async function setUpPage(person: Person, message?: string): Promise<PageContent> {
    const seed = await proposedSeed(accounts, person.accountId);
    return {
      title: 'First use of your account',
      ...(message !== undefined && { status: 422 as const }),
      body: (
        <>
          <Message text={message} />
          <form method="post" action="/console/set-up">
            {seed && <Authenticator seed={seed} name={person.name} host={publicUrl.host} />}
            <NewPassword name={person.name} />
            <button type="submit">Complete</button>
          </form>
        </>
      ),
    };
  }

  return [
    defineRoute('GET /first-use', ({ show }) => show(firstUsePage())),
    defineRoute('POST /first-use', async ({ c, fields, show }) => {
      const { name = '', code = '' } = fields;
      const answer = await startSetUp(accounts, { name, code, network: networkOf(c, deps) });
      if (!answer.ok) {
        wrongSignIns.record('wrong_code', { caller: addressOf(c, deps) });
        return show(firstUsePage(answer));
      }
      grantAccess(c.env);
      setToken(c, publicUrl, answer.token);
      return c.redirect('/console/set-up', 303);
    }),
    defineRoute('GET /set-up', async ({ person, show }) => show(await setUpPage(person))),
    defineRoute('POST /set-up', async ({ c, person, fields, show }) => {
      const { password = '', code = '' } = fields;
      const answer = await completeSetUp(accounts, person, { password, code });
      if (!answer.ok) return show(await setUpPage(person, answer.message));
      removeToken(c, publicUrl);
      return show({ title: 'Your recovery codes', body: <RecoveryCodes codes={answer.codes} /> });
    }),
  ];
}

function firstUsePage(refusal?: { waitSeconds: number | undefined }): PageContent {
  const wait = refusal?.waitSeconds;
  const text =
    wait === undefined
      ? 'The name or the code is wrong, or the code has ended. Ask an admin for a new one.'
      : `There were wrong attempts. Try again after ${wait} seconds.`;
  return {
    title: 'First use of an account',
    ...(refusal && { status: wait === undefined ? (422 as const) : (429 as const) }),
    body: (
      <>
        <Message text={refusal && text} />
        <form method="post" action="/console/first-use">
          <Field name="name" label="Name" autocomplete="username" maxlength={32} />
          <Field
            name="code"
            label="Code of the first use"
            autocomplete="off"
            maxlength={24}
            hint="It is valid for one hour, for example A2B3-C4D5-E6F7-G2H3."
          />
          <button type="submit">Continue</button>
        </form>
      </>
    ),
  };
}

/** The seed for an authenticator app, and the field for a code of it. */
export function Authenticator({ seed, name, host }: { seed: Buffer; name: string; host: string }) {
  const groups = base32(seed).match(/.{1,4}/g) ?? [];
  const url = enrolmentUrl(seed, name, host);
  return (
    <>
      <p>Scan this code with an authenticator app:</p>
      <QrCode text={url} label="QR code for an authenticator app. The key follows as text." />
      <p>
        Or enter this key: <code>{groups.join(' ')}</code>
      </p>
      <p>
        On the phone with the app, <a href={url}>open the app with the key</a>.
      </p>
      <Field
        name="code"
        label="Code of the app"
        autocomplete="one-time-code"
        inputmode="numeric"
        maxlength={7}
        hint="The six digits that the app shows now."
      />
    </>
  );
}

/** The field for a new password. The name is for password managers. */
export function NewPassword({ name }: { name: string }) {
  return (
    <>
      <input type="text" name="name" value={name} autocomplete="username" hidden readonly />
      <Field
        name="password"
        label="New password"
        type="password"
        autocomplete="new-password"
        maxlength={512}
        hint={`${passwordLength.min} to ${passwordLength.max} characters, such as four words.`}
      />
    </>
  );
}

export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <p>
        Each code replaces the code of the app once, for example when the phone is lost. Print them or keep
        them in a password manager. They are not shown again.
      </p>
      <ol>
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <p>
        <a href="/console">Continue</a>
      </p>
    </>
  );
}
