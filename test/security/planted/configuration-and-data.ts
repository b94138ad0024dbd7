/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import { type Mutation, removed } from './mutation.ts';

/** Cryptography, connections, configuration and personal data: ASVS 11 to 14. */
export const configurationAndData: readonly Mutation[] = [
  ...removed('ASVS 11.5.1', ['test/service/secrecy.test.ts', 'test/service/keys.test.ts'], {
    'the database has the whole key': 'ending: key[-.slice(-4)-],',
  }),
  ...removed('ASVS 11.4.1', 'test/gateway/inbox/signature.test.ts', {
    'signatures use SHA-1': "createHmac([-settings.algorithm-]{+'sha1'+}, key)",
  }),
  ...removed('ASVS 12.2.1', 'test/gateway/config/environments.test.ts', {
    'a live environment may use http':
      "return protocol === '[-http-]{+none+}:' && !isLoopbackHost(hostname);",
  }),
  ...removed('ASVS 13.2.3', 'test/gateway/config/secret-settings.test.ts', {
    'a missing secret has a default':
      "return { [-message: `expected ${name} or ${name}_FILE in the environment`, isUnset: true-]{+value: 'default'+} };",
  }),
  ...removed('ASVS 13.3.4', 'test/scenarios/keys.test.ts', {
    'only the first secret is active': 'const secret = {+index === 0 ? +}secrets[index]{+ : undefined+};',
  }),
  ...removed('ASVS 13.4.2', 'test/security/fail-closed.test.ts', {
    'errors of the gateway have their details': [
      'src/gateway/wiring/app.ts',
      "message: [-'try again later'-]{+errorMessage(fault)+}",
    ],
  }),
  ...removed('ASVS 13.4.5', 'test/gateway/metrics/route.test.ts', {
    'any address reads the metrics':
      "[-if (caller === undefined || !allowed.has(caller)) return c.notFound(-]{+void allowed.has(caller ?? ''+});",
  }),
  ...removed('ASVS 14.2.4', 'test/security/log-injection.test.ts', {
    'the log has the number of each dialler':
      'log.info({ ...logged, {+from: request.dialler, +}dialogue: turn?.dialogueId, turn:',
  }),
  ...removed('ASVS 14.2.6', 'test/gateway/support/explain.test.ts', {
    'transcripts have the inputs of payers':
      "[-if (typeof scalar.value === 'string') scalar.value = replace(scalar.value);-]",
  }),
  ...removed('ASVS 14.2.6', 'test/cli/open-reads.test.ts', {
    'the command line reads whole numbers through the gateway':
      "return [-how.numbers === 'whole' ? -]value[- : maskNumbers(value)-];",
  }),
  ...removed('ASVS 13.1.3', 'test/faults/server-timeouts.process.long.test.ts', {
    'headers may take for ever': 'headersTimeout: [-5_000-]{+0+},\n  requestTimeout: [-10_000-]{+0+},',
    'requests may take for ever': 'requestTimeout: [-10_000-]{+0+},',
    'idle connections stay open': 'keepAliveTimeout: [-15_000-]{+0+},',
  }),
  ...removed('ASVS 13.1.3', 'test/gateway/collection/transport.long.test.ts', {
    'connecting may take for ever': 'connect: { timeout: [-options.connectTimeoutMs-]{+0+} },',
  }),
  ...removed('ASVS 13.4.1', 'test/service/live-service.test.ts', {
    'the simulated phone is served beside live keys': '[-isLive = isLive || (await deps.hasLiveKey());-]',
  }),
  ...removed('ASVS 11.4.2', 'test/gateway/accounts/credentials.test.ts', {
    'accounts: the salt is constant':
      "const salt = Buffer.[-from(ids.secret(), 'base64url').subarray(0, saltBytes-]{+alloc(saltBytes, ids.secret().length+});",
  }),
];
