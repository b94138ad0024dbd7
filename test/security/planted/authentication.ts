import { type Mutation, removed } from './mutation.ts';

/** Sign-ins and sessions: ASVS 6 and 7. */
export const authentication: readonly Mutation[] = [
  ...removed('ASVS 6.1.1', 'test/security/admin-attack.test.ts', {
    'an address may guess admin tokens for ever': 'limit: [-10-]{+1e9+}, lockoutMs',
  }),
  ...removed('ASVS 6.5.1', 'test/service/otp.test.ts', {
    'wrong codes do not lock a request': 'const limit = deps.config.maxWrongCodes{+ * 1e6+};',
    'codes do not expire':
      "  [-if (otp.expiresAt <=-]{+void+} now[-) return apiError('otp_expired', { param })-];\n",
  }),
  ...removed('ASVS 7.2.1', 'test/security/answers.test.ts', {
    'responses set a cookie': [
      'src/shared/http/headers.ts',
      "    const { headers } = c.res;{+\n    headers.set('set-cookie', 'session=1');+}",
    ],
  }),
  ...removed('ASVS 6.2.1', 'test/gateway/config/secrets.test.ts', {
    'secrets that can be guessed are accepted in a live environment':
      '  [-for (const { path, message } of-]{+void+} findWeakSecrets[-(config)) report(path, message)-];\n',
    'two merchants have the same live key':
      "[-  checkDistinct(listParts('merchants', merchants, 'key'), 'key', report);\n-]",
  }),
  ...removed('ASVS 6.2.1', 'test/service/live-service.test.ts', {
    'a signing secret of live mode can be guessed':
      'requested !== undefined && key.livemode [-=== 1-]{+!== key.livemode+} ?',
  }),
  ...removed('ASVS 6.5.2', 'test/service/otp-code.test.ts', {
    'codes have a hash that costs nothing': 'const cost = { N: [-4_096-]{+2+}, r: 8, p: 1 };',
  }),
  ...removed('ASVS 6.3.3', 'test/gateway/console/sign-in.test.ts', {
    'accounts: a password is enough':
      'const used = {+(+}await matchCode(deps, account, code){+) ?? { isRecovery: false, writes: [] }+};',
  }),
  ...removed('ASVS 6.3.5', 'test/gateway/accounts/credentials.test.ts', {
    'accounts: the delay has no bound': 'const maxDelayMs = [-60_000-]{+1e12+};',
  }),
  ...removed('ASVS 6.3.5', 'test/gateway/console/sign-in.test.ts', {
    'accounts: guesses are not delayed': 'if (waitMs > [-0-]{+1e12+}) return',
  }),
  ...removed('ASVS 6.3.8', 'test/gateway/console/sign-in.test.ts', {
    'accounts: an unknown name gets an answer of its own': [
      'src/gateway/accounts/check-person.ts',
      "{+if (!account) return { ok: false, reason: 'busy' };\n  +}const counted = await",
    ],
  }),
  ...removed('ASVS 6.4.1', 'test/gateway/console/sign-in.test.ts', {
    'accounts: a code of the first use has no end':
      'account?.codeUntil [-&& account.codeUntil > now -]? account.codeDigest',
  }),
  ...removed('ASVS 6.5.1', 'test/gateway/accounts/credentials.test.ts', {
    'accounts: a one-time password is accepted twice': 'if (isEqual && step > lastStep{+ - 9+})',
  }),
  ...removed('ASVS 7.3.1', 'test/gateway/console/sign-in.test.ts', {
    'accounts: an idle session does not end':
      'return now - createdAt >= maxMs [-|| now - seenAt >= sessionLimits.idleMs-]{++ seenAt * 0+};',
    'accounts: a busy session does not end':
      'return now [---]{+<+} createdAt [->=-]{+++} maxMs {+* 0 +}|| now',
  }),
  ...removed('ASVS 7.4.1', 'test/gateway/console/sign-in.test.ts', {
    'accounts: a restore keeps the sessions': '[-        endSessions({}),\n-]',
  }),
  ...removed('ASVS 7.5.1', 'test/gateway/console/sign-in.test.ts', {
    'accounts: a change of accounts needs no password': 'if (!audience.isConfirmed || {+!+}isConfirmed(',
  }),
  ...removed('ASVS 7.4.1', 'test/gateway/console/live.test.ts', {
    'console: a stream of changes continues after the session':
      'return mayStillRead([-now-]{+person+}, person)',
    'console: an open page prolongs the session':
      "return c.req.[-header('x-live') !== undefined || c.req.-]path.endsWith('/live');",
  }),
];
