/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import { type Mutation, removed } from './mutation.ts';

/** Scenarios, and weaknesses that ASVS does not name. */
export const weaknesses: readonly Mutation[] = [
  ...removed('S34', 'test/gateway/config/environments.test.ts', {
    'a test key may be used in a live environment':
      '|| kind [-=== environment-]{+!== undefined+})\n      continue;',
  }),
  ...removed('S50', 'test/scenarios/webhook-repeat.test.ts', {
    'each delivery of an event is stored': '    eventId: {+`${+}event.id{+}-${receivedAt}`+},\n    livemode',
  }),
  ...removed('CWE-345', ['test/gateway/ledger/attacks.test.ts', 'test/gateway/ledger/verify.test.ts'], {
    'the links of the chain are not checked': "if (block.previousHash [-!== last.hash-]{+=== '-'+}) report",
    'the hashes of blocks are not checked':
      "else if (hashBlock(block, rows) [-!== block.hash-]{+=== '-'+}) {",
    'the hashes of blocks that are read together are not checked':
      'countRows(rows) !== block.rows[- || hashBlock(block, rows) !== block.hash-]',
    'a missing noted head is not reported':
      "if (notedHead [-!== undefined-]{+=== '-'+} && noted === undefined) {",
  }),
  ...removed('CWE-732', 'test/sqlite/private-file.test.ts', {
    'open file modes stay': '[-  chmodSync(file, 0o600);\n-]',
    'a symbolic link is followed': "closeSync(openSync(file, '[-wx-]{+a+}', 0o600));",
  }),
  ...removed('S48', ['test/scenarios/confirmation.test.ts', 'test/gateway/collection/history.test.ts'], {
    'an event confirms its payment':
      "const confirmedAt = source === '[-quote' ? at : null-]{+none' ? null : at+};",
  }),
  ...removed('S48', 'test/scenarios/confirmation.test.ts', {
    'a poll does not contradict an event':
      "if (isUnconfirmed(collection) && {+!evidence.terminal && +}evidence.terminal && status !== 'paid')",
  }),
  ...removed(
    'CWE-345',
    ['test/sqlite/compare-schema.test.ts', 'test/gateway/backup/planted-trigger.test.ts'],
    {
      'unknown triggers are not reported':
        '[-if-]{+void+} [-(!-]isAccepted(object)[-) differences.push(`${getName(object)} is not part of the schema`)-];',
    },
  ),
  ...removed('CWE-1333', 'test/menu/pattern.test.ts', {
    'patterns of menus run on a backtracking engine':
      '[-matcher.testExact-]{+new RegExp(`^(?:${pattern})$`).test+}(text)',
  }),
  ...removed('CWE-1333', 'test/menu/load.test.ts', {
    'the compiled size of a pattern has no bound':
      "[-if (matcher.programSize() > maxInstructions) return { ok: false, reason: 'too many repetitions' };-]",
  }),
  ...removed('CWE-400', 'test/gateway/config/yaml.test.ts', {
    'aliases of a YAML file have no bound':
      'return [-aliases.length > 0 && JSON.stringify(value).length > maxExpanded ? tooMany : -]{ value };',
  }),
  ...removed('CWE-829', 'test/cli/rehearse.long.test.ts', {
    'a transcript runs the program that it names':
      "[-isProgram(menuFile) && !allowPrograms-]{+menuFile === ''+}",
  }),
  ...removed('CWE-862', 'test/gateway/merchant-api/operations.test.ts', {
    'a key of a merchant does everything': '[-hasScope(key, scope)-]{+scope.length > 0+}\n',
  }),
  ...removed('CWE-639', 'test/gateway/merchant-api/operations.test.ts', {
    'an endpoint of another merchant is found':
      "return own === null || own === merchantId{+ || actor.kind === 'key'+};",
  }),
  ...removed('CWE-269', 'test/gateway/merchant-api/operations.test.ts', {
    'a key without whole numbers creates an endpoint that gets them':
      "if (wholePayer && !can(actor, '[-numbers.give-]{+endpoints.write+}')) return mayNotGive;",
    'stored whole numbers are sent to an endpoint that no longer gets them':
      'const body = endpoint.wholePayer [-=== 1-]{+>= 0+} ? claimed.body',
  }),
  ...removed('CWE-837', 'test/gateway/merchant-api/run-once.test.ts', {
    'a repeated request is carried out again': '[-if (!answer.ok) -]await requests.forget(key);',
  }),
  ...removed('CWE-312', 'test/gateway/merchant-api/operations.test.ts', {
    'answers with a secret are stored as they are': 'cipher: isSecret ? [-cipher-]{+plainText+} : plainText,',
  }),
  ...removed('CWE-918', 'test/gateway/notify/deliver.test.ts', {
    'endpoints may have private addresses':
      '[-if (address !== undefined && !isAllowed(address)) return false;-]',
  }),
  ...removed('CWE-347', 'test/gateway/notify/deliver.test.ts', {
    'notifications are signed with another text':
      "...signRequest(secrets, { id, at: networkClock.now(), body{+: ''+} }),",
  }),
  ...removed('CWE-352', 'test/phone/bounds.test.ts', {
    'forms of other sites reach the browser phone': [
      'src/shared/http/request-url.ts',
      "if (site !== undefined) return [-site === 'same-origin'-]{+true+};",
    ],
    'the browser phone answers under every host name': "host [-=== publicUrl.host-]{+!== ''+} ||",
  }),
  ...removed('CWE-352', 'test/gateway/console/open-accounts.test.ts', {
    'other sites reach the open accounts of the demo': 'context.openAccounts.length > [-0-]{+99+})',
  }),
  ...removed('CWE-350', 'test/demo/demo.long.test.ts', {
    'a demo on this machine answers under every host name':
      "const isLocalOnly = [-isThisMachine(-]options.host[-)-]{+ === ''+};",
  }),
  ...removed('CWE-601', 'test/gateway/console/mounted.test.ts', {
    'a mounted console takes any path into its addresses': "[-(plainMount.test(-]mount[-) ? mount : '')-]",
  }),
  ...removed('CWE-79', 'test/phone/bounds.test.ts', {
    'the policy of the browser phone has no default': [
      'src/shared/pages/document.tsx',
      '[-  "default-src \'none\'",-]',
    ],
  }),
  ...removed('CWE-522', 'test/phone/pages.test.ts', {
    'the wire log of a browser has the secret':
      '[-clean(-]`${request.method} /ussd/${id}/${[-removed-]{+secret+}}${request.to}`[-)-]',
  }),
  ...removed('CWE-770', 'test/phone/bounds.test.ts', {
    'there is no bound for all phones together': 'if (total [->= phoneLimits.phones-]{+< 0+})',
  }),
  ...removed('CWE-489', 'test/gateway/config/environments.test.ts', {
    'a live gateway may have a browser phone': "if (environment === '[-live-]{+none+}') report(['phone']",
  }),
];
