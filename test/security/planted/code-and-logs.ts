import { type Mutation, removed } from './mutation.ts';

/** Limits, concurrency, errors and logs: ASVS 15 and 16. */
export const codeAndLogs: readonly Mutation[] = [
  ...removed(
    'ASVS 15.3.6',
    ['test/security/hostile-body.process.long.test.ts', 'test/gateway/dialogue/route.test.ts'],
    {
      'fields are properties of an object':
        '  const [-fields = new Map<string, Field>()-]{+held: Record<string, Field> = {};\n  const fields = {\n    get size() {\n      return Object.keys(held).length;\n    },\n    has: (name: string) => name in held,\n    get: (name: string) => held[name],\n    set(name: string, field: Field) {\n      held[name] = field;\n    },\n  } as unknown as Map<string, Field>+};',
    },
  ),
  ...removed('ASVS 15.3.7', 'test/service/errors.test.ts', {
    'the last of duplicate parameters is used':
      "[-    if (values.has(name)) return apiError('invalid_field', { param: fieldName([name]) });\n-]",
  }),
  ...removed('ASVS 16.2.1', 'test/security/log-injection.test.ts', {
    'a caller chooses its request id': "const request = {+c.req.header('x-request-id') ?? +}ids.next('req');",
  }),
  ...removed('ASVS 16.3.1', 'test/security/admin-attack.test.ts', {
    'wrong admin tokens are not logged':
      "[-    deps.wrongTokens.record(token === undefined ? 'no_token' : 'wrong_token', { caller: address });\n-]",
  }),
  ...removed('ASVS 16.3.3', 'test/service/admin.test.ts', {
    'actions leave no audit row':
      "return [-[deps.audit(operation.id, subject, call.requestId), -]{+subject === '' ? [] : [+}...savedResponse.save(response)];",
  }),
  ...removed('ASVS 16.5.3', 'test/security/fail-closed.test.ts', {
    'a failed request succeeds': [
      'src/gateway/wiring/app.ts',
      "message: 'try again later' } }, [-503-]{+200+})",
    ],
  }),
  ...removed(
    'ASVS 15.2.2',
    ['test/shared/http/connections.long.test.ts', 'test/security/flood.long.test.ts'],
    {
      'the client with the fewest connections loses one': 'return group.size [->-]{+<+} other.size;',
      'pipelined requests are served': '    if (connection.response{+ && connection.isClosing+}) {',
    },
  ),
  ...removed('ASVS 15.2.2', 'test/security/flood.long.test.ts', {
    'unauthenticated requests have no limit': [
      'src/shared/http/access.ts',
      'burst: [-100-]{+1e9+}, perMinute: [-60-]{+1e9+}',
    ],
  }),
  ...removed(
    'ASVS 15.3.2',
    ['test/gateway/collection/transport.long.test.ts', 'test/gateway/collection/client.test.ts'],
    {
      'calls to the service follow redirects': "          redirect: '{+follow' as '+}error',",
    },
  ),
  ...removed('ASVS 15.3.2', 'test/gateway/lookup/call-url.test.ts', {
    'lookups follow redirects': [
      'src/gateway/lookup/call-url.ts',
      "      redirect: '{+follow' as '+}manual',",
    ],
  }),
  ...removed('ASVS 16.4.1', 'test/security/log-injection.test.ts', {
    'control characters are logged as they are':
      '[-    hooks: { streamWrite: options.pretty ? escapeControlsTwice : escapeControls },\n-]',
  }),
  ...removed('ASVS 16.5.4', 'test/security/fail-closed.test.ts', {
    'no last-resort error handler': [
      'src/gateway/wiring/app.ts',
      '  [-app.onError-]{+void +}((fault{+: Error+}, c{+: any+}) => {',
    ],
  }),
  ...removed('ASVS 16.2.3', 'test/gateway/console/sign-in.test.ts', {
    'accounts: sign-ins are not recorded':
      "[-    accountActionWrite({ actor: account.name, action: 'sign_in', account, detail }, { livemode, now }),\n-]",
  }),
];
