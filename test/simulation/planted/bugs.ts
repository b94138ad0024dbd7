/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import type { PlantedBug } from '../../kit/plant.ts';

/** A planted bug with the rule or invariant that it breaks. */
export type Bug = PlantedBug & { rule: string };

/** The simulation must find each bug within the number of seeds that the script allows. */
export const bugs: readonly Bug[] = [
  {
    name: 'a repeated create sends other bytes',
    rule: 'R1',
    file: 'src/gateway/collection/advance.ts',
    find: 'const call = { idempotencyKey: row.createKey, body: row.createBody };',
    replace:
      "const call = { idempotencyKey: row.createKey, body: row.createBody + ' '.repeat(row.attempts) };",
  },
  {
    name: 'each create attempt has a new key',
    rule: 'R1',
    file: 'src/gateway/collection/advance.ts',
    find: 'const call = { idempotencyKey: row.createKey, body: row.createBody };',
    replace: 'const call = { idempotencyKey: `${row.createKey}-${row.attempts}`, body: row.createBody };',
  },
  {
    name: 'a lost initiate creates a second session',
    rule: 'R2',
    find: 'deps.provider.initiate(key, call) : notConfigured);',
    replace:
      "deps.provider.initiate(key, call).then(async (lost) => { if (lost.kind !== 'unknown') return lost; const made = await deps.provider.create(key, { idempotencyKey: row.createKey, body: row.createBody }); return made.kind === 'ok' ? deps.provider.initiate(key, { ...call, sessionId: made.value.id }) : lost; }) : notConfigured);",
  },
  {
    name: 'initiate is retried without a status check',
    rule: 'R3',
    find: 'deps.provider.initiate(key, call) : notConfigured);',
    replace:
      "deps.provider.initiate(key, call).then((one) => one.kind === 'unknown' ? deps.provider.initiate(key, call) : one) : notConfigured);",
  },
  {
    name: 'initiate is resent without a grace period',
    rule: 'R3',
    find: 'evidence.requestedAt >= initiateSentAt + context.resendGraceMs;',
    replace: 'evidence.requestedAt >= 0;',
  },
  {
    name: 'a lost initiate is a failed payment',
    rule: 'R4',
    find: 'const decision = record(callFact(evidence.call, evidence.outcome, evidence));',
    replace:
      "const decision = evidence.call === 'initiate' ? record(callFact(evidence.call, evidence.outcome, evidence), { kind: 'failed', data: { reason: 'no_answer' } }) : record(callFact(evidence.call, evidence.outcome, evidence));",
  },
  {
    name: 'a non-final status ends the payment',
    rule: 'R4',
    find: 'return evidence.terminal\n        ? endUnpaid(',
    replace: 'return evidence\n        ? endUnpaid(',
  },
  {
    name: 'a failed event ends a collection',
    rule: 'R4',
    find: "return record(fact, { kind: 'failure_reported', data: { reason } });",
    replace: 'return record(fact, { kind: evidence.status, data: { reason } });',
  },
  {
    name: 'a webhook is acknowledged before it is stored',
    rule: 'R5',
    find: 'if (await deps.inbox.apply(inboxWrites.insert(row), ...hint))',
    replace: 'if (deps.inbox.apply(inboxWrites.insert(row), ...hint))',
  },
  {
    name: 'writes are acknowledged before they are committed',
    rule: 'R5',
    find: 'answers.push(() => resolve(rows !== undefined));',
    replace: 'resolve(rows !== undefined);',
  },
  {
    name: 'synchronous=NORMAL',
    rule: 'R5',
    find: "const synchronous = connection.pragma('synchronous', { simple: true });",
    replace:
      "const synchronous = connection.pragma('synchronous', { simple: true }); connection.pragma('synchronous = NORMAL');",
  },
  {
    name: 'a result is written without its postings',
    rule: 'R6',
    find: 'postings.map((side) => insertPosting(',
    replace: "(booking === 'paid' ? [] : postings).map((side) => insertPosting(",
  },
  {
    name: 'the event of a paid collection is booked again',
    rule: 'R6',
    find: "return record(fact, { kind: 'amounts_confirmed', data: { eventId: evidence.eventId } });",
    replace: 'return bookPaid(collection, payment, context, fact);',
  },
  {
    name: 'failed overrides paid',
    rule: 'R7',
    find: "if (status === 'paid') return flag(collection, `${evidence.status}_after_paid`, fact);",
    replace:
      "if (status === 'paid') return record(fact, { kind: evidence.status, data: { reason: evidence.reason ?? unstatedReason } });",
  },
  {
    name: 'paid after failed is ignored',
    rule: 'R7',
    find: 'evidence.paidAt)) return record(fact);\n      return suspendForReview(collection, payment, context, fact);',
    replace: 'evidence.paidAt)) return record(fact);\n      return record(fact);',
  },
  {
    name: 'the prompt deadline is a hundred times too long',
    rule: 'R8',
    find: 'promptDeadline: now + promptDeadlineMs,',
    replace: 'promptDeadline: now + 100 * promptDeadlineMs,',
  },
  {
    name: 'a repeated request counts as a new input',
    rule: 'I7',
    find: "if (found.kind === 'repeat' && last) return",
    replace: "if (found.kind === 'repeat' && last && last.sequence < 0) return",
  },
  {
    name: 'polls ignore retry_after_seconds',
    rule: 'I9',
    find: "if (evidence.kind === 'polled') return Math.min(24 * hour, (evidence.retryAfterSeconds ?? 0) * second);",
    replace: "if (evidence.kind === 'polled') return 0;",
  },
  {
    name: 'the quote is not checked',
    rule: 'I1',
    find: 'const fault = quoteFault(collection, session) ?? totalFault(collection, session, context);',
    replace: 'const fault = totalFault(collection, session, context);',
  },
  {
    name: 'a fee that no screen showed is not limited',
    rule: 'I1',
    find: "return totalMinor - goodsMinor > maxUnshownFee(goodsMinor, feeCap) ? 'quote_fee_too_high' : undefined;",
    replace: "return totalMinor < maxUnshownFee(goodsMinor, feeCap) ? 'quote_fee_too_high' : undefined;",
  },
  {
    name: 'an event with other amounts counts as paid',
    rule: 'I5',
    find: 'const isAsQuoted = hasSameAmounts(collection, evidence);',
    replace: 'const isAsQuoted = hasSameAmounts(collection, evidence) || true;',
  },
  {
    name: 'an event confirms its own payment',
    rule: 'I5',
    find: "const confirmedAt = source === 'quote' ? at : null;",
    replace: 'const confirmedAt = at;',
  },
  {
    name: 'any poll confirms an unconfirmed payment',
    rule: 'I5',
    find: "if (isUnconfirmed(collection) && evidence.terminal && status !== 'paid')\n    return contradictPaid(collection, status, fact);",
    replace: "if (isUnconfirmed(collection)) return record(fact, { kind: 'confirmed', data: {} });",
  },
  {
    name: 'a payment that a poll refutes stays in the account of the merchant',
    rule: 'I5',
    find: 'return suspendUnproven(collection, reason, [fact]);',
    replace: 'return openReview(reason, [fact]);',
  },
  {
    name: 'a poll with the status paid is ignored',
    rule: 'I5',
    find: 'return evidence.terminal ? paidByPoll(collection, evidence, context, fact) : record(fact);',
    replace: 'return record(fact);',
  },
  {
    name: 'the prompt does not wait for the prompt delay',
    rule: 'S15',
    find: 'promptNotBefore: now + promptDelayMs,',
    replace: 'promptNotBefore: now + promptDelayMs / 10,',
  },
  {
    name: 'a phone number is logged',
    rule: 'I11',
    find: '...{ from: before.status, status, reason },',
    replace: '...{ from: after.payer, status, reason },',
  },
  {
    name: 'initiated collections are never polled',
    rule: 'liveness',
    find: 'return Math.round((nextPollMs(elapsed) - elapsed) * (1 + random / 10));',
    replace: 'return 1_000 * hour + Math.round(random);',
  },
  {
    name: 'without a shown fee, ten times the amount is charged',
    rule: 'I1',
    find: 'goodsMinor: intent.amountMinor,',
    replace:
      'goodsMinor: (quote ? intent.amountMinor : 10 * intent.amountMinor) as typeof intent.amountMinor,',
  },
  {
    name: 'the dialler is asked instead of the payer',
    rule: 'I1',
    find: 'const { payer, quote } = intent;',
    replace: 'const { quote } = intent, payer = dialler;',
  },
  {
    name: 'another total than the screen named is asked for',
    rule: 'I1',
    find: 'const fault = quoteFault(collection, session) ?? totalFault(collection, session, context);',
    replace:
      'const fault = quoteFault(collection, session) ?? (totalFault(collection, session, context) && undefined);',
  },
  {
    name: 'collections are abandoned at once',
    rule: 'R4',
    find: 'promptDeadline: now + promptDeadlineMs,',
    replace: 'promptDeadline: now + promptDeadlineMs / 1000,',
  },
  {
    name: "a proxy's error page counts as a rejection",
    rule: 'R4',
    find: 'if (isDefinite && errorCode !== undefined) return',
    replace: 'if (isDefinite) return',
  },
  {
    name: 'the merchant and the fee are swapped in the ledger',
    rule: 'I5',
    find: "amountMinor: request.netMinor },\n        { account: 'service_fees', amountMinor: request.feeMinor },",
    replace:
      "amountMinor: request.feeMinor },\n        { account: 'service_fees', amountMinor: request.netMinor },",
  },
  {
    name: 'the amount of a mismatch is not read',
    rule: 'I5',
    find: 'const amount = data.paid_minor ?? data.amount_minor;',
    replace: 'const amount = data.expected_fee_minor ?? data.amount_minor;',
  },
  {
    name: 'a forged webhook is accepted',
    rule: 'I13',
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
    find: 'const leftAt = await deps.screenSent(row);',
    replace: 'const leftAt = deps.screenSent(row) && row.openedAt;',
  },
  {
    name: 'the delay of the prompt does not start again with a repeated end screen',
    rule: 'S15',
    find: "  if (turn && (reply.kind === 'end' || answered.isRepeat)) holdPrompt(turn.dialogueId, reply.kind);\n",
    replace: '',
  },
  {
    name: 'a broken connection counts as a sent end screen',
    rule: 'S15',
    find: "(end === 'broken' ? repeatWithinMs : 0)",
    replace: '0',
  },
  {
    name: 'a prompt is sent while its payer is in a new dialogue',
    rule: 'S15',
    file: 'src/gateway/dialogue/last-session.ts',
    find: "return last?.reply === 'continue'",
    replace: "return last?.reply === 'never'",
  },
  {
    name: 'the prompt follows the end of a new dialogue without a delay',
    rule: 'S15',
    find: 'Math.max(leftAt, session?.endedAt ?? 0)',
    replace: 'Math.max(leftAt, 0)',
  },
  {
    name: 'a suspended process sends after the deadline',
    rule: 'R8',
    find: 'now >= promptDeadline\n      ?',
    replace: 'now < 0\n      ?',
  },
  {
    name: 'a rejected initiate proves that no prompt will come',
    rule: 'R4',
    find: 'const provenFrom = Math.max(rejection === null ? promptDeadline : 0, initiateSentAt + maxRequestDelayMs);',
    replace:
      'const provenFrom = rejection === null ? Math.max(promptDeadline, initiateSentAt + maxRequestDelayMs) : 0;',
  },
  {
    name: 'a second charge is not reported',
    rule: 'I5',
    find: "case 'paid':\n      return flagSecondCharge(collection, reported, context, fact);",
    replace: "case 'paid':\n      return record(fact);",
  },
  {
    name: 'the fee of an event is not compared',
    rule: 'I5',
    find: 'stated.feeMinor === collection.feeMinor &&\n    stated.netMinor === collection.netMinor',
    replace: 'stated.feeMinor > 0',
  },
  {
    name: 'other content under a known event id is accepted',
    rule: 'I5',
    find: 'if (stale) return false;',
    replace:
      'if (stale) return false; if ((await inbox.find(row))?.body !== row.body) return inbox.apply(inboxWrites.insert({ ...row, eventId: `${row.eventId}-again` }));',
  },
  {
    name: 'a 429 does not pause calls',
    rule: 'I9',
    find: 'const ms = pauseDurationMs(retryAfterMs);',
    replace: 'const ms = 0 * pauseDurationMs(retryAfterMs);',
  },
  {
    name: 'a decision is applied to facts that its people have not seen',
    rule: 'decision',
    find: `EvidenceOf<'decision'>,
): DecisionRefusal | undefined {
  if (collection.version !== versionSeen)`,
    replace: `EvidenceOf<'decision'>,
): DecisionRefusal | undefined {
  if (collection.version < versionSeen)`,
  },
  {
    name: 'a blocked dialler opens collections',
    rule: 'block',
    find: "dialler_blocked: sql`NOT EXISTS (${getBlocks('dialler', 'dialler')})`,",
    replace: "dialler_blocked: sql`TRUE OR NOT EXISTS (${getBlocks('dialler', 'dialler')})`,",
  },
  {
    name: 'other phones ask a blocked payer',
    rule: 'block',
    find: 'payer_blocked: isByOther ?',
    replace: 'payer_blocked: !isByOther ?',
  },
  {
    name: 'people approve their own proposals',
    rule: 'decision',
    find: 'if (actor.name !== proposedBy || amountMinor <= secondPersonAboveMinor) return undefined;',
    replace: 'if (actor.name !== proposedBy || amountMinor > secondPersonAboveMinor) return undefined;',
  },
  {
    name: 'each event of an unknown session books its money again',
    rule: 'I5',
    find: 'const arrivedMinor = after.suspendedMinor - suspendedMinor;',
    replace: 'const arrivedMinor = after.suspendedMinor;',
  },
  {
    name: 'the money of an unknown session is only listed',
    rule: 'I5',
    find: 'return [...guards, ...reported];',
    replace: 'return [];',
  },
  {
    name: 'the money of a second charge is not booked',
    rule: 'I5',
    find: 'if (!known) return changeUnplaced(undefined, [reportedFact(charges, report)], now);',
    replace: 'if (!known) return undefined;',
  },
  {
    name: 'each report of a second charge books it again',
    rule: 'I5',
    find: 'return candidates(charges, stated)[0];',
    replace: 'return undefined;',
  },
  {
    name: 'a second charge that the service returned stays in suspense',
    rule: 'I5',
    find: 'if (known.amountMinor !== null) return changeUnplaced(known, [refunded], now);',
    replace: 'if (known.amountMinor !== null) return undefined;',
  },
  {
    name: 'money that people have given away is booked again',
    rule: 'I5',
    find: 'one.charge === 1 && isGivenAway(one, id)',
    replace: 'one.charge === 0 && isGivenAway(one, id)',
  },
  {
    name: 'a decision about unplaced money is applied to facts that its people have not seen',
    rule: 'decision',
    find: "if (payment.version !== grounds.versionSeen) return 'changed';",
    replace: "if (payment.version < grounds.versionSeen) return 'changed';",
  },
  {
    name: 'another amount than the quoted one stays booked at the quote',
    rule: 'I5',
    find: "if (booked !== 'paid' || !stated.amountMinor",
    replace: 'if (booked !== null || !stated.amountMinor',
  },
  {
    name: 'the currency of an event is ignored',
    rule: 'I5',
    find: 'if (currency === undefined) return undefined;',
    replace: 'if (currency !== data.id) return undefined;',
  },
  {
    name: 'a match leaves its money in suspense',
    rule: 'I5',
    find: '    ...unplacedWrites(changeUnplaced(payment, [fact], now)),\n',
    replace: '',
  },
  { name: 'a change of a payment is not notified', rule: 'notify', find: ', ...notices];', replace: '];' },
  {
    name: 'a confirmation is not notified',
    rule: 'notify',
    find: 'before.confirmedAt === null && after.confirmedAt !== null',
    replace: 'before.confirmedAt === after.confirmedAt && after.confirmedAt === 0',
  },
  {
    name: 'a notification without an answer counts as delivered',
    rule: 'notify',
    find: 'if (isAccepted(result)) return {',
    replace: 'if (isAccepted(result) || result.status === null) return {',
  },
  {
    name: 'a notification is signed without its id',
    rule: 'notify',
    find: '...signRequest(secrets, { id, at: networkClock.now(), body }),',
    replace: "...signRequest(secrets, { id: '', at: networkClock.now(), body }), 'webhook-id': id,",
  },
  {
    name: 'the sequence of a notification is that of its first fact',
    rule: 'notify',
    find: 'sequence: version,',
    replace: 'sequence: Math.min(1, version),',
  },
  {
    name: 'a replay skips what an endpoint missed while it was disabled',
    rule: 'notify',
    find: 'events.map((event) => replayWrite(event, target));',
    replace: 'events.slice(0, 1).map((event) => replayWrite(event, target));',
  },
  {
    name: 'no collection is ever opened',
    rule: 'liveness',
    find: "if (isOutdated(intent, turn, recent)) return reject('retry');",
    replace: "if (intent && (isOutdated(intent, turn, recent) || true)) return reject('retry');",
  },
];
