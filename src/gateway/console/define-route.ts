import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { RequestIdVariables } from 'hono/request-id';
import type { RouteName } from '../../kit/define-route.ts';
import type { Clock } from '../../shared/clock.ts';
import type { InFlightLimit } from '../../shared/limits/in-flight-limit.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import type { Assets } from '../../shared/pages/assets.ts';
import type { IconName } from '../../shared/pages/icons.tsx';
import type { Permission, Person } from '../access/permissions.ts';
import type { AlertSettings } from '../accounts/alerts.ts';
import type { OpenAccount } from '../accounts/open-account.ts';
import type { PasskeyDeps } from '../accounts/passkeys.ts';
import type { SavedViewStore } from '../accounts/saved-view-store.ts';
import type { AccountDeps } from '../accounts/session.ts';
import type { Readiness } from '../metrics/readiness.ts';
import type { StaffAnswer, StaffCall, StaffDeps, StaffFailureCode } from '../staff/operation.ts';
import type { CountedWork } from './home-query.ts';
import type { ConsoleReader, ConsoleReads } from './reads.ts';

/** The condition of the running gateway and of the calls of its merchants. */
export type GatewayCondition = {
  readiness: Readiness;
  /** Merchants whose calls the service does not answer. */
  unavailable: readonly string[];
  /** Merchants whose key the service rejects. */
  keysRejected: readonly string[];
};

/** The dependencies of pages. A page takes the parts that it needs. */
export type ConsoleContext = {
  reader: ConsoleReader;
  operations: StaffDeps;
  accounts: AccountDeps;
  /** Absent when the address of the console is an IP address. */
  passkeys: PasskeyDeps | undefined;
  views: SavedViewStore;
  /** Where people get alerts. */
  alerts: AlertSettings;
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  log: Log;
  assets: Assets;
  publicUrl: URL;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
  /** Accounts of the demo, which need no password. */
  openAccounts: readonly OpenAccount[];
  /** Wrong sign-ins: any stranger can send them. */
  wrongSignIns: LogSummary;
  condition(): Promise<GatewayCondition>;
  /** Limits the files that an account downloads at the same time. */
  exports: InFlightLimit;
  /** Limits the streams of changes that an account has open at the same time. */
  streams: InFlightLimit;
  /** Aborts when the server stops. */
  closing: AbortSignal;
};

export type ConsoleEnv = {
  Bindings: Partial<HttpBindings>;
  Variables: RequestIdVariables;
};

/** The fields of a form; the last value of a field that occurs several times. */
export type FormInput = Readonly<Record<string, string>>;

/** A search that a page answers. */
export type SearchText = { text: string; isRefused: boolean };

/** The content of a page, inside the frame that all pages share. */
export type PageContent = {
  title: string;
  /** The heading, when it is more than the title. */
  heading?: Child;
  /** True when the body has the heading. */
  hasOwnHeading?: true;
  /** A fault or a result, above the content. The default status of a page with a message is 422. */
  message?: string | undefined;
  /** The text of the search box; empty without one. */
  search?: SearchText;
  body?: Child;
  status?: 200 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503;
};

/** The groups of the menu, in their order. */
export const menuGroups = ['Work', 'Money', 'Insight', 'Systems'] as const;

/** A page's link in the menu of every page. */
export type MenuEntry = {
  group: (typeof menuGroups)[number];
  link: string;
  icon: IconName;
  /** The work behind the link, which the menu counts for people with the permission `by`. */
  counts?: { work: CountedWork; by: Permission };
};

/**
 * Who may use a route.
 *
 * - `everyone`: also a browser that is not signed in.
 * - `setup`: a person in the first use of an account.
 * - `needs`: people with this permission; `account.own` is everybody who is signed in. With `isConfirmed`, they must have entered
 *   the password and a code within five minutes, as for approvals. With `menu`, they get to it from every page. `result` is the
 *   sentence that the next page shows when a form has succeeded: a verb, and one consequence. `keeps` is the text of the form's
 *   button: sent after the session has ended, or before the password, the form comes back after it for the same person.
 */
export type Audience =
  | 'everyone'
  | 'setup'
  | { needs: Permission; isConfirmed?: true; menu?: MenuEntry; result?: string; keeps?: string };

export type ConsoleCall<Who = Person> = {
  c: Context<ConsoleEnv>;
  /** The person who is signed in, with the right to use the route. */
  person: Who;
  /** The database reads of the page, limited to a fair share for each person. */
  reads: ConsoleReads;
  /** The parameter of the path; empty without one. */
  id: string;
  query: FormInput;
  /** The fields of a POST; empty for a GET. */
  fields: FormInput;
  show(content: PageContent): Response | Promise<Response>;
};

type Handler<Who> = (call: ConsoleCall<Who>, context: ConsoleContext) => Response | Promise<Response>;

export type ConsoleRoute = {
  name: RouteName;
  audience: Audience;
  handler: Handler<Person>;
  /** The bound of a form with a file, in bytes. */
  uploadBytes?: number | undefined;
};

/** Declares a route. The handler runs only for its audience. For `everyone`, the person can be absent. */
export function defineConsoleRoute(
  name: RouteName,
  audience: 'everyone',
  handler: Handler<Person | undefined>,
): ConsoleRoute;
export function defineConsoleRoute(
  name: RouteName,
  audience: Exclude<Audience, 'everyone'>,
  handler: Handler<Person>,
): ConsoleRoute;
export function defineConsoleRoute(
  name: RouteName,
  audience: Audience,
  handler: Handler<Person>,
): ConsoleRoute {
  return { name, audience, handler };
}

/** The audience of a form, its operation, and the pages after it. */
type Form<Value> = Exclude<Audience, string> & {
  /** The bound of a form with a file, in bytes. */
  uploadBytes?: number;
  operate(deps: StaffDeps, call: StaffCall): Promise<StaffAnswer<Value>>;
  /** Returns the input of the operation; nothing when absent. */
  read?(fields: FormInput, call: ConsoleCall, context: ConsoleContext): object;
  /** Returns the address, or the page, after the operation. */
  done(value: Value, call: ConsoleCall, context: ConsoleContext): string | PageContent;
  /** The status of the page after a refusal; by default, that of the refusal's code. */
  status?: PageContent['status'];
  /** Returns the page below the message of the refusal. */
  refused(
    refusal: { code: StaffFailureCode; message: string },
    call: ConsoleCall,
    context: ConsoleContext,
  ): PageContent | Promise<PageContent>;
};

/** Declares the route of a form that runs an operation about the thing in the path. */
export function defineForm<Value>(
  name: RouteName,
  { operate, read, done, status, refused, uploadBytes, ...audience }: Form<Value>,
): ConsoleRoute {
  const route = defineConsoleRoute(name, audience, async (call, context) => {
    const { c, id, person: actor, fields, show } = call;
    const answer = await operate(context.operations, { actor, id, input: read?.(fields, call, context) });
    if (!answer.ok)
      return show({
        message: answer.message,
        ...(await refused(answer, call, context)),
        status: status ?? getStatus(answer),
      });
    const next = done(answer.value, call, context);
    return typeof next === 'string' ? c.redirect(next, 303) : show(next);
  });
  return { ...route, uploadBytes };
}

/** Returns a name of a form for the browser, from which the next page finds its result. */
export function getResultCode({ name }: Pick<ConsoleRoute, 'name'>): string {
  return name.replaceAll(/\W+/g, '_');
}

/** The name of what a form did that was sent before the password, and is not kept. */
export const unsentCode = 'unsent';

/** Returns the sentence about what a form did; undefined when the code is of no form. */
export function findResult(routes: readonly ConsoleRoute[], code: string): string | undefined {
  if (code === unsentCode)
    return 'Nothing was changed yet: your password was asked for first. Send it again.';
  const route = routes.find((one) => getResultCode(one) === code);
  return route && typeof route.audience !== 'string' ? route.audience.result : undefined;
}

/** Returns the address of a route whose path has no parameter. */
export function getAddress(name: RouteName): string {
  const [, path = '/'] = name.split(' ');
  return path === '/' ? '/console' : `/console${path}`;
}

/** Returns the status of the page about a refused operation. */
export function getStatus({ code }: { code: StaffFailureCode }): NonNullable<PageContent['status']> {
  switch (code) {
    case 'not_found':
      return 404;
    case 'too_early':
    case 'too_many_actions':
      return 429;
    case 'forbidden':
    case 'confirmation_required':
    case 'access_ended':
      return 403;
    case 'conflict':
      return 409;
    default:
      return 422;
  }
}
