import type { Child } from 'hono/jsx';
import { encode } from 'uqr';
import { grantAccess } from '../../shared/http/access.ts';
import { plural } from '../../shared/plural.ts';
import type { Person } from '../access/permissions.ts';
import { readAccountName } from '../accounts/check-person.ts';
import { base32, enrolmentUrl } from '../accounts/code.ts';
import { passwordLength } from '../accounts/password.ts';
import { completeSetUp, proposedSeed, startSetUp } from '../accounts/set-up.ts';
import { callerAddress, getNetwork, removeToken, setToken } from './browser.ts';
import { type ConsoleContext, defineConsoleRoute, type PageContent } from './define-route.ts';
import { FormField, Submit } from './parts/forms.tsx';

export const firstUseRoutes = [
  defineConsoleRoute('GET /first-use', 'everyone', ({ show }) => show(firstUsePage())),
  defineConsoleRoute('POST /first-use', 'everyone', async ({ c, fields, show }, context) => {
    const { code = '' } = fields;
    const name = readAccountName(fields.name);
    const answer = await startSetUp(context.accounts, { name, code, network: getNetwork(c, context) });
    if (!answer.ok) {
      context.wrongSignIns.record('wrong_code', { caller: callerAddress(c, context) });
      return show(firstUsePage(answer, name));
    }
    grantAccess(c.env);
    setToken(c, context.publicUrl, answer.token);
    return c.redirect('/console/set-up', 303);
  }),
  defineConsoleRoute('GET /set-up', 'setup', async ({ person, show }, context) =>
    show(await setUpPage(context, person)),
  ),
  defineConsoleRoute('POST /set-up', 'setup', async ({ c, person, fields, show }, context) => {
    const { password = '', code = '' } = fields;
    const answer = await completeSetUp(context.accounts, person, { password, code });
    if (!answer.ok) return show({ message: answer.message, ...(await setUpPage(context, person)) });
    removeToken(c, context.publicUrl);
    return show({ title: 'Your recovery codes', body: <RecoveryCodes codes={answer.codes} /> });
  }),
];

const setUpPage = (context: ConsoleContext, person: Person) =>
  seedPage(context, person, {
    ...{ title: 'First use of your account', action: '/console/set-up', button: 'Complete' },
    children: <NewPassword name={person.name} />,
  });

type SeedForm = { title: string; action: string; button: string; children?: Child };

/** Returns the page with the proposed seed of one-time passwords, and the form that accepts it. */
export async function seedPage(
  { accounts, publicUrl }: ConsoleContext,
  person: Person,
  { title, action, button, children }: SeedForm,
): Promise<PageContent> {
  const seed = await proposedSeed(accounts, person.accountId);
  const body = (
    <form class="form" method="post" action={action}>
      {seed && <Authenticator seed={seed} name={person.name} host={publicUrl.host} />}
      {children}
      <Submit>{button}</Submit>
    </form>
  );
  return { title, body };
}

function firstUsePage(refusal?: { waitSeconds: number | undefined }, name?: string): PageContent {
  const wait = refusal?.waitSeconds;
  const text =
    wait === undefined
      ? 'The name or the code is wrong, or the code has ended. Ask an admin for a new one.'
      : `There were wrong attempts. Try again after ${plural(wait, 'second')}.`;
  return {
    title: 'First use of an account',
    message: refusal && text,
    ...(wait !== undefined && { status: 429 as const }),
    body: (
      <>
        <form class="form" method="post" action="/console/first-use">
          <FormField name="name" label="Name" autocomplete="username" maxlength={32} value={name} />
          <FormField
            name="code"
            label="Code of the first use"
            autocomplete="off"
            maxlength={24}
            hint="It is valid for one hour, for example A2B3-C4D5-E6F7-G2H3."
          />
          <Submit>Continue</Submit>
        </form>
      </>
    ),
  };
}

/** The seed for an authenticator app, and the field for a code of it. */
function Authenticator({ seed, name, host }: { seed: Buffer; name: string; host: string }) {
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
      <FormField
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
      <FormField
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

/** Recovery codes, which are shown once. */
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
        <a class="button primary" href="/console">
          Continue
        </a>
      </p>
    </>
  );
}

/** Modules of the light border that a reader needs around the code (ISO/IEC 18004). */
const border = 4;

/** A text as a QR code. It is dark on light in dark mode as well, because some readers reject the inverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={240}
      height={240}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(pathOfRow).join('')} fill="#000" />
    </svg>
  );
}

/** Returns a path with one rectangle for each run of dark modules. */
function pathOfRow(row: readonly boolean[], y: number): string {
  const text = row.map((isDark) => (isDark ? '1' : '0')).join('');
  return [...text.matchAll(/1+/g)]
    .map(({ 0: { length }, index }) => `M${index} ${y}h${length}v1h-${length}z`)
    .join('');
}
