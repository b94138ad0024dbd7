/*
 * What `npm run mutate` mutates, and with which tests. The pure core decides about money, people and texts without a clock, a disk or a
 * network, so that a mutant of it is either noticed by a quick test or changes nothing.
 */

const collection = 'src/gateway/collection';

/** The files of the pure core, and the quick tests that must notice each of their mutants. */
export const core = [
  { files: ['src/shared/money.ts'], tests: ['test/shared/money.test.ts'] },
  { files: ['src/shared/msisdn.ts'], tests: ['test/shared/{msisdn,mask-numbers}.test.ts'] },
  { files: ['src/gateway/ledger/posting.ts'], tests: ['test/gateway/ledger/posting.test.ts'] },
  { files: ['src/gateway/ledger/chain.ts'], tests: ['test/gateway/ledger/chain.test.ts'] },
  { files: [`${collection}/schedule.ts`], tests: ['test/gateway/collection/schedule.test.ts'] },
  {
    files: [`${collection}/decide/decide.ts`],
    tests: ['test/gateway/collection/{decide,next-step}.test.ts'],
  },
  {
    files: [`${collection}/decide/call.ts`],
    tests: ['test/gateway/collection/decide-call.test.ts'],
  },
  {
    files: [`${collection}/decide/poll.ts`],
    tests: ['test/gateway/collection/{decide-poll,second-charge}.test.ts'],
  },
  {
    files: [`${collection}/decide/charges.ts`],
    tests: ['test/gateway/collection/decide-charges.test.ts'],
  },
  {
    files: [`${collection}/decide/deadline.ts`],
    tests: ['test/gateway/collection/decide-deadline.test.ts'],
  },
  {
    files: [`${collection}/decide/event.ts`],
    tests: ['test/gateway/collection/decide-event.test.ts'],
  },
  {
    files: [`${collection}/evidence.ts`],
    tests: ['test/gateway/collection/evidence.test.ts'],
  },
  {
    files: [`${collection}/decide/decision.ts`],
    tests: ['test/gateway/collection/decide-{call,decision}.test.ts'],
  },
  {
    files: [`${collection}/decide/review.ts`],
    tests: ['test/gateway/collection/decide-{deadline,review}.test.ts'],
  },
  {
    files: [`${collection}/decide/unplaced-event.ts`],
    tests: ['test/gateway/collection/unplaced-event.test.ts'],
  },
  {
    files: [`${collection}/fact.ts`],
    tests: ['test/gateway/collection/fact.test.ts'],
  },
  {
    files: [`${collection}/decide/suspend.ts`],
    tests: ['test/gateway/collection/decide-suspend.test.ts'],
  },
  { files: ['src/gateway/inbox/signature.ts'], tests: ['test/gateway/inbox/signature.test.ts'] },
  { files: ['src/shared/standard-webhook.ts'], tests: ['test/shared/standard-webhook.test.ts'] },
  { files: ['src/gateway/notify/retry-plan.ts'], tests: ['test/gateway/notify/retry-plan.test.ts'] },
  { files: ['src/gateway/access/permissions.ts'], tests: ['test/gateway/access/permissions.test.ts'] },
  {
    files: ['src/gateway/service-statement/compare.ts'],
    tests: ['test/gateway/service-statement/compare.test.ts'],
  },
  { files: ['src/shared/parse-csv.ts'], tests: ['test/shared/parse-csv.test.ts'] },
  {
    files: ['src/gateway/service-statement/read-statement.ts'],
    tests: ['test/gateway/service-statement/read-statement.test.ts'],
  },
  {
    files: ['src/gateway/dialogue/classify-request.ts'],
    tests: ['test/gateway/dialogue/classify-request.test.ts'],
  },
  { files: ['src/gateway/ledger/seal.ts'], tests: ['test/gateway/ledger/seal-job.test.ts'] },
  { files: ['src/gateway/support/export/csv.ts'], tests: ['test/gateway/support/csv.test.ts'] },
  { files: ['src/gateway/unplaced/fact.ts'], tests: ['test/gateway/unplaced/fact.test.ts'] },
  { files: ['src/gateway/unplaced/decide.ts'], tests: ['test/gateway/unplaced/decide.test.ts'] },
  { files: ['src/aggregators/dial-string.ts'], tests: ['test/aggregators/dialled-texts.test.ts'] },
  {
    files: ['src/aggregators/description/request-fields.ts'],
    tests: ['test/aggregators/fields.test.ts'],
  },
  {
    files: ['src/aggregators/description/template.ts'],
    tests: ['test/aggregators/template.test.ts'],
  },
  {
    files: ['src/aggregators/description/read-request.ts'],
    tests: ['test/aggregators/read-request.test.ts'],
  },
  { files: ['src/aggregators/generic/settings.ts'], tests: ['test/aggregators/settings.test.ts'] },
  {
    files: ['src/aggregators/generic/generic.ts'],
    tests: ['test/aggregators/{dialects,fixtures,generic}.test.ts'],
  },
  {
    files: ['src/aggregators/generic/match-template.ts'],
    tests: ['test/aggregators/match-template.test.ts'],
  },
  {
    files: ['src/aggregators/description/describe.ts'],
    tests: ['test/aggregators/describe.test.ts'],
  },
  {
    files: ['src/aggregators/simulated-aggregator.ts'],
    tests: ['test/aggregators/simulated-aggregator.test.ts'],
  },
  { files: ['src/aggregators/registry.ts'], tests: ['test/aggregators/registry.test.ts'] },
  {
    files: [
      'src/aggregators/{africastalking,arkesel,beem,hubtel,infobip,mnotify,moolre}/*.ts',
      'src/aggregators/{kairos,mtn-madapi,nalo,nsano,orchard,sendexa,smpp-like,southpawsl,wigal}/*.ts',
    ],
    tests: ['test/aggregators/{dialects,fixtures}.test.ts'],
  },
  { files: ['src/menu/check/*.ts'], tests: ['test/menu/check.test.ts'] },
  { files: ['src/menu/state/answer.ts'], tests: ['test/menu/answer.test.ts'] },
  { files: ['src/menu/state/condition.ts'], tests: ['test/menu/condition.test.ts'] },
  { files: ['src/menu/state/enter.ts'], tests: ['test/menu/enter.test.ts'] },
  { files: ['src/menu/state/pattern.ts'], tests: ['test/menu/{made-reference,pattern}.test.ts'] },
  { files: ['src/menu/state/payment-answers.ts'], tests: ['test/menu/payment-answers.test.ts'] },
  { files: ['src/menu/state/start-menu.ts'], tests: ['test/menu/{language,resume,start-menu}.test.ts'] },
  {
    files: ['src/menu/state/step.ts'],
    tests: ['test/menu/{dialled-suffix,enter,language,proxy,redial,resume,step}.test.ts'],
  },
];

/** A lower share of killed mutants, or a mutant that no test runs, fails the command. */
export const minScore = 95;

/** Options of Stryker: https://stryker-mutator.io/docs/stryker-js/configuration */
export const options = {
  testRunner: 'vitest',
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  vitest: { configFile: 'tools/mutate/vitest.config.ts' },
  reporters: ['progress'],
  logLevel: 'warn',
  warnings: { slow: false },
  concurrency: 1,
  // On a busy machine, a slow run is no endless one.
  timeoutMS: 10_000,
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['docs/pictures', 'dist', 'release', 'data'],
  cleanTempDir: 'always',
  // Stryker would read and rewrite these with an API that TypeScript 7 does not have. Vitest checks no types.
  tsconfigFile: 'none',
  disableTypeChecks: false,
};
