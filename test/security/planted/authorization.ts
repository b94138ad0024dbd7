/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import { type Mutation, removed } from './mutation.ts';

/** Roles, other merchants, and tokens: ASVS 8 and 9. */
export const authorization: readonly Mutation[] = [
  ...removed('ASVS 8.2.1', ['test/service/keys.test.ts', 'test/service/errors.test.ts'], {
    'every key has every scope': 'return caller.scopes.includes(scope){+ || scope+}\n    ? undefined',
  }),
  ...removed('ASVS 8.2.2', 'test/security/admin-attack.test.ts', {
    'a session is found for every merchant':
      "const find = findRow(sessionTable, 'id'[-, 'merchantId', 'livemode'-]);",
  }),
  ...removed('ASVS 8.2.3', ['test/service/openapi.test.ts', 'test/service/errors.test.ts'], {
    'unknown properties are ignored':
      'export const offlineSessionRequest = z\n  .[-strictObject-]{+object+}({',
  }),
  ...removed('ASVS 8.3.2', 'test/service/keys.test.ts', {
    'revoked keys are valid': '[-, isNull(apiKey.revokedAt)-])),\n);',
  }),
  ...removed('ASVS 8.3.1', 'test/gateway/collection/payment-summary.test.ts', {
    'a stranger is asked about the duplicate of another payment':
      "sql`${collection.payer} = ${placeholder('payer')}[- AND ${collection.dialler} = ${placeholder('dialler')}-]`",
  }),
  ...removed('ASVS 8.3.1', 'test/security/other-payers.test.ts', {
    'the reason of a rejection reveals that a payer blocks requests':
      "  opted_out: '[-rejectedPayer-]{+rejectedTooMany+}',\n",
  }),
  ...removed('ASVS 8.1.1', 'test/gateway/console/sign-in.test.ts', {
    'accounts: every role may use every page':
      'if ([-!can(person, audience.needs)-]{+person.name === audience.needs+}) {',
  }),
  ...removed('ASVS 8.2.1', 'test/gateway/console/command-token.test.ts', {
    'console: a token of the command line has every role':
      "return actor.session.kind [-!== 'setup' &&-]{+=== 'command' ||+} roles.includes(actor.role);",
    'console: a token of the command line needs no password for an approval':
      "if (!confirm || [-actor.kind !== 'person' || isConfirmed(actor, now)-]{+isConfirmed !== undefined || now > 0+}) return undefined;",
    'console: a token of My account approves for five minutes':
      'await newToken(deps, accountId, [-false-]{+true+})',
    'console: a token of the command line is a cookie':
      "if ([-(session.kind === 'command') !== (kind === 'command')-]{+session.kind !== 'command' && kind === 'command'+}) return undefined;",
  }),
  ...removed('ASVS 9.2.1', 'test/cli/staff-accounts.test.ts', {
    'accounts: a proof of the configuration is for any body': '[at, method, path, digest{+.length+}]',
    'accounts: a proof of the configuration does not end':
      '[-Math.abs(now - read.at) > toleranceMs-]{+read.at === 0+}',
    'accounts: a copied proof of the configuration changes something again':
      "if (accepted [-=== 'accepted'-]{+!== 'full'+}) return undefined;",
    'accounts: the configuration does what needs a person':
      'return configuration [-=== true-]{+!== undefined || roles.length > 0+};',
  }),
  ...removed('ASVS 8.2.2', 'test/gateway/console/systems.test.ts', {
    'console: people of a merchant reach the endpoints and keys of others':
      "return own === null || own === merchantId{+ || actor.kind === 'person'+};",
    'console: people of a merchant create keys for whole numbers':
      "if (scopes.[-includes('payers:read')-]{+length === 0+} && !can(actor, 'numbers.give'))",
  }),
  ...removed('ASVS 8.3.2', 'test/gateway/staff/access-ended.test.ts', {
    'access: an action is written for a person whose access has ended meanwhile':
      "WHEN '[-person-]{+nobody+}' THEN EXISTS",
    'access: an action is written with a key that was revoked meanwhile':
      "WHEN '[-key-]{+nothing+}' THEN EXISTS",
    'access: a page that records nothing is carried out for an actor who has none any more':
      "[-and(-]eq(merchantKey.id, placeholder('actor'))[-, isActor)-]",
  }),
  ...removed('ASVS 8.3.2', 'test/gateway/accounts/credentials.test.ts', {
    'accounts: a session that has ended still changes its account': [
      'src/gateway/accounts/account-action.ts',
      'actor: [-person-]{+name+},',
    ],
  }),
  ...removed('ASVS 8.3.2', 'test/security/held-back-body.test.ts', {
    'APIs: a body that is held back is carried out with an access that has ended':
      'const found = sender [-&& !waited ? sender : await authenticate()-]{+?? (await authenticate())+};',
  }),
  ...removed('ASVS 2.3.5', 'test/gateway/staff/deciders.test.ts', {
    'access: one admin is two people':
      'if (!account || [-!-]isWaiting(account, [-clock.now()-]{+0+})) return undefined;',
    'access: a reset before the first use keeps the old wait':
      'const isUnused = password === null[- && (await isOfFirst({ accounts, clock }, id))-];',
    'access: a disabled account waits unseen':
      'if (!decides({ role }) || (hasDecided[- && before.disabledAt === null-]))',
    'access: a gateway is new for ever':
      'if (all.some(({ createdAt }) => createdAt <= [-clock.now() - waitMs-]{+0+})) return false;',
  }),
  ...removed('ASVS 8.2.3', 'test/security/numbers-by-trying.test.ts', {
    'access: a person who may not see whole numbers finds one by trying': [
      'src/gateway/console/scope.ts',
      "lastFour: [-!can(actor, 'numbers.reveal')-]{+false+}",
    ],
  }),
  ...removed('CWE-200', 'test/gateway/merchant-api/merchant-api.test.ts', {
    'merchant API: the cursor of events is the number of a fact of all merchants':
      'return { events, next: last && [-getCursor-]{+String+}(last{+.seq+}) };',
  }),
  ...removed('CWE-778', 'test/gateway/merchant-api/operations.test.ts', {
    'operations: a replay that begins with a cursor is not recorded':
      'const isContinued = after !== undefined[- && (await notify.replays.isRecorded(action, now))-];',
    "operations: a cursor of one's own reaches payments before the range of a replay":
      '[-Math.max(from, -]after?.openedAt ?? from[-)-]',
  }),
  ...removed('CWE-613', 'test/gateway/console/export.test.ts', {
    'console: an export goes on for a person whose access has ended':
      'if ([-await accounts.accounts.isStillActor(-]person)[-)-] return part;',
  }),
  ...removed('CWE-359', 'test/gateway/console/export.test.ts', {
    'console: whole numbers are exported long after the password':
      "const audience = { needs: 'numbers.export'[-, isConfirmed: true-] } as const;",
  }),
  ...removed('CWE-940', 'test/gateway/accounts/alerts.test.ts', {
    'alerts: an address gets news before its person has entered the code': [
      'src/gateway/notify/alert-job.ts',
      'const proven = readers[-.filter(({ target }) => target.codeDigest === null)-];',
    ],
  }),
  ...removed('CWE-204', 'test/security/numbers-by-trying.test.ts', {
    'console: a person may search for digits without a bound':
      'const isRefused = [-!allowed.allows(name, now)-]{+false+};',
    'operations: a key finds blocked numbers by trying, without a trace':
      '[-await recordGuess(deps, actor, key);-]',
  }),
  ...removed('CWE-204', 'test/gateway/merchant-api/merchant-api.test.ts', {
    'merchant API: a key finds a hidden number by guessing references':
      "if ([-!wholePayer-]{+false+} && maskNumbers(query.reference ?? '') !==",
  }),
  ...removed('ASVS 8.2.3', 'test/gateway/merchant-api/operations.test.ts', {
    'operations: what a receiver answers is shown with whole numbers':
      'answer[-: wholeNumbers || answer === null ? answer : maskExcerpt(answer)-],',
  }),
  ...removed('ASVS 8.2.3', 'test/gateway/staff/block.test.ts', {
    'operations: who blocks the phone of a payment reads its number': '[-of ? maskNumbers(msisdn) : -]msisdn',
  }),
  ...removed('ASVS 8.2.3', 'test/cli/open-reads.test.ts', {
    'commands: an auditor finds a number by its digits': [
      'src/gateway/support/read-operations.ts',
      'if (reading.lastFour && hasDigits([-input-]{+{}+}))',
    ],
  }),
  ...removed('CWE-319', ['test/cli/dial.test.ts', 'test/cli/certify.test.ts'], {
    'commands: the secret of a channel crosses a network in plain text':
      'if (fault !== undefined{+ && url === undefined+}) throw new UsageError(fault);',
  }),
];
