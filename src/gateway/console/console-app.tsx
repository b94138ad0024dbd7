import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type RouteDefinition, type Surface, serveRoute, splitName } from '../../kit/define-route.ts';
import { grantAccess, limitPublic } from '../../shared/http/access.ts';
import { wholeBody } from '../../shared/http/body.ts';
import { createRateLimit } from '../../shared/limits/per-key.ts';
import { compressPages, pagePolicy } from '../../shared/pages/document.tsx';
import { ActionRefused } from '../access/action-store.ts';
import { can, type Person } from '../access/permissions.ts';
import { recordAccountAction } from '../accounts/account-action.ts';
import { findPerson, isConfirmed } from '../accounts/session.ts';
import { ReadFault, readFaultText } from '../reading/reads.ts';
import {
  completeAddresses,
  confirmAddress,
  findToken,
  getPath,
  isSameOrigin,
  pageAfterConfirm,
  setDone,
  signInAddress,
  takeDone,
} from './browser.ts';
import { askFirst } from './confirm.tsx';
import {
  type Audience,
  type ConsoleCall,
  type ConsoleContext,
  type ConsoleEnv,
  type ConsoleRoute,
  type FormInput,
  findResult,
  getResultCode,
  getStatus,
  type PageContent,
} from './define-route.ts';
import { assetPaths, Frame, listCounted } from './frame.tsx';
import type { MenuCounts } from './home-query.ts';
import { keepForm } from './kept-form.tsx';
import { consoleRoutes } from './pages.ts';
import { Done, Message } from './parts/forms.tsx';
import { signInPage } from './sign-in.tsx';

const maxBodyBytes = 16 * 1024;

/** The characters of one parameter of an address. */
const maxQueryLength = 512;

/** Requests of one person. */
const requestRate = { burst: 120, perMinute: 240 };

/** Creates the console, for the path `/console`. The first route that matches a request answers it. */
export function createConsoleApp(context: ConsoleContext): Hono<ConsoleEnv> {
  const { accounts, publicUrl, log, reader } = context;
  const assets = assetPaths(context.assets);
  const hasPage = (path: string) => consoleRoutes.some(({ name }) => name === `GET ${path}`);
  const limit = createRateLimit(requestRate, accounts.clock);
  const app = new Hono<ConsoleEnv>();
  const loadPerson = (c: Context) => findPerson(accounts, findToken(c, publicUrl), !isAutomatic(c));

  /** Returns what waits for a person; nothing where reads are given up, or for the script of an open page, which keeps its menu. */
  async function countWork(c: Context, person: Person | undefined, status: number): Promise<MenuCounts> {
    const kinds = person ? listCounted(person, consoleRoutes) : [];
    if (!person || kinds.length === 0 || isAutomatic(c) || status === 429 || status === 503) return {};
    const request = { kinds, name: person.name, livemode: accounts.livemode, now: accounts.clock.now() };
    try {
      return await reader.by(person).menuCounts(request);
    } catch (fault) {
      if (fault instanceof ReadFault) return {};
      throw fault;
    }
  }

  async function show(c: Context, person: Person | undefined, { body, message, ...content }: PageContent) {
    const { status = message === undefined ? 200 : 422, ...shown } = content;
    const code = status === 200 && c.req.method === 'GET' && !isAutomatic(c) && takeDone(c, publicUrl);
    const frame = {
      ...shown,
      person,
      path: getPath(c),
      routes: consoleRoutes,
      assets,
      livemode: accounts.livemode,
      counts: await countWork(c, person, status),
    };
    return c.html(
      <Frame {...frame}>
        <Done text={code ? findResult(consoleRoutes, code) : undefined} />
        <Message text={message} />
        {body}
      </Frame>,
      status,
    );
  }

  app.use(compressPages(), completeAddresses(publicUrl), async (c, next) => {
    c.header('content-security-policy', pagePolicy);
    // Otherwise browsers send the origin `null` with a form.
    c.header('referrer-policy', 'same-origin');
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    if (isSameOrigin(c, publicUrl)) return next();
    const message = 'Use the form on the page: the request came from another site.';
    return show(c, undefined, { title: 'Not allowed', message, status: 403 });
  });
  const limitBody = (maxSize: number) =>
    bodyLimit({
      maxSize,
      onError: (c) =>
        show(c, undefined, {
          title: 'Too large',
          message: `A form has at most ${maxSize} bytes.`,
          status: 413,
        }),
    });
  const limitForm = limitBody(maxBodyBytes);
  const uploads = consoleRoutes.flatMap(({ name, uploadBytes }) =>
    uploadBytes === undefined ? [] : [{ path: toPattern(name), limit: limitBody(uploadBytes) }],
  );
  app.use(async (c, next) => {
    const upload = uploads.find(({ path }) => path.test(getPath(c)));
    // A stranger holds no file: its sender is known before it arrives.
    return (upload && (await loadPerson(c)) ? upload.limit : limitForm)(c, next);
  }, wholeBody);

  const surface: Surface<ConsoleEnv, Person | undefined, Audience> = {
    findCaller: loadPerson,
    refuse: async (c, person, route) => (person ? undefined : limitPublic(c.env)) ?? reject(c, person, route),
    answerInvalid: (c, message, person) => show(c, person, { title: 'Not a form', message, status: 415 }),
  };
  for (const route of consoleRoutes) {
    const { name, audience: needs } = route;
    const isForm = name.startsWith('POST');
    const body = route.uploadBytes === undefined ? 'form' : 'upload';
    serveRoute(app, surface, { name, needs, body: isForm ? body : undefined }, async (c, person, input) => {
      const long = Object.entries(input.query as FormInput).find(([, text]) => text.length > maxQueryLength);
      if (long)
        return show(c, person, {
          title: 'Too long',
          message: `“${long[0]}” in the address has more than ${maxQueryLength} characters.`,
        });
      // Wrong sign-ins count towards the budget of unauthenticated requests: their handlers grant access.
      if (person || !isForm) grantAccess(c.env);
      const response = await answer(route, {
        // The check of the audience comes before every handler. Those for everyone know that there may be no person.
        ...{ c, person: person as Person },
        ...{ id: input.id, query: input.query as FormInput, fields: (input.body ?? {}) as FormInput },
        get reads() {
          return reader.by(person as Person);
        },
        show: (content) => show(c, person, content),
      });
      const { status } = response;
      log.info({ request: c.get('requestId'), actor: person?.name, route: name, status }, 'console');
      return response;
    });
  }

  /** Runs the handler. A read that was given up is a page with the reason. */
  async function answer(route: ConsoleRoute, call: ConsoleCall) {
    const { c, person } = call;
    try {
      const response = await route.handler(call, context);
      const hasResult = typeof route.audience !== 'string' && route.audience.result !== undefined;
      if (hasResult && response.status === 303) setDone(response, publicUrl, getResultCode(route));
      return response;
    } catch (fault) {
      if (fault instanceof ActionRefused)
        return show(c, person, {
          title: 'Nothing was changed',
          message: fault.message,
          status: getStatus(fault),
        });
      if (!(fault instanceof ReadFault)) throw fault;
      log.warn(
        { request: c.get('requestId'), route: route.name, fault: fault.message },
        'a read was given up',
      );
      c.header('retry-after', '5');
      const message = readFaultText(fault.kind);
      const status = fault.kind === 'crowded' || fault.kind === 'digits' ? 429 : 503;
      return show(c, person, { title: 'Try again', message, status });
    }
  }

  /** Returns the answer to a person who may not use a route; undefined for one who may. */
  async function reject(
    c: Context<ConsoleEnv>,
    person: Person | undefined,
    { name, needs: audience }: RouteDefinition<Audience>,
  ): Promise<Response | undefined> {
    if (audience === 'everyone') return undefined;
    if (!person) {
      grantAccess(c.env);
      const address = signInAddress(c, publicUrl);
      const verb = audience === 'setup' ? undefined : audience.keeps;
      const kept =
        verb === undefined
          ? undefined
          : await keepForm(accounts, findToken(c, publicUrl), {
              ...{ verb, path: getPath(c), fields: await readTexts(c) },
            });
      if (kept !== undefined)
        return show(c, undefined, { ...(await signInPage(context, { hasEnded: true, kept })), status: 403 });
      if (!isLinkOfOtherSite(c)) return c.redirect(address, 303);
      c.header('refresh', `0; url=${address}`);
      return show(c, undefined, { title: 'One moment', body: <a href={address}>Continue</a> });
    }
    const wait = limit(person.name);
    if (wait !== undefined) {
      c.header('retry-after', String(wait));
      return show(c, person, {
        title: 'Too many requests',
        message: `Try again after ${wait} seconds.`,
        status: 429,
      });
    }
    if (audience === 'setup' || person.session.kind === 'setup') {
      if (audience === 'setup' && person.session.kind === 'setup') return undefined;
      return c.redirect(person.session.kind === 'setup' ? '/console/set-up' : '/console', 303);
    }
    const [, path] = splitName(name);
    if (!can(person, audience.needs)) {
      const { accountId: id, name: actor, merchantId } = person;
      await recordAccountAction(accounts, {
        ...{ actor, action: 'use_page', result: 'refused', account: { id, name: actor, merchantId } },
        detail: { route: `${c.req.method} ${path}` },
      });
      const message = `The role ${person.role} may not use this page.`;
      return show(c, person, { title: 'Not allowed', message, status: 403 });
    }
    if (!audience.isConfirmed || isConfirmed(person, accounts.clock.now())) return undefined;
    const page = pageAfterConfirm(c, path, hasPage);
    if (c.req.method === 'GET') return c.redirect(confirmAddress(page), 303);
    const answer = await askFirst({ c, person, page, verb: audience.keeps }, await readTexts(c), context);
    return answer instanceof Response ? answer : show(c, person, answer);
  }

  app.all('*', async (c) => {
    const person = await loadPerson(c);
    if (person) grantAccess(c.env);
    const limited = person ? undefined : limitPublic(c.env);
    if (limited) return limited;
    return show(c, person, { title: 'Not found', message: 'There is no such page.', status: 404 });
  });
  return app;
}

function toPattern(name: ConsoleRoute['name']): RegExp {
  const [, path] = splitName(name);
  return new RegExp(`^/console${path.replaceAll(/:\w+/g, '[^/]+')}$`);
}

async function readTexts({ req }: Context): Promise<FormInput> {
  if (!/^application\/x-www-form-urlencoded\b/.test(req.header('content-type') ?? '')) return {};
  const fields = Object.entries(await req.parseBody());
  return Object.fromEntries(fields.filter((one): one is [string, string] => typeof one[1] === 'string'));
}

/** True when the script of an open page asks by itself: the browser of a person who has left must not keep the session. */
function isAutomatic(c: Context): boolean {
  return c.req.header('x-live') !== undefined || c.req.path.endsWith('/live');
}

/**
 * True when a link of another site, such as webmail, opens a page. The browser then leaves out the strict cookie, also of a redirect;
 * a page that loads the next one by itself gets it, because that request comes from this site. The sign-in sends a person who has a
 * session to the page of the link.
 */
function isLinkOfOtherSite({ req }: Context): boolean {
  return req.method === 'GET' && req.header('sec-fetch-site') === 'cross-site';
}
