/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import { type Mutation, removed } from './mutation.ts';

/** Encoding, injection, validation and business rules: ASVS 1 and 2. */
export const encodingAndValidation: readonly Mutation[] = [
  ...removed(
    'ASVS 1.2.4',
    ['test/service/fuzz.process.long.test.ts', 'test/aggregators/fuzz-1.long.test.ts'],
    {
      'values are concatenated into statements':
        "    {+const text = fill(values).reduce<string>(\n      (all, value) => all.replace('?', () => (typeof value === 'string' ? `'${value}'` : String(value))),\n      sql,\n    );\n    +}return { sql{+: text+}, args: [-fill(values)-]{+[]+}, ...guard };",
    },
  ),
  ...removed('ASVS 1.2.10', 'test/security/csv-formula.test.ts', {
    'formulas are exported as they are': "return cell([-isConverted(text) ? `'${inert}` : -]inert);",
    'formulas are exported as they are after a semicolon':
      'const inert = [-withInertParts(-]text[-)-];{+\n  void withInertParts;+}',
  }),
  ...removed('ASVS 1.5.2', 'test/security/hostile-body.process.long.test.ts', {
    'events are not validated':
      'const parsed = [-eventEnvelope.safeParse(-]{+{ success: true as const, data: +}json.value[-)-]{+ as never }+};',
  }),
  ...removed('ASVS 1.5.3', 'test/security/hostile-body.process.long.test.ts', {
    'duplicate names are accepted': '  [-rejectDuplicateNames(text);\n  -]return',
  }),
  ...removed('ASVS 1.5.3', 'test/aggregators/fields.test.ts', {
    'the last of duplicate fields is used': '[-if (!fields.has(key)) -]fields.set(',
  }),
  ...removed('ASVS 2.2.1', 'test/shared/msisdn.test.ts', {
    'any nine digits are a mobile number': '/^(?:\\+?233|0)([-[25]\\d{8-]{+\\d{9+}})$/',
  }),
  ...removed('ASVS 1.3.6', 'test/service/webhooks-public.test.ts', {
    'live events go to any address': 'checkedLookup([-isPublicAddress-]{+() => true+}, resolve)',
  }),
  ...removed('ASVS 1.3.7', 'test/security/template-injection.test.ts', {
    'a value may contain placeholders':
      "      filled += shown{+.includes('{') ? fill(shown, templateValues) : shown+};",
  }),
  ...removed('ASVS 2.2.3', 'test/scenarios/fee-cap.test.ts', {
    'a fee that was not shown has no bound':
      'return Math.max(alwaysAllowedMinor, [-Math.min(-]share, maxAmountMinor)[-)-]{+ * 1e6+};',
  }),
  ...removed('ASVS 2.3.1', 'test/gateway/guarded-writes.test.ts', {
    'a batch with a conflict is written':
      'if (rows !== undefined && changes [-!==-]{+>+} rows) throw new Conflict();',
    'a transition applies to another version than the one that was read':
      "equals(collection, 'id')[-, eq(collection.version, placeholder('versionRead'))-])),\n  1,",
  }),
  ...removed('ASVS 2.3.2', ['test/security/forged-ussd.test.ts', 'test/scenarios/menu-limits.test.ts'], {
    'a payer can be asked any number of times':
      "isBelowBoth('payer', select, openedAt, {+sql`${+}isPayer{+} AND 1 = 2`+}, isSameKind)",
  }),
  ...removed('ASVS 2.3.1', 'test/service/guarded-writes.test.ts', {
    'a session is initiated in any status': "        [-eq(sessionTable.status, 'created'),\n        -]gt(",
  }),
  ...removed('ASVS 2.3.2', 'test/scenarios/requests-by-strangers.test.ts', {
    'a request by another phone takes the place of the own payment of the payer':
      "  payer: ['payer'{+, 'other'+}],\n",
  }),
  ...removed('ASVS 2.3.2', 'test/gateway/collection/limits.test.ts', {
    'one phone can ask a payer once more at each merchant':
      "isBelowBoth('payerRequests', [-selectEverywhere-]{+select+}, openedAt, isPayer, isRequested)",
    'one phone can ask other payers again at each merchant':
      "isBelowBoth('diallerRequests', [-selectEverywhere-]{+select+}, openedAt, isDialler, isRequested)",
    'declined requests count at one merchant only':
      "const declined = [-kind === 'attendant' ? -]select[- : selectEverywhere-];",
    'requests by strangers use up the limit of a merchant for its payers':
      "merchant_limit: isBelowLimit('merchantMinute', select, openedAt[-, isAhead-]),",
  }),
  ...removed('ASVS 2.3.2', ['test/gateway/collection/limits.test.ts', 'test/scenarios/menu-limits.test.ts'], {
    'the phone of an attendant has no limit of declined requests':
      '[-(-]isAttendant ? [-attendants-]{+null+} : declines[-)-].maxDeclines',
  }),
  ...removed('ASVS 1.2.3', 'test/security/terminal.test.ts', {
    'commands print control characters as they are':
      'text.replace(unprintable, (one) => (isTTY && sequences.get(one)) || [-escapeControls(-]one)[-)-];',
  }),
  ...removed('ASVS 1.3.6', 'test/gateway/lookup/call-url.test.ts', {
    'lookups reach inner addresses': 'checkedLookup([-isAllowed-]{+() => true+}, resolve)',
  }),
  ...removed('ASVS 1.3.6', 'test/gateway/lookup/call-url.test.ts', {
    'lookups leave the address of the configuration': 'isUnderBase[- && !hasParent(address.pathname)-]',
  }),
];
