import type { EpochMs } from '../../shared/clock.ts';
import { type AlertSettings, proveAlert, removeAlert, setAlert, testAlert } from '../accounts/alerts.ts';
import type { AlertKind, AlertTarget } from '../notify/alert-store.ts';
import { type ConsoleContext, defineConsoleRoute, type FormInput, type PageContent } from './define-route.ts';
import { showMoment } from './parts/format.ts';
import { Back, PostButton, SecretOnce, TextInput } from './parts/forms.tsx';

const needs = 'alerts.own';
const confirmed = { needs, isConfirmed: true } as const;

const kinds: readonly AlertKind[] = ['webhook', 'mail'];
const readKind = ({ kind }: FormInput): AlertKind => kinds.find((one) => one === kind) ?? 'webhook';

/** The topics of alerts, by the names of their fields. */
const topics = {
  proposals: 'proposals that wait for you, and yours that were refused',
  mentions: 'notes that mention you',
  alarms: 'alarms of the gateway',
} as const;

/** The routes with which a person sets where alerts are sent. A new address needs the password, because alerts name what waits. */
export const alertsRoutes = [
  defineConsoleRoute('GET /me/alerts', { needs }, async ({ person, show }, context) =>
    show(await alertsPage(context, person.accountId)),
  ),
  defineConsoleRoute(
    'POST /me/alerts',
    { ...confirmed, result: 'The alerts are set.', keeps: 'Set the alerts' },
    async ({ c, person, fields, show }, context) => {
      const { address = '', ...ticked } = fields;
      const kind = readKind(fields);
      const wish = {
        ...{ kind, address, proposals: ticked.proposals === '1', mentions: ticked.mentions === '1' },
        alarms: ticked.alarms === '1',
      };
      const answer = await setAlert(listDeps(context), person, wish);
      if (!answer.ok)
        return show({ message: answer.message, ...(await alertsPage(context, person.accountId, fields)) });
      return answer.secret === undefined
        ? c.redirect('/console/me/alerts', 303)
        : show(secretPage(answer.secret));
    },
  ),
  ...(
    [
      ['prove', proveAlert, 'The address is yours. Alerts are sent to it from now on.'],
      ['test', (deps, person, { kind }) => testAlert(deps, person, kind), 'A test is on its way.'],
      [
        'remove',
        (deps, person, { kind }) => removeAlert(deps, person, kind),
        'Removed. Nothing is sent there any more.',
      ],
    ] as const satisfies readonly (readonly [string, typeof proveAlert, string])[]
  ).map(([name, act, result]) =>
    defineConsoleRoute(`POST /me/alerts/${name}`, { needs, result }, async (call, context) => {
      const { c, person, fields, show } = call;
      const input = { kind: readKind(fields), code: fields.code ?? '' };
      const answer = await act(listDeps(context), person, input);
      if (answer.ok) return c.redirect('/console/me/alerts', 303);
      return show({ message: answer.message, ...(await alertsPage(context, person.accountId)) });
    }),
  ),
];

const listDeps = ({ accounts, alerts }: ConsoleContext) => ({ ...accounts, alerts });

async function alertsPage(
  { alerts, clock }: ConsoleContext,
  accountId: string,
  typed?: FormInput,
): Promise<PageContent> {
  const targets = await alerts.targets.ofAccount(accountId);
  const shown = kinds.filter((kind) => kind === 'webhook' || alerts.hasMail);
  const body = (
    <div class="stack narrow">
      <p class="muted">
        An alert says what waits, with a link to the console. It has no number, no amount and no name of a
        payer.
      </p>
      {shown.map((kind) => (
        <Target
          {...{ kind, alerts, now: clock.now() }}
          target={targets.find((one) => one.kind === kind)}
          typed={typed && readKind(typed) === kind ? typed : undefined}
        />
      ))}
      {!alerts.hasMail && (
        <p class="small muted">This gateway sends no e-mail: its configuration has no smtp.</p>
      )}
      <Back path="/console/me" text="My account" />
    </div>
  );
  return { title: 'Alerts', body };
}

const titles: Readonly<Record<AlertKind, string>> = { webhook: 'Signed webhook', mail: 'E-mail' };

type TargetProps = {
  kind: AlertKind;
  alerts: AlertSettings;
  target: AlertTarget | undefined;
  now: EpochMs;
  /** The fields of the form before it was refused. */
  typed: FormInput | undefined;
};

function Target({ kind, target, typed, now }: TargetProps) {
  const isTicked = (name: keyof typeof topics) =>
    typed ? typed[name] === '1' : target ? target[name] === 1 : name !== 'alarms';
  return (
    <section class="card" aria-labelledby={kind}>
      <h2 id={kind}>{titles[kind]}</h2>
      {target && <State target={target} now={now} />}
      <form class="form" method="post" action="/console/me/alerts">
        <input type="hidden" name="kind" value={kind} />
        <TextInput
          id={`${kind}-address`}
          name="address"
          label={kind === 'webhook' ? 'Address of your system, with https' : 'E-mail address'}
          value={typed?.address ?? target?.address ?? ''}
          maxlength={320}
          required
        />
        <fieldset class="field">
          <legend>Send me</legend>
          {(Object.keys(topics) as (keyof typeof topics)[]).map((name) => (
            <label class="option">
              <input type="checkbox" name={name} value="1" checked={isTicked(name)} /> {topics[name]}
            </label>
          ))}
        </fieldset>
        <button type="submit">{target ? 'Change the alerts' : 'Send me a code'}</button>
      </form>
    </section>
  );
}

/** The state of an address and of its last message, with their buttons. */
function State({ target, now }: { target: AlertTarget; now: EpochMs }) {
  const { kind, codeDigest, sentAt, problem, nextAt } = target;
  const fields = { kind };
  return (
    <>
      {codeDigest !== null && (
        <form class="form" method="post" action="/console/me/alerts/prove">
          <p>A code was sent to the address. Nothing else is sent there before you enter it.</p>
          <input type="hidden" name="kind" value={kind} />
          <TextInput id={`${kind}-code`} name="code" label="Code" maxlength={40} required />
          <button type="submit">Prove the address</button>
        </form>
      )}
      <p class="small">
        {sentAt === null
          ? 'Nothing has arrived yet.'
          : `The last message arrived ${showMoment(sentAt, now)}.`}
        {problem !== null && ` The last attempt failed: ${problem}.`}
        {nextAt !== null && ' A message is on its way.'}
      </p>
      <div class="line actions">
        {codeDigest === null && (
          <PostButton action="/console/me/alerts/test" text="Send a test" fields={fields} />
        )}
        <PostButton
          action="/console/me/alerts/remove"
          text="Remove the address"
          fields={fields}
          kind="danger"
        />
      </div>
    </>
  );
}

function secretPage(secret: string): PageContent {
  const body = (
    <>
      <SecretOnce secret={secret} what="Signing secret">
        <p>Your system checks each alert with it, as Standard Webhooks describes.</p>
      </SecretOnce>
      <Back path="/console/me/alerts" text="Enter the code that your system got" />
    </>
  );
  return { title: 'The alerts are set', body };
}
