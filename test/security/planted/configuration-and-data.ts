/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import type { Mutation } from './mutation.ts';

/** Cryptography, connections, configuration and personal data: ASVS 11 to 14. */
export const configurationAndData: readonly Mutation[] = [
  {
    requirement: 'ASVS 11.5.1',
    name: 'the database has the whole key',
    find: 'ending: key.slice(-4),',
    replace: 'ending: key,',
    tests: ['test/service/secrecy.test.ts', 'test/service/keys.test.ts'],
  },
  {
    requirement: 'ASVS 11.4.1',
    name: 'signatures use SHA-1',
    find: 'createHmac(settings.algorithm, key)',
    replace: "createHmac('sha1', key)",
    tests: ['test/gateway/inbox/signature.test.ts'],
  },
  {
    requirement: 'ASVS 12.2.1',
    name: 'a live environment may use http',
    find: "return protocol === 'http:' && !isLoopbackHost(hostname);",
    replace: "return protocol === 'none:' && !isLoopbackHost(hostname);",
    tests: ['test/gateway/config/environments.test.ts'],
  },
  {
    requirement: 'ASVS 13.2.3',
    name: 'a missing secret has a default',
    find: 'return { message: `expected ${name} or ${name}_FILE in the environment`, isUnset: true };',
    replace: "return { value: 'default' };",
    tests: ['test/gateway/config/secret-settings.test.ts'],
  },
  {
    requirement: 'ASVS 13.3.4',
    name: 'only the first secret is active',
    find: "const secret = secrets[index] ?? '';",
    replace: "const secret = (index === 0 ? secrets[index] : undefined) ?? '';",
    tests: ['test/scenarios/keys-rotation.test.ts'],
  },
  {
    requirement: 'ASVS 13.4.2',
    name: 'errors of the gateway have their details',
    file: 'src/gateway/wiring/app.ts',
    find: "message: 'try again later'",
    replace: 'message: messageOf(fault)',
    tests: ['test/security/fail-closed.test.ts'],
  },
  {
    requirement: 'ASVS 13.4.5',
    name: 'any address reads the metrics',
    find: 'if (caller === undefined || !allowed.has(caller)) return c.notFound();',
    replace: "void allowed.has(caller ?? '');",
    tests: ['test/gateway/metrics/route.test.ts'],
  },
  {
    requirement: 'ASVS 14.2.4',
    name: 'the log has the number of each dialler',
    find: 'log.info({ ...logged, dialogue: turn?.dialogueId, turn:',
    replace: 'log.info({ ...logged, from: request.dialler, dialogue: turn?.dialogueId, turn:',
    tests: ['test/security/log-scan.test.ts'],
  },
  {
    requirement: 'ASVS 14.2.6',
    name: 'transcripts have the inputs of payers',
    find: "if (typeof scalar.value === 'string') scalar.value = replace(scalar.value);",
    replace: '',
    tests: ['test/gateway/support/transcript/mask.test.ts'],
  },
  {
    requirement: 'ASVS 13.1.3',
    name: 'headers may take for ever',
    find: 'headersTimeout: 5_000,\n  requestTimeout: 10_000,',
    replace: 'headersTimeout: 0,\n  requestTimeout: 0,',
    tests: ['test/faults/server-timeouts.process.long.test.ts'],
  },
  {
    requirement: 'ASVS 13.1.3',
    name: 'requests may take for ever',
    find: 'requestTimeout: 10_000,',
    replace: 'requestTimeout: 0,',
    tests: ['test/faults/server-timeouts.process.long.test.ts'],
  },
  {
    requirement: 'ASVS 13.1.3',
    name: 'idle connections stay open',
    find: 'keepAliveTimeout: 15_000,',
    replace: 'keepAliveTimeout: 0,',
    tests: ['test/faults/server-timeouts.process.long.test.ts'],
  },
  {
    requirement: 'ASVS 13.1.3',
    name: 'connecting may take for ever',
    find: 'connect: { timeout: options.connectTimeoutMs },',
    replace: 'connect: { timeout: 0 },',
    tests: ['test/gateway/collection/transport.long.test.ts'],
  },
  {
    requirement: 'ASVS 13.4.1',
    name: 'the simulated phone is served beside live keys',
    find: 'isLive = isLive || (await deps.hasLiveKey());',
    replace: '',
    tests: ['test/service/live-service.test.ts'],
  },
  {
    requirement: 'ASVS 11.4.2',
    name: 'accounts: the salt is constant',
    find: "const salt = Buffer.from(ids.secret(), 'base64url').subarray(0, saltBytes);",
    replace: 'const salt = Buffer.alloc(saltBytes, ids.secret().length);',
    tests: ['test/gateway/accounts/password.test.ts'],
  },
];
