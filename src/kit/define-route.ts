import type { Context, Env, Hono } from 'hono';
import type { z } from 'zod';
import { parseJson } from '../shared/json.ts';

/** A method, and a path below that of the surface. A parameter of the path is written `:id`. */
export type RouteName = `${Method} /${string}`;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A route of the console, of the staff API or of the merchant API: where it is, who may use it, and what it reads. */
export type RouteDefinition<Needs, Query = unknown, Body = unknown> = {
  name: RouteName;
  needs: Needs;
  /** Without it, the handler gets the parameters unchecked, the first one of several with a name. */
  query?: z.ZodType<Query> | undefined;
  /** The schema of a JSON body, `form` for fields, or `upload` for fields and files (texts in UTF-8). Without it, no body is read. */
  body?: z.ZodType<Body> | 'form' | 'upload' | undefined;
};

/** The content of a request. `sent` is its JSON before the validation. */
export type RouteInput<Query = unknown, Body = unknown> = {
  id: string;
  query: Query;
  body: Body;
  sent: unknown;
};

/** The behaviour of a surface for the requests of all its routes. */
export type Surface<E extends Env, Caller, Needs> = {
  findCaller(c: Context<E>): Caller | Promise<Caller>;
  /** Returns the answer to a caller who may not use a route; undefined for one who may. */
  refuse(c: Context<E>, caller: Caller, route: RouteDefinition<Needs>): Promise<Response | undefined>;
  /** Answers a request whose parameters or body do not fit. */
  answerInvalid(c: Context<E>, message: string, caller: Caller): Response | Promise<Response>;
  /** True when a JSON body must be sent as such, so that a form of another site is refused. */
  needsJsonType?: boolean;
};

/** Serves a route. In this order: the caller, the right to use the route, the parameters and the body, the answer. */
export function serveRoute<E extends Env, Caller, Needs, Query, Body>(
  app: Hono<E>,
  surface: Surface<E, Caller, Needs>,
  route: RouteDefinition<Needs, Query, Body>,
  answer: (c: Context<E>, caller: Caller, input: RouteInput<Query, Body>) => Response | Promise<Response>,
): void {
  app.on(...splitName(route.name), async (c: Context<E>) => {
    const caller = await surface.findCaller(c);
    const refused = await surface.refuse(c, caller, route);
    if (refused) return refused;
    const read = await readInput(c, route, surface.needsJsonType);
    return read.ok ? answer(c, caller, read) : surface.answerInvalid(c, read.message, caller);
  });
}

/** Returns the method and the path of a route. */
export function splitName(name: RouteName): [method: Method, path: string] {
  return name.split(' ') as [Method, string];
}

async function readInput<Query, Body>(
  c: Context,
  { query, body }: Pick<RouteDefinition<unknown, Query, Body>, 'query' | 'body'>,
  needsJsonType = false,
): Promise<({ ok: true } & RouteInput<Query, Body>) | { ok: false; message: string }> {
  const id = c.req.param('id') ?? '';
  const asked = query ? parseQuery(query, c.req.queries()) : ({ ok: true, value: c.req.query() } as const);
  if (!asked.ok) return asked;
  // Without a schema, the types of the definition are those of unchecked texts.
  const input = { ok: true, id, query: asked.value as Query } as const;
  if (!body) return { ...input, body: undefined as Body, sent: undefined };
  const type = c.req.header('content-type') ?? '';
  if (body === 'form') {
    if (!type.startsWith('application/x-www-form-urlencoded'))
      return { ok: false, message: 'Send the form of the page.' };
    const fields = Object.fromEntries(new URLSearchParams(await c.req.text()));
    return { ...input, body: fields as Body, sent: fields };
  }
  if (body === 'upload') {
    const fields = await readUpload(await c.req.arrayBuffer(), type);
    return fields
      ? { ...input, body: fields as Body, sent: fields }
      : { ok: false, message: 'Send the form of the page, with a file of text in UTF-8.' };
  }
  if (needsJsonType && !/^application\/json\s*(;|$)/i.test(type))
    return { ok: false, message: 'expected a body in application/json' };
  const sent = parseJsonBytes(new Uint8Array(await c.req.arrayBuffer()));
  const parsed = parseRequest(body, sent);
  return parsed.ok ? { ...input, body: parsed.value, sent } : parsed;
}

/** Returns the fields of a form with files; undefined for another body, and for a file that is no text in UTF-8. */
async function readUpload(bytes: ArrayBuffer, type: string): Promise<Record<string, string> | undefined> {
  if (!type.startsWith('multipart/form-data')) return undefined;
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    const fields: Record<string, string> = {};
    for (const [name, value] of form)
      fields[name] = typeof value === 'string' ? value : utf8.decode(await value.arrayBuffer());
    return fields;
  } catch {
    return undefined;
  }
}

/** The messages of faults that a schema does not describe itself, in the words of all others. */
const messages: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_value') return `expected one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'expected a JSON object';
  if (issue.code === 'unrecognized_keys') return 'unknown parameter or field';
  return undefined;
};

/** Validates one part of a request. @returns the value, or the first fault with the name of its parameter or field. */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { ok: true; value: z.infer<Schema> } | { ok: false; message: string } {
  const parsed = schema.safeParse(input, { error: messages });
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknown].join('.');
  return { ok: false, message: `${field ? `${field}: ` : ''}${issue?.message ?? 'invalid input'}` };
}

/** Returns the parameters of a query, each of which may be given once. */
function parseQuery(
  schema: z.ZodType,
  queries: Readonly<Record<string, readonly string[]>>,
): ReturnType<typeof parseRequest<z.ZodType>> {
  const repeated = Object.keys(queries).find((name) => (queries[name]?.length ?? 0) > 1);
  if (repeated !== undefined) return { ok: false, message: `${repeated.slice(0, 64)}: expected once` };
  return parseRequest(
    schema,
    Object.fromEntries(Object.entries(queries).map(([name, [value]]) => [name, value])),
  );
}

/** Returns the value of a JSON body. An empty body is an empty object; `undefined` is no unambiguous JSON in UTF-8. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  try {
    return parseJson(bytes).value;
  } catch {
    return undefined;
  }
}
