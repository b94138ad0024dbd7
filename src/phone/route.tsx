import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import type { Clock } from '../shared/clock.ts';
import { publicAccess } from '../shared/http/access.ts';
import { isLoopbackAddress, isLoopbackHost } from '../shared/http/addresses.ts';
import { type Foreign, findForeign } from '../shared/http/request-url.ts';
import { streamVersions } from '../shared/http/version-stream.ts';
import type { Ids } from '../shared/ids.ts';
import { type Asset, readAssets, sendAsset } from '../shared/pages/assets.ts';
import { compressPages, pagePolicy } from '../shared/pages/document.tsx';
import {
  type BrowserPhone,
  type BrowserPhoneDeps,
  createBrowserPhone,
  type PhoneAction,
  type PhoneChannel,
} from './browser-phone.ts';
import {
  type FormFields,
  type PhoneProblem,
  readDial,
  readFormFields,
  readNewPhone,
  readPhoneInput,
  readPromptDecision,
} from './forms.tsx';
import { newPhoneId, PhonePage } from './page.tsx';
import { type AddedPhone, createPhoneSets, type PhoneSet, phoneLimits } from './phone-sets.ts';

/**
 * Returns why a request must not reach the phone; `undefined` for an allowed one. As `findForeign`, and for a `publicUrl` on this machine,
 * the client must be on it, too, without a proxy in between.
 */
function rejectForeign(c: Context, publicUrl: URL): Foreign | undefined {
  const foreign = findForeign(c, { publicUrl, path: '/phone', needsOrigin: true });
  if (foreign?.status === 421 || !isLoopbackHost(publicUrl.hostname) || isLocalClient(c)) return foreign;
  return { status: 403, message: 'The browser phone answers only browsers on this machine.' };
}

/** Without a server, as in a test, there is no connection to check. */
function isLocalClient(c: Context): boolean {
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip'].some(
    (name) => c.req.header(name) !== undefined,
  );
  const { incoming }: Partial<HttpBindings> = c.env ?? {};
  const address = incoming?.socket.remoteAddress;
  return !isForwarded && (incoming === undefined || (address !== undefined && isLoopbackAddress(address)));
}

type PhoneRouteDeps = BrowserPhoneDeps & {
  clock: Clock;
  ids: Ids;
  publicUrl: URL;
  /** Aborts when the server stops. */
  closing: AbortSignal;
  /** Returns the present channels by their ids. */
  channels(): ReadonlyMap<string, PhoneChannel>;
  consoleUrl: string | undefined;
};

const cookie = 'dialtill_phone';
/** A form has an answer of 182 characters, a code or a number. */
const maxBodyBytes = 4_096;
/** Time between two reads of prompts and payments. */
const readEveryMs = 700;
/** A random id of 132 bits. */
const idLength = 22;

type Status = 403 | 404 | 409 | 413 | 415 | 421 | 422 | 503;

const refusalStatus = { invalid: 422, busy: 409, stale: 409, unavailable: 503 } as const;

const notAdded: Readonly<Record<Extract<AddedPhone, { ok: false }>['reason'], string>> = {
  same_number: 'This browser has a phone with this number. Dial with that one, or write another number.',
  set_full: `A browser has at most ${phoneLimits.perSet} phones. Remove one first.`,
  all_full: `There are ${phoneLimits.phones} phones in use, which is the limit. Try again in ${phoneLimits.idleMs / 60_000} minutes.`,
};

const removedMessage = `This phone was removed, for example after ${phoneLimits.idleMs / 60_000} minutes without an action. Dial with a new one.`;

/** Creates the pages of the browser phone, for the path `/phone`. */
export function phoneRoute(deps: PhoneRouteDeps): Hono {
  const { clock, ids, publicUrl, channels, closing } = deps;
  const newId = () => ids.secret().slice(0, idLength);
  const sets = createPhoneSets({ clock, newId });
  const assets = readAssets('phone');
  const app = new Hono();

  const setId = (c: Context) => getCookie(c, cookie);

  function page(
    c: Context,
    { set, ...rest }: { set: PhoneSet | undefined; problem?: PhoneProblem; fields?: FormFields | undefined },
  ) {
    const { css, js } = assets;
    const consoleUrl = deps.consoleUrl && `${deps.consoleUrl}/console`;
    return c.html(
      <PhonePage
        {...rest}
        phones={set?.phones ?? []}
        current={set?.current()}
        version={set?.version() ?? ''}
        now={clock.now()}
        isAdding={c.req.query('add') !== undefined}
        channels={[...channels().values()]}
        assets={{ css: assetPath(css), js: assetPath(js) }}
        consoleUrl={consoleUrl}
        paymentUrl={(id) => consoleUrl && `${consoleUrl}/payments/${encodeURIComponent(id)}`}
      />,
    );
  }

  function refuse(c: Context, status: Status, problem: PhoneProblem, fields?: FormFields) {
    c.status(status);
    return page(c, { set: sets.peek(setId(c)), problem, fields });
  }

  /** Shows the page again, so that loading it once more sends no form. */
  function finish(c: Context, { id: phoneId }: BrowserPhone, action: PhoneAction) {
    if (action.ok) return c.redirect('/phone', 303);
    const { reason, message, isWrongPin = false } = action;
    return refuse(c, refusalStatus[reason], { message, phoneId, isWrongPin });
  }

  /** Runs an action of a phone of this browser. */
  async function withPhone(
    c: Context,
    work: (phone: BrowserPhone, fields: FormFields) => Promise<Response> | Response,
  ) {
    const set = sets.use(setId(c));
    const phone = set?.phones.find(({ id }) => id === c.req.param('phone'));
    if (!set || !phone) return refuse(c, 404, { message: removedMessage });
    set.setCurrent(phone);
    return work(phone, readFormFields(await c.req.text()));
  }

  app.use(compressPages(), async (c, next) => {
    c.header('content-security-policy', pagePolicy);
    // Otherwise browsers send the origin `null` with a form.
    c.header('referrer-policy', 'same-origin');
    const rejected = rejectForeign(c, publicUrl);
    if (rejected) return c.text(rejected.message, rejected.status);
    return next();
  });
  app.use(publicAccess());
  app.post(
    '/*',
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: (c) => refuse(c, 413, { message: `A form has at most ${maxBodyBytes} bytes.` }),
    }),
    async (c, next) => {
      const type = c.req.header('content-type') ?? '';
      if (type.startsWith('application/x-www-form-urlencoded')) return next();
      return refuse(c, 415, { message: 'Send the form as application/x-www-form-urlencoded.' });
    },
  );

  app.get('/', async (c) => {
    const set = sets.use(setId(c));
    await set?.refresh();
    return page(c, { set });
  });
  app.get('/events', (c) => {
    const id = setId(c);
    const set = sets.peek(id);
    // A browser does not connect again after 204.
    if (!set) return c.body(null, 204);
    const end = set.addStream();
    if (!end)
      return c.text(`At most ${phoneLimits.streamsPerSet} tabs are updated live. Load this page again.`, 503);
    return streamVersions(c, {
      ...{ clock, closing, readEveryMs, onEnd: end },
      async read() {
        const present = sets.peek(id);
        await present?.refresh();
        return present?.version();
      },
    });
  });
  app.get('/assets/:name', (c) => sendAsset(c, assets));

  app.post('/', async (c) => {
    const fields = readFormFields(await c.req.text());
    const form = readNewPhone(fields, channels());
    const refuseNew = (status: Status, message: string) =>
      refuse(c, status, { message, phoneId: newPhoneId }, fields);
    if (!form.ok) return refuseNew(422, form.message);
    const added = sets.add(setId(c), form.value.msisdn, () =>
      createBrowserPhone(deps, { ...form.value, id: newId() }),
    );
    if (!added.ok) return refuseNew(added.reason === 'same_number' ? 409 : 503, notAdded[added.reason]);
    setCookie(c, cookie, added.set.id, {
      ...{ path: '/phone', httpOnly: true, sameSite: 'Lax' },
      secure: publicUrl.protocol === 'https:',
    });
    const { channel, code, dials } = form.value;
    return finish(c, added.phone, dials ? await added.phone.dial(channel, code) : { ok: true });
  });
  app.post('/:phone/dial', (c) =>
    withPhone(c, async (phone, fields) => {
      const form = readDial(fields, channels());
      if (!form.ok) return refuse(c, 422, { message: form.message, phoneId: phone.id });
      return finish(c, phone, await phone.dial(form.value.channel, form.value.code));
    }),
  );
  app.post('/:phone/answer', (c) =>
    withPhone(c, async (phone, fields) => {
      const form = readPhoneInput(fields);
      if (!form.ok) return refuse(c, 422, { message: form.message, phoneId: phone.id });
      return finish(c, phone, await phone.answer(form.value.input, form.value.turn));
    }),
  );
  app.post('/:phone/prompts/:prompt', (c) =>
    withPhone(c, async (phone, fields) => {
      const form = readPromptDecision(fields);
      if (!form.ok) return refuse(c, 422, { message: form.message, phoneId: phone.id });
      return finish(c, phone, await phone.decide(c.req.param('prompt'), form.value));
    }),
  );
  app.post('/:phone/hang-up', (c) => withPhone(c, async (phone) => finish(c, phone, await phone.hangUp())));
  app.post('/:phone/remove', (c) =>
    withPhone(c, async (phone) => {
      // An open session would keep prompts from the number.
      await phone.hangUp();
      sets.remove(setId(c) ?? '', phone.id);
      return c.redirect('/phone', 303);
    }),
  );
  app.get('/:phone/transcript', (c) =>
    withPhone(c, async (phone) => {
      const transcript = await phone.transcript();
      return transcript === undefined
        ? refuse(c, 404, { message: 'There is no dialogue yet. Dial first.', phoneId: phone.id })
        : c.text(transcript);
    }),
  );
  return app;
}

function assetPath({ name }: Asset): string {
  return `/phone/assets/${name}`;
}
