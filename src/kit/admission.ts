import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { grantAccess } from '../shared/http/access.ts';

/** The caller of a request, or why it is refused. */
export type FoundCaller<Caller, Refusal> = { caller: Caller } | { refused: Refusal };

/** The steps by which an API admits a request. */
export type Admission<Caller, Refusal> = {
  authenticate(): Promise<FoundCaller<Caller, Refusal>>;
  /** True when the proof of the caller is of the body, and can be checked only when it has arrived. */
  isProvenByBody?: boolean;
  /** Waits for the whole body, within its bound. Returns false when there was nothing to wait for. */
  awaitBody(): Promise<boolean | { refused: Refusal }>;
  /** Takes the request from the budget of the caller. Returns the refusal when it is used up. */
  limit?(caller: Caller): Refusal | undefined;
};

/**
 * Admits a request in the order of all APIs: the caller, so that a stranger holds no body; the bounded whole body; the caller
 * again; the budget of the caller.
 *
 * @param env the environment of the Hono context.
 */
export async function admit<Caller, Refusal>(
  { authenticate, isProvenByBody = false, awaitBody, limit }: Admission<Caller, Refusal>,
  env?: unknown,
): Promise<FoundCaller<Caller, Refusal>> {
  const sender = isProvenByBody ? undefined : await authenticate();
  if (sender && 'refused' in sender) return sender;
  const waited = await awaitBody();
  if (typeof waited === 'object') return waited;
  // The access may have ended while the body was held back.
  const found = sender && !waited ? sender : await authenticate();
  if ('refused' in found) return found;
  grantAccess(env);
  const refused = limit?.(found.caller);
  return refused === undefined ? found : { refused };
}

/** Why a body is not read. The sender of one that is incomplete has left. */
export type BodyFault = 'body_too_large' | 'body_incomplete';

/** Admission of requests that come from Hono. */
export type AdmissionRules<Env extends object, Caller, Refusal> = {
  maxBodyBytes: number;
  /** The path of files that callers send, and the bound of their bodies. */
  files?: { path: RegExp; maxBytes: number };
  authenticate(c: Context<Env>): Promise<FoundCaller<Caller, Refusal>>;
  isProvenByBody?(c: Context<Env>): boolean;
  limit?(caller: Caller): Refusal | undefined;
  refuse(c: Context<Env>, refusal: Refusal | BodyFault): Response;
};

/** Creates the middleware that admits requests, and sets the variable `caller`. */
export function admission<Env extends { Variables: { caller: Caller } }, Caller, Refusal>({
  maxBodyBytes,
  files,
  isProvenByBody,
  refuse,
  ...rules
}: AdmissionRules<Env, Caller, Refusal>): MiddlewareHandler<Env> {
  const awaitBody = createBodyReader(maxBodyBytes);
  const awaitFile = createBodyReader(files?.maxBytes ?? maxBodyBytes);
  return async (c, next) => {
    const isProven = isProvenByBody?.(c) ?? false;
    // A stranger holds no file: its sender is known before it arrives.
    const isFile = !isProven && files?.path.test(c.req.path) === true;
    const steps: Admission<Caller, Refusal | BodyFault> = {
      ...rules,
      authenticate: () => rules.authenticate(c),
      isProvenByBody: isProven,
      awaitBody: () => (isFile ? awaitFile : awaitBody)(c),
    };
    const found = await admit(steps, c.env);
    if ('refused' in found) return refuse(c, found.refused);
    c.set('caller', found.caller);
    return next();
  };
}

/** Creates the middleware that waits for the bounded body of requests that need no caller. */
export function boundedBody<Env extends object>({
  maxBodyBytes,
  refuse,
}: Pick<AdmissionRules<Env, unknown, never>, 'maxBodyBytes' | 'refuse'>): MiddlewareHandler<Env> {
  const awaitBody = createBodyReader(maxBodyBytes);
  return async (c, next) => {
    const waited = await awaitBody(c);
    return typeof waited === 'object' ? refuse(c, waited.refused) : next();
  };
}

function createBodyReader(maxSize: number) {
  const limitBody = bodyLimit({ maxSize, onError: (c) => c.body(null) });
  return async (c: Context): Promise<boolean | { refused: BodyFault }> => {
    if (['GET', 'HEAD'].includes(c.req.method) || !c.req.raw.body) return false;
    let isWhole = false;
    try {
      await limitBody(c, async () => {
        await c.req.arrayBuffer();
        isWhole = true;
      });
    } catch {
      return { refused: 'body_incomplete' };
    }
    return isWhole || { refused: 'body_too_large' };
  };
}
