import { type AccountView, type AccountWithCode, accountRoles } from '../../contract/staff/account.ts';
import type { RouteName } from '../../kit/define-route.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { plural } from '../../shared/plural.ts';
import type { Operation } from '../staff/operation.ts';
import {
  addAccount,
  changeRole,
  disableAccount,
  enableAccount,
  listAccounts,
  resetAccount,
} from '../staff/operations/accounts.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  type ConsoleRoute,
  defineConsoleRoute,
  defineForm,
  type FormInput,
  type PageContent,
} from './define-route.ts';
import { Card, Chip, notFoundPage } from './parts/card.tsx';
import { AskButton, confirmationPage } from './parts/confirmation.tsx';
import { showIsoMoment } from './parts/format.ts';
import { Back, FormField, PostButton, Select, Submit, TextInput } from './parts/forms.tsx';
import { List, pageRows } from './parts/list.tsx';

const confirmed = { needs: 'accounts.manage', isConfirmed: true } as const;

/** Declares the route that runs an operation of `/staff/v1/accounts`, and shows a code, if the answer has one. */
const accountForm = (
  name: RouteName,
  operate: Operation,
  read?: (fields: FormInput) => object,
  texts: { result?: string; keeps?: string } = {},
): ConsoleRoute =>
  defineForm(name, {
    ...{ ...confirmed, ...texts },
    ...{ operate, ...(read && { read }) },
    status: 422,
    done: (value, _, { clock }) => (hasCode(value) ? codePage(value, clock.now()) : '/console/staff'),
    refused: (_, call, context) => staffPage(context, call, name === 'POST /staff' ? call.fields : {}),
  });

export const staffRoutes = [
  defineConsoleRoute(
    'GET /staff',
    { needs: 'accounts.manage', menu: { group: 'Systems', link: 'Staff', icon: 'people' } },
    async (call, context) => call.show(await staffPage(context, call)),
  ),
  ...(['disable', 'reset'] as const).map((action) =>
    defineConsoleRoute(`GET /staff/:id/${action}`, { needs: 'accounts.manage' }, async (call, context) =>
      call.show(await askPage(context, call, action)),
    ),
  ),
  accountForm('POST /staff', addAccount, ({ name = '', ...rest }) => ({ name, ...readRole(rest) }), {
    keeps: 'Add the person',
  }),
  accountForm('POST /staff/:id/reset', resetAccount),
  accountForm('POST /staff/:id/disable', disableAccount, undefined, {
    result: 'Disabled. The person can do nothing more.',
  }),
  accountForm('POST /staff/:id/enable', enableAccount, undefined, {
    result: 'Enabled. The person can sign in again.',
  }),
  accountForm('POST /staff/:id/role', changeRole, readRole, {
    ...{ result: 'The role is changed, from the next request on.', keeps: 'Change the role' },
  }),
];

async function staffPage(
  { operations, clock }: ConsoleContext,
  { person: actor, query: { after = '' } }: ConsoleCall,
  typed: FormInput = {},
): Promise<PageContent> {
  const listed = await listAccounts(operations, { actor });
  return {
    title: 'Staff',
    body: (
      <>
        <People people={listed.ok ? listed.value.data : []} after={after} now={clock.now()} />
        <Card id="add" title="Add a person">
          <form class="form" method="post" action="/console/staff">
            <FormField
              name="name"
              label="Name"
              autocomplete="off"
              maxlength={32}
              hint="Small letters, digits and -."
              value={typed.name}
            />
            <RoleFields id="new" present={{ role: typed.role, merchantId: typed.merchant ?? null }} />
            <Submit>Add the person</Submit>
          </form>
        </Card>
      </>
    ),
  };
}

/** The field of the merchant is hidden for the other roles, so that what stands in it does not count. */
function readRole({ role = '', merchant = '' }: FormInput): object {
  const hasMerchant = role === 'merchant' && merchant.trim() !== '';
  return { role, merchantId: hasMerchant ? merchant.trim() : null };
}

function hasCode(value: unknown): value is AccountWithCode {
  return typeof value === 'object' && value !== null && 'code' in value;
}

function codePage({ account, code, codeUntil }: AccountWithCode, now: EpochMs): PageContent {
  return {
    title: `Code of ${account.name}`,
    body: (
      <section class="card narrow" aria-label="Code">
        <p>
          Give this code to {account.name}: <code>{code}</code>
        </p>
        <p>
          It is not shown again, and is valid until {showIsoMoment(codeUntil, now)} on the page “First use of
          an account”.
        </p>
        <Back path="/console/staff" text="Staff" />
      </section>
    ),
  };
}

const stateTones = { active: 'good', invited: 'open', disabled: 'idle' } as const;

type PeopleProps = {
  /** Everyone, by name. */
  people: readonly AccountView[];
  /** The name before the first one of the page. */
  after: string;
  now: EpochMs;
};

function People({ people, after, now }: PeopleProps) {
  const rest = people.filter(({ name }) => name > after);
  const rows = rest.slice(0, pageRows);
  return (
    <List
      path="/console/staff"
      label="Accounts"
      columns={[
        ['Name', ({ name }) => name],
        ['State', (one) => <Chip tone={stateTones[one.state]}>{getState(one, now)}</Chip>, 'plain'],
        [
          'Role',
          (one) => (
            <form class="line filter-line" method="post" action={`/console/staff/${one.name}/role`}>
              <RoleFields id={one.name} present={one} />
              <button type="submit">Change the role</button>
            </form>
          ),
          'links',
        ],
        [
          'Actions',
          ({ name, state }) => (
            <>
              {state === 'disabled' ? (
                <PostButton action={`/console/staff/${name}/enable`} text="Enable" label={`Enable ${name}`} />
              ) : (
                <>
                  <AskButton
                    path={`/console/staff/${name}/disable`}
                    text="Disable"
                    label={`Disable ${name}`}
                  />
                  <AskButton path={`/console/staff/${name}/reset`} text="Reset" label={`Reset ${name}`} />
                </>
              )}
            </>
          ),
          'links',
        ],
      ]}
      hasRowHeads
      rows={rows}
      empty={<p>There are no accounts.</p>}
      count={`${rows.length} of ${plural(people.length, 'account')}, by name`}
      next={rest.length > pageRows ? rows.at(-1)?.name : null}
    />
  );
}

/** The state of an account in words, with what to do when a person did not use the code in time. */
function getState({ state, codeUntil, decidesFrom }: AccountView, now: EpochMs): string {
  if (state === 'active' && decidesFrom !== null)
    return `active, decides about money from ${showIsoMoment(decidesFrom, now)}`;
  if (state !== 'invited') return state;
  return codeUntil === null
    ? 'invited, the code has ended: reset it'
    : `invited, until ${showIsoMoment(codeUntil, now)}`;
}

const questions = {
  disable: [
    'Disable',
    'No sign-in and no token of this person works from then on. What the person has done stays.',
  ],
  reset: [
    'Reset',
    'The password, the authenticator app, the passkeys and all sign-ins end. The person starts again with a new code.',
  ],
} as const;

/** Asks before an account is disabled or reset. */
async function askPage(
  { operations, clock }: ConsoleContext,
  { id: name, person: actor }: ConsoleCall,
  action: keyof typeof questions,
): Promise<PageContent> {
  const listed = await listAccounts(operations, { actor });
  const account = listed.ok ? listed.value.data.find((one) => one.name === name) : undefined;
  if (!account) return notFoundPage('No such account', <a href="/console/staff">All accounts</a>);
  const [verb, consequence] = questions[action];
  const facts = (
    <>
      <p>
        {account.name} is {account.role}, and {getState(account, clock.now())}.
      </p>
      <p>{consequence}</p>
    </>
  );
  return confirmationPage({
    ...{ title: `${verb} ${name}?`, facts, button: `${verb} ${name}`, back: '/console/staff' },
    action: `/console/staff/${name}/${action}`,
  });
}

type RoleFieldsProps = { id: string; present: { role: string | undefined; merchantId: string | null } };

function RoleFields({ id, present }: RoleFieldsProps) {
  return (
    <div class="line filter-line">
      <Select
        id={`role-${id}`}
        name="role"
        label="Role"
        choices={accountRoles.map((role) => [role, role] as const)}
        value={present.role}
      />
      <div class="of-merchant">
        <TextInput
          id={`merchant-${id}`}
          name="merchant"
          label="Merchant"
          maxlength={64}
          value={present.merchantId ?? ''}
        />
      </div>
    </div>
  );
}
