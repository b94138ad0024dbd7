/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import type { PlantedBug } from '../../kit/plant.ts';

/** A planted bug with the rule or invariant that it breaks. */
export type Bug = PlantedBug & { rule: string };

/** The simulation must find each bug within the number of seeds that the script allows. */
export const bugs: readonly Bug[] = [
  {
    name: 'a repeated create sends other bytes',
    rule: 'R1',
    file: 'src/gateway/collection/calls/submit.ts',
    find: 'const call = { idempotencyKey: row.createKey, body: row.createBody };',
    replace:
      "const call = { idempotencyKey: row.createKey, body: row.createBody + ' '.repeat(row.attempts) };",
  },
  {
    name: 'each create attempt has a new key',
    rule: 'R1',
    file: 'src/gateway/collection/calls/submit.ts',
    find: 'const call = { idempotencyKey: row.createKey, body: row.createBody };',
    replace: 'const call = { idempotencyKey: `${row.createKey}-${row.attempts}`, body: row.createBody };',
  },
  {
    name: 'a lost initiate creates a second session',
    rule: 'R2',
    file: 'src/gateway/collection/calls/submit.ts',
    find: 'deps.provider.initiate(key, call) : notConfigured;',
    replace:
      "deps.provider.initiate(key, call).then(async (lost) => { if (lost.kind !== 'unknown') return lost; const made = await deps.provider.create(key, { idempotencyKey: reconciled.row.createKey, body: reconciled.row.createBody }); return made.kind === 'ok' ? deps.provider.initiate(key, { ...call, sessionId: made.value.id }) : lost; }) : notConfigured;",
  },
  {
    name: 'initiate is retried without a status check',
    rule: 'R3',
    file: 'src/gateway/collection/calls/submit.ts',
    find: 'deps.provider.initiate(key, call) : notConfigured;',
    replace:
      "deps.provider.initiate(key, call).then((one) => one.kind === 'unknown' ? deps.provider.initiate(key, call) : one) : notConfigured;",
  },
  {
    name: 'initiate is resent without a grace period',
    rule: 'R3',
    file: 'src/gateway/collection/decide/poll.ts',
    find: 'evidence.requestedAt >= initiateSentAt + context.resendGraceMs;',
    replace: 'evidence.requestedAt >= 0;',
  },
  {
    name: 'a lost initiate is a failed payment',
    rule: 'R4',
    file: 'src/gateway/collection/decide/call.ts',
    find: 'const decision = record(callFact(evidence.call, evidence.outcome, evidence));',
    replace:
      "const decision = evidence.call === 'initiate' ? record(callFact(evidence.call, evidence.outcome, evidence), { kind: 'failed', data: { reason: 'no_answer' } }) : record(callFact(evidence.call, evidence.outcome, evidence));",
  },
  {
    name: 'a non-final status ends the payment',
    rule: 'R4',
    file: 'src/gateway/collection/decide/poll.ts',
    find: 'return evidence.terminal ? endUnpaid(collection, status, fact) : record(fact);',
    replace: 'return endUnpaid(collection, status, fact);',
  },
  {
    name: 'a failed event ends a collection',
    rule: 'R4',
    file: 'src/gateway/collection/decide/event.ts',
    find: "return record(fact, { kind: 'failure_reported', data: { reason } });",
    replace: 'return record(fact, { kind: evidence.status, data: { reason } });',
  },
  {
    name: 'a webhook is acknowledged before it is stored',
    rule: 'R5',
    file: 'src/gateway/inbox/receive.ts',
    find: 'if (await deps.inbox.apply(inboxWrites.insert(row), ...hint))',
    replace: 'if (deps.inbox.apply(inboxWrites.insert(row), ...hint))',
  },
  {
    name: 'writes are acknowledged before they are committed',
    rule: 'R5',
    file: 'src/sqlite/group-commit.ts',
    find: 'answers.push(() => resolve(rows !== undefined));',
    replace: 'resolve(rows !== undefined);',
  },
  {
    name: 'synchronous=NORMAL',
    rule: 'R5',
    file: 'src/sqlite/connection.ts',
    find: "const synchronous = connection.pragma('synchronous', { simple: true });",
    replace:
      "const synchronous = connection.pragma('synchronous', { simple: true }); connection.pragma('synchronous = NORMAL');",
  },
  {
    name: 'a result is written without its postings',
    rule: 'R6',
    file: 'src/gateway/collection/store/transition-store.ts',
    find: 'for (const side of postings)',
    replace: "for (const side of booking === 'paid' ? [] : postings)",
  },
  {
    name: 'the event of a paid collection is booked again',
    rule: 'R6',
    file: 'src/gateway/collection/decide/event.ts',
    find: "return record(fact, { kind: 'amounts_confirmed', data: { eventId: evidence.eventId } });",
    replace: 'return bookPaid(collection, payment, context, fact);',
  },
  {
    name: 'failed overrides paid',
    rule: 'R7',
    file: 'src/gateway/collection/decide/decision.ts',
    find: 'return flag(collection, `${status}_after_paid`, fact);',
    replace: 'return record(fact, { kind: status, data: { reason } });',
  },
  {
    name: 'paid after failed is ignored',
    rule: 'R7',
    file: 'src/gateway/collection/decide/event.ts',
    find: 'return suspendForReview(collection, payment, fact);',
    replace: 'return record(fact);',
  },
  {
    name: 'the prompt deadline is a hundred times too long',
    rule: 'R8',
    file: 'src/gateway/collection/opening/prepare-intent.ts',
    find: 'promptDeadline: now + promptDeadlineMs,',
    replace: 'promptDeadline: now + 100 * promptDeadlineMs,',
  },
  {
    name: 'a repeated request counts as a new input',
    rule: 'I7',
    file: 'src/gateway/dialogue/answer-request.ts',
    find: "if (requestKind.kind === 'repeat' && last) {",
    replace: "if (requestKind.kind === 'repeat' && last && last.sequence < 0) {",
  },
  {
    name: 'polls ignore retry_after_seconds',
    rule: 'I9',
    file: 'src/gateway/collection/schedule.ts',
    find: "if (evidence.kind === 'polled') return Math.min(24 * hour, (evidence.retryAfterSeconds ?? 0) * second);",
    replace: "if (evidence.kind === 'polled') return 0;",
  },
  {
    name: 'the quote is not checked',
    rule: 'I1',
    file: 'src/gateway/collection/decide/call.ts',
    find: 'const fault = quoteFault(collection, session) ?? totalFault(collection, session, context);',
    replace: 'const fault = totalFault(collection, session, context);',
  },
  {
    name: 'a fee that no screen showed is not limited',
    rule: 'I1',
    file: 'src/gateway/collection/decide/call.ts',
    find: "return totalMinor - goodsMinor > maxUnshownFee(goodsMinor, feeCap) ? 'quote_fee_too_high' : undefined;",
    replace: "return totalMinor < maxUnshownFee(goodsMinor, feeCap) ? 'quote_fee_too_high' : undefined;",
  },
  {
    name: 'an event with other amounts counts as paid',
    rule: 'I5',
    file: 'src/gateway/collection/decide/event.ts',
    find: 'const isAsQuoted = hasSameAmounts(collection, evidence.amounts);',
    replace: 'const isAsQuoted = hasSameAmounts(collection, evidence.amounts) || true;',
  },
  {
    name: 'an event confirms its own payment',
    rule: 'I5',
    file: 'src/gateway/collection/fact.ts',
    find: "const confirmedAt = source === 'quote' ? at : null;",
    replace: 'const confirmedAt = at;',
  },
  {
    name: 'any poll confirms an unconfirmed payment',
    rule: 'I5',
    file: 'src/gateway/collection/decide/poll.ts',
    find: "if (isUnconfirmed(collection) && evidence.terminal && status !== 'paid')\n    return contradictPaid(evidence.status, fact);",
    replace: "if (isUnconfirmed(collection)) return record(fact, { kind: 'confirmed', data: {} });",
  },
  {
    name: 'a poll with the status paid is ignored',
    rule: 'I5',
    file: 'src/gateway/collection/decide/poll.ts',
    find: 'return evidence.terminal ? paidAtQuote(collection, evidence, context, fact) : record(fact);',
    replace: 'return record(fact);',
  },
  {
    name: 'the prompt does not wait for the prompt delay',
    rule: 'S15',
    file: 'src/gateway/collection/opening/prepare-intent.ts',
    find: 'promptNotBefore: now + promptDelayMs,',
    replace: 'promptNotBefore: now + promptDelayMs / 10,',
  },
  {
    name: 'a phone number is logged',
    rule: 'I11',
    file: 'src/gateway/collection/reconcile.ts',
    find: 'log.info({ collection: id, merchant: merchantId, from: before.status, status, reason },',
    replace: 'log.info({ collection: id, merchant: merchantId, from: after.payer, status, reason },',
  },
  {
    name: 'initiated collections are never polled',
    rule: 'liveness',
    file: 'src/gateway/collection/schedule.ts',
    find: 'return Math.round((nextPollMs(elapsed) - elapsed) * (1 + random / 10));',
    replace: 'return 1_000 * hour + Math.round(random);',
  },
  {
    name: 'without a shown fee, ten times the amount is charged',
    rule: 'I1',
    file: 'src/gateway/dialogue/prepare-collection.ts',
    find: 'goodsMinor: intent.amountMinor,',
    replace:
      'goodsMinor: (quote ? intent.amountMinor : 10 * intent.amountMinor) as typeof intent.amountMinor,',
  },
  {
    name: 'the one who dialled is asked, whoever should pay',
    rule: 'I1',
    file: 'src/gateway/dialogue/prepare-collection.ts',
    find: 'const { payer, quote } = intent;',
    replace: 'const { quote } = intent, payer = dialler;',
  },
  {
    name: 'another total than the screen named is asked for',
    rule: 'I1',
    file: 'src/gateway/collection/decide/call.ts',
    find: 'const fault = quoteFault(collection, session) ?? totalFault(collection, session, context);',
    replace:
      'const fault = quoteFault(collection, session) ?? (totalFault(collection, session, context) && undefined);',
  },
  {
    name: 'collections are abandoned at once',
    rule: 'R4',
    file: 'src/gateway/collection/opening/prepare-intent.ts',
    find: 'promptDeadline: now + promptDeadlineMs,',
    replace: 'promptDeadline: now + promptDeadlineMs / 1000,',
  },
  {
    name: "a proxy's error page counts as a rejection",
    rule: 'R4',
    file: 'src/gateway/collection/calls/client.ts',
    find: 'if (isDefinite && errorCode !== undefined) return',
    replace: 'if (isDefinite) return',
  },
  {
    name: 'the merchant and the fee are swapped in the ledger',
    rule: 'I5',
    file: 'src/gateway/ledger/posting.ts',
    find: "amountMinor: request.netMinor },\n        { account: 'service_fees', amountMinor: request.feeMinor },",
    replace:
      "amountMinor: request.feeMinor },\n        { account: 'service_fees', amountMinor: request.netMinor },",
  },
  {
    name: 'the amount of a mismatch is not read',
    rule: 'I5',
    file: 'src/gateway/inbox/handle-event.ts',
    find: 'const amount = data.paid_minor ?? data.amount_minor;',
    replace: 'const amount = data.expected_fee_minor ?? data.amount_minor;',
  },
  {
    name: 'a forged webhook is accepted',
    rule: 'I13',
    file: 'src/gateway/inbox/receive.ts',
    find: "if (!merchant || check.kind === 'forged') return { kind: 'forged' };",
    replace: "if (!merchant) return { kind: 'forged' };",
  },
  {
    name: "another merchant's event changes a collection",
    rule: 'I13',
    file: 'src/gateway/collection/store/collection-store.ts',
    find: "eq(collection.sessionId, placeholder('sessionId')),\n        eq(collection.merchantId, placeholder('merchantId')),\n        eq(collection.livemode, placeholder('livemode')),",
    replace:
      "eq(collection.sessionId, placeholder('sessionId')),\n        eq(collection.livemode, placeholder('livemode')),",
  },
  {
    name: 'the prompt does not wait until the end screen was sent',
    rule: 'S15',
    file: 'src/gateway/collection/calls/submit.ts',
    find: 'const leftAt = await screenSent(row.dialogueId);',
    replace: 'const leftAt = screenSent(row.dialogueId) && undefined;',
  },
  {
    name: 'a suspended process sends after the deadline',
    rule: 'R8',
    file: 'src/gateway/collection/calls/submit.ts',
    find: 'const isTooLate = deps.clock.now() >= promptDeadline;',
    replace: 'const isTooLate = deps.clock.now() < 0;',
  },
  {
    name: 'a rejected initiate proves that no prompt will come',
    rule: 'R4',
    file: 'src/gateway/collection/decide/poll.ts',
    find: 'const provenFrom = Math.max(rejection === null ? promptDeadline : 0, initiateSentAt + maxRequestDelayMs);',
    replace:
      'const provenFrom = rejection === null ? Math.max(promptDeadline, initiateSentAt + maxRequestDelayMs) : 0;',
  },
  {
    name: 'a second charge is not reported',
    rule: 'I5',
    file: 'src/gateway/collection/decide/event.ts',
    find: "? flag(collection, 'second_charge', fact)\n",
    replace: '? record(fact)\n',
  },
  {
    name: 'the fee of an event is not compared',
    rule: 'I5',
    file: 'src/gateway/collection/decide/event.ts',
    find: 'stated.feeMinor === collection.feeMinor &&\n    stated.netMinor === collection.netMinor',
    replace: 'stated.feeMinor > 0',
  },
  {
    name: 'other content under a known event id is accepted',
    rule: 'I5',
    file: 'src/gateway/inbox/receive.ts',
    find: 'if (stale) return false;',
    replace:
      'if (stale) return false; if ((await inbox.find(row))?.body !== row.body) return inbox.apply(inboxWrites.insert({ ...row, eventId: `${row.eventId}-again` }));',
  },
  {
    name: 'a 429 does not pause calls',
    rule: 'I9',
    file: 'src/gateway/collection/calls/key-rates.ts',
    find: 'bucketOf(merchantId).pause(clock.now(), pauseDurationMs(retryAfterMs));',
    replace: 'bucketOf(merchantId).pause(clock.now(), 0 * pauseDurationMs(retryAfterMs));',
  },
  {
    name: 'no collection is ever opened',
    rule: 'liveness',
    file: 'src/gateway/dialogue/open-collection.ts',
    find: "if (isOutdated(intent, turn)) return reject('retry');",
    replace: "if (intent && (isOutdated(intent, turn) || true)) return reject('retry');",
  },
];
