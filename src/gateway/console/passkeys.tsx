import type { Child } from 'hono/jsx';
import type { EpochMs } from '../../shared/clock.ts';
import type { Person } from '../access/permissions.ts';
import type { Passkey } from '../accounts/passkey-store.ts';
import {
  addPasskey,
  creationOptions,
  maxLabelLength,
  type PasskeyDeps,
  removePasskey,
} from '../accounts/passkeys.ts';
import { defineConsoleRoute, type PageContent } from './define-route.ts';
import { Card } from './parts/card.tsx';
import { showMoment } from './parts/format.ts';
import { Back, ButtonLink, FormField } from './parts/forms.tsx';

const noPasskeys =
  'The console has no passkeys here, because its address is an IP address. They need a name, such as https://pay.example.com.';

const confirmed = { needs: 'account.own', isConfirmed: true } as const;

export const passkeysRoutes = [
  defineConsoleRoute('GET /me/passkeys', confirmed, async ({ person, show }, { passkeys }) =>
    show(await addPage(passkeys, person)),
  ),
  defineConsoleRoute(
    'POST /me/passkeys',
    { ...confirmed, result: 'Passkey added. It signs you in from now on.' },
    async ({ c, person, fields, show }, { passkeys }) => {
      const { label = '', credential = '' } = fields;
      if (!passkeys) return show(await addPage(passkeys, person));
      const answer = await addPasskey(passkeys, person, { label, credential });
      return answer.ok
        ? c.redirect('/console/me', 303)
        : show({ message: answer.message, ...(await addPage(passkeys, person, label)) });
    },
  ),
  defineConsoleRoute(
    'POST /me/passkeys/:id/remove',
    { ...confirmed, result: 'Passkey removed. Your other sign-ins have ended.' },
    async ({ c, id, person }, { passkeys }) => {
      if (passkeys) await removePasskey(passkeys, person, id);
      return c.redirect('/console/me', 303);
    },
  ),
];

async function addPage(deps: PasskeyDeps | undefined, person: Person, label?: string): Promise<PageContent> {
  const title = 'Add a passkey';
  if (!deps) return { title, status: 404, body: <p>{noPasskeys}</p> };
  return {
    title,
    body: (
      <section class="card narrow" aria-label={title}>
        <p>
          A passkey signs you in with the fingerprint, the face or the PIN of a phone, a computer or a
          security key, instead of the password and a code.
        </p>
        <PasskeyForm
          action="/console/me/passkeys"
          options={await creationOptions(deps, person)}
          button="Create the passkey"
          otherwise="No passkey was created. Perhaps this device has one for your account already."
        >
          <FormField
            name="label"
            label="Name of the device"
            autocomplete="off"
            maxlength={maxLabelLength}
            value={label}
            hint="For example: phone, or blue security key."
          />
        </PasskeyForm>
        <p class="without-passkeys">This browser has no passkeys, or JavaScript is off.</p>
        <Back path="/console/me" text="My account" />
      </section>
    ),
  };
}

/** The passkeys of a person; `null` where there are none. */
export function PasskeyList({ passkeys, now }: { passkeys: readonly Passkey[] | null; now: EpochMs }) {
  return (
    <Card id="passkeys" title="Passkeys">
      {passkeys === null ? <p class="muted">{noPasskeys}</p> : <Passkeys passkeys={passkeys} now={now} />}
    </Card>
  );
}

function Passkeys({ passkeys, now }: { passkeys: readonly Passkey[]; now: EpochMs }) {
  return (
    <>
      {passkeys.length === 0 && <p>You have none. You sign in with the password and a code.</p>}
      <ul class="stack tight">
        {passkeys.map(({ id, label, createdAt, lastUsedAt }) => (
          <li>
            <form class="line between" method="post" action={`/console/me/passkeys/${id}/remove`}>
              <span>
                <b>{label}</b>{' '}
                <small>
                  added {showMoment(createdAt, now)},{' '}
                  {lastUsedAt === null ? 'not used yet' : `last used ${showMoment(lastUsedAt, now)}`}
                </small>
              </span>
              <button type="submit" class="quiet" aria-label={`Remove ${label}`}>
                Remove
              </button>
            </form>
          </li>
        ))}
      </ul>
      <p>
        <ButtonLink href="/console/me/passkeys">Add a passkey</ButtonLink>
      </p>
    </>
  );
}

type PasskeyFormProps = {
  action: string;
  /** The options with which the browser creates or uses a passkey (WebAuthn, as JSON). */
  options: object;
  button: string;
  /** The instruction for a person whose browser has used no passkey. */
  otherwise: string;
  /** More fields. */
  children?: Child;
};

/** A form that the script shows, and completes with the answer of a passkey: without JavaScript there are none. */
export function PasskeyForm({ action, options, button, otherwise, children }: PasskeyFormProps) {
  return (
    <form class="form" method="post" action={action} data-passkey={JSON.stringify(options)} hidden>
      {children}
      <input type="hidden" name="credential" />
      <button type="submit">{button}</button>
      <p role="alert" hidden>
        {otherwise}
      </p>
    </form>
  );
}
