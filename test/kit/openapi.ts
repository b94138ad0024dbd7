import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, onTestFinished } from 'vitest';

type Media = { schema?: unknown; examples?: Record<string, unknown> };
type Answer = { headers?: Record<string, unknown>; content?: Record<string, Media> };
type Operation = { operationId: string; responses: Record<string, Answer> };

/** The parts of an OpenAPI document that the checks read. */
export type Document = {
  paths?: Record<string, object>;
  webhooks?: Record<string, object>;
  components?: object;
};

/** The request that selects the operation. */
export type CheckedRequest = { method: string; url: string };

/** An answer with its whole body. */
export type CheckedResponse = { status: number; headers: Headers; body: string };

/**
 * Returns the differences between an answer and the document. A path or a method that is not in the document must be
 * answered with the documented error.
 */
export type ResponseCheck = (request: CheckedRequest, response: CheckedResponse) => string[];

const checks = new WeakMap<Document, ResponseCheck>();

/** Checks one answer, for tests that call a service over HTTP. The body of the answer remains readable. */
export async function checkResponse(
  document: Document,
  request: CheckedRequest,
  response: Response,
): Promise<void> {
  let check = checks.get(document);
  if (!check) {
    check = createResponseCheck(document);
    checks.set(document, check);
  }
  const { status, headers } = response;
  const body = await response.clone().text();
  expect(check(request, { status, headers, body }), `${request.method} ${request.url}`).toEqual([]);
}

/** Creates a check from a document. Each schema is compiled for its first answer. */
export function createResponseCheck(document: Document): ResponseCheck {
  const validatorOf = createValidators(document);
  const routes = routesOf(document);

  return (request, { status, headers, body }) => {
    const method = request.method.toLowerCase();
    const path = new URL(request.url, 'http://service.test').pathname;
    const route = routes.find(
      (one) => one.method === (method === 'head' ? 'get' : method) && one.pattern.test(path),
    );
    const faults: string[] = [];
    if (!/^req_[0-9a-z]+$/.test(headers.get('request-id') ?? '')) faults.push('no Request-Id');
    if (!route) return [...faults, ...undocumentedFaults(method, path, status, body)];

    const named = `${route.operation.operationId} ${status}`;
    const answer = route.operation.responses[status];
    if (!answer) return [...faults, `${named} is not documented: ${body.slice(0, 300)}`];
    faults.push(...headerFaults(headers, answer).map((fault) => `${named}: ${fault}`));
    if (answer.content === undefined && body === '') return faults;
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    const media = answer.content?.[type];
    if (!media) return [...faults, `${named} has the undocumented type ${type}`];
    if (method === 'head') return body === '' ? faults : [...faults, `${named}: HEAD has a body`];
    if (type !== 'application/json' || headers.has('content-encoding')) return faults;

    const value = parsed(body);
    if (value === undefined) return [...faults, `${named} is no JSON`];
    const validate = validatorOf(
      `${route.pointer}/responses/${status}/content/${escapePointer(type)}/schema`,
    );
    if (validate && !validate(value)) {
      const wrong = validate.errors
        ?.map(({ instancePath, message }) => `${instancePath} ${message}`)
        .join('; ');
      faults.push(`${named} does not fit its schema: ${wrong} in ${body.slice(0, 500)}`);
    }
    if (status >= 400) {
      const code = codeOf(value);
      if (!Object.hasOwn(media.examples ?? {}, code))
        faults.push(`${named}: ${code} is not documented there`);
    }
    return faults;
  };
}

/** An app that answers requests as a Hono app does. */
type Watched = { fetch(request: Request, ...more: unknown[]): Response | Promise<Response> };

let shared: ResponseCheck | undefined;

/**
 * Checks every answer of the app, also those to another program in the same test. The test fails at its end, because a
 * client under test could take an exception for a network fault and retry.
 */
export function watchResponses(app: Watched): void {
  const answer = app.fetch.bind(app);
  const faults: string[] = [];
  const pending = new Set<Promise<void>>();
  // The documents of two services differ only in the description of their webhooks, so one check fits all.
  const check = async (): Promise<ResponseCheck> => {
    if (!shared) {
      const document = await answer(new Request('http://service.test/openapi.json'));
      shared = createResponseCheck((await document.json()) as Document);
    }
    return shared;
  };
  const inspect = async (request: CheckedRequest, response: Response) => {
    const { status, headers } = response;
    const body = await response.text();
    const found = (await check())(request, { status, headers, body });
    if (faults.length < 20)
      faults.push(...found.map((fault) => `${request.method} ${request.url}: ${fault}`));
  };
  app.fetch = async (request, ...more) => {
    const { method, url } = request;
    const response = await answer(request, ...more);
    const inspection = inspect({ method, url }, response.clone()).catch((error) => {
      faults.push(`${method} ${url}: ${error}`);
    });
    pending.add(inspection);
    inspection.finally(() => pending.delete(inspection));
    return response;
  };
  onTestFinished(async () => {
    await Promise.all(pending);
    expect(faults, 'answers that the OpenAPI document does not allow').toEqual([]);
  });
}

/** Returns a function that compiles the schema at a JSON pointer of the document, once for each pointer. */
export function createValidators(document: Document) {
  const ajv = new Ajv2020({ allErrors: false, strict: false, unicodeRegExp: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'openapi', ...strict(document) });
  const compiled = new Map<string, ValidateFunction | undefined>();
  return (pointer: string): ValidateFunction | undefined => {
    const at = `openapi#${pointer}`;
    if (!compiled.has(at)) compiled.set(at, ajv.getSchema(at));
    return compiled.get(at);
  };
}

/** Clients read answers tolerantly. The tests are strict: an undocumented field fails. */
function strict<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(strict) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, strict(value)]));
  const closed = 'properties' in copy && 'type' in copy && !('additionalProperties' in copy);
  return (closed ? { ...copy, additionalProperties: false } : copy) as Part;
}

export function errorsOf({ errors }: ValidateFunction): string {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
}

function routesOf({ paths = {} }: Document) {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      method,
      operation,
      pattern: new RegExp(
        `^${path.replaceAll(/[.+*?^$()[\]|\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      ),
      pointer: `/paths/${escapePointer(path)}/${method}`,
      inserted: path.split('{').length,
    })),
  );
  // A literal segment takes precedence over a parameter in the same position.
  return routes.sort((one, other) => one.inserted - other.inserted);
}

/** Returns the faults of an answer to a path or a method that is not in the document. */
function undocumentedFaults(method: string, path: string, status: number, body: string): string[] {
  const expected =
    status === 401 && path.startsWith('/backoffice')
      ? 'invalid_admin_token'
      : { 404: 'not_found', 405: 'method_not_allowed', 413: 'body_too_large' }[status];
  const code = method === 'head' ? expected : codeOf(parsed(body));
  return expected !== undefined && code === expected
    ? []
    : [`not in the document, but answered with ${status} ${code}`];
}

function headerFaults(headers: Headers, { headers: documented = {} }: Answer): string[] {
  const faults: string[] = [];
  for (const name of ['retry-after', 'idempotent-replayed', 'www-authenticate']) {
    const known = Object.keys(documented).some((one) => one.toLowerCase() === name);
    if (headers.has(name) && !known) faults.push(`the header ${name} is not documented`);
  }
  const wait = headers.get('retry-after');
  if (wait !== null && !/^[1-9]\d*$/.test(wait)) faults.push(`Retry-After: ${wait}`);
  return faults;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function codeOf(value: unknown): string {
  return String(Object(Object(value).error).code);
}

/** Escapes one segment of a JSON pointer in a URI fragment. */
export function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
