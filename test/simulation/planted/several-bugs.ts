/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import type { Bug } from './bugs.ts';

/** Bugs between several gateways on one database. The simulation finds them with `--gateways 3`. */
export const severalBugs: readonly Bug[] = [
  {
    name: 'the gateway that sends an END screen again does not become the home',
    rule: 'home',
    file: 'src/gateway/dialogue/callback/answer-callback.ts',
    find: 'if (answered.isRepeat) await deps.collections.adopt(turn.collectionId);',
    replace: '',
  },
  {
    name: 'the delay of a prompt counts from the confirmation when another gateway sent the END screen',
    rule: 'home',
    file: 'src/gateway/dialogue/reply-gate.ts',
    find: '(this.isShared ? maxWaitMs : 0)',
    replace: '0',
  },
  {
    name: 'the work of a gateway that has ended is not taken over',
    rule: 'home',
    file: 'src/gateway/collection/store/due-store.ts',
    find: 'const overdueMs = 5_000;',
    replace: 'const overdueMs = 1_000 * 3_600_000;',
  },
  {
    name: 'a claim compares neither the fence nor the lease',
    rule: 'lease',
    file: 'src/gateway/collection/store/due-store.ts',
    find: "        eq(collection.fence, placeholder('fence')),\n        // Null when the collection was closed since it was listed: the claim is lost, which is no fault.\n        isNotNull(collection.nextAt),\n        lte(collection.leaseUntil, placeholder('now')),",
    replace: '        isNotNull(collection.nextAt),',
  },
  {
    name: 'a gateway that starts alone releases the leases of others',
    rule: 'lease',
    file: 'src/gateway/create.ts',
    find: 'const isOnFile = members.name === null;',
    replace: 'const isOnFile = isAlone;',
  },
  {
    name: 'a gateway that was suspended past its lease sends initiate',
    rule: 'lease',
    file: 'src/gateway/collection/calls/submit.ts',
    find: ': now >= leaseUntil\n        ?',
    replace: ': now < 0 * leaseUntil\n        ?',
  },
  {
    name: 'a result is written without the fence, and decides to send',
    rule: 'fence',
    file: 'src/gateway/collection/reconcile.ts',
    find: 'options.fence !== undefined && options.fence === before.fence;',
    replace: 'options.fence !== undefined;',
  },
  {
    name: 'each gateway has the whole rate of a key',
    rule: 'rates',
    file: 'src/gateway/collection/calls/key-rates.ts',
    find: 'const tokens = callsPerSecond / sharers;',
    replace: 'const tokens = callsPerSecond / Math.min(1, sharers);',
  },
  {
    name: 'a 429 pauses one gateway only',
    rule: 'rates',
    file: 'src/gateway/collection/calls/key-rates.ts',
    find: '      members.announcePause({ merchantId, ms });\n',
    replace: '',
  },
  {
    name: 'a block does not wait for open transactions',
    rule: 'seal',
    file: 'src/gateway/ledger/ledger-store.ts',
    find: 'return (await store.settled()) ? end : undefined;',
    replace: 'return (await store.settled()) || end ? end : undefined;',
  },
  {
    name: 'a block waits before it reads the last numbers',
    rule: 'seal',
    file: 'src/gateway/ledger/ledger-store.ts',
    find: 'const end = await latestNumbers.get(store);\n      return (await store.settled()) ? end : undefined;',
    replace: 'return (await store.settled()) ? latestNumbers.get(store) : undefined;',
  },
  {
    name: 'two gateways that start at once both begin a recovery',
    rule: 'recovery',
    file: 'src/gateway/storage.ts',
    find: 'startAlone: member.startAlone,',
    replace: 'startAlone: (work) => work(true),',
  },
  {
    name: 'a gateway uses the clock of its machine',
    rule: 'clock',
    file: 'src/gateway/storage.ts',
    find: 'isInStep = clock.follow(sample);',
    replace: 'isInStep = sample.at > 0;',
  },
  {
    name: 'openings at one merchant do not wait for each other',
    rule: 'locks',
    file: 'src/gateway/collection/opening/opening-store.ts',
    find: '    `merchant ${livemode} ${merchantId}`,\n',
    replace: '',
  },
  {
    name: 'openings of one phone do not wait for each other',
    rule: 'locks',
    file: 'src/gateway/collection/opening/opening-store.ts',
    find: '    `payer ${livemode} ${payer}`,\n    `dialler ${livemode} ${dialler}`,\n',
    replace: '',
  },
  {
    name: 'an event is parked without the lock of its session',
    rule: 'locks',
    file: 'src/gateway/inbox/inbox-store.ts',
    find: '    ...parkEvent({ merchantId, eventId, stale, sessionId }),\n    locks: [sessionLock(sessionId)],',
    replace: '    ...parkEvent({ merchantId, eventId, stale, sessionId }),',
  },
  {
    name: 'an end screen of an unknown write announces a prompt',
    rule: 'unknown',
    file: 'src/gateway/dialogue/answer-request.ts',
    find: "if (fault instanceof StoreFault && fault.kind === 'unknown') return 'unknown';",
    replace: "if (fault instanceof StoreFault && fault.kind === 'unknown') return true as never;",
  },
  {
    name: 'an event of an unknown write is acknowledged',
    rule: 'unknown',
    file: 'src/gateway/inbox/receive.ts',
    find: 'if (await deps.inbox.apply(inboxWrites.insert(row), ...hint))',
    replace:
      "if (await deps.inbox.apply(inboxWrites.insert(row), ...hint).catch((fault) => { if (fault.kind === 'unknown') return true; throw fault; }))",
  },
];
