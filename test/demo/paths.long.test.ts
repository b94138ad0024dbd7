import { expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { serviceUrl } from '../../src/testing/programs.ts';
import { channelNames } from '../kit/phone.ts';
import { createTill, minute, payer, type Till } from '../kit/till.ts';

const postings = [
  ['payers', -2_020],
  ['merchant:demo-shop', 2_000],
  ['service_fees', 20],
];

/** The result of each decision of the payer. The reason is the same from an event and, when webhooks are lost, from a poll. */
const decisions = [
  {
    decision: 'approve',
    status: 'paid',
    reason: { arrive: null, 'are lost': null },
    charged: 2_020,
    booked: postings,
  },
  {
    decision: 'decline',
    status: 'failed',
    reason: { arrive: 'declined', 'are lost': 'declined' },
    charged: 0,
    booked: [],
  },
  {
    decision: 'ignore',
    status: 'expired',
    reason: { arrive: 'prompt_expired', 'are lost': 'prompt_expired' },
    charged: 0,
    booked: [],
  },
] as const;

const [approve] = decisions;

/** Every path on two channels, and the successful one on each other channel. */
const paths = [
  ...channelNames.flatMap((channel) =>
    decisions.flatMap((expected) =>
      (['arrive', 'are lost'] as const).map((webhooks) => ({ channel, webhooks, ...expected })),
    ),
  ),
  ...aggregatorNames
    .filter((name) => !channelNames.some((one) => one === name))
    .map((channel) => ({ channel, webhooks: 'arrive' as const, ...approve })),
];

test.each(paths)(
  'through $channel, the decision to $decision while webhooks $webhooks gives the status $status',
  async ({ channel, webhooks, decision, status, reason, charged, booked }) => {
    const webhooksLost = webhooks === 'are lost';
    const deliveries: (number | 'lost')[] = [];
    const till = await createTill({
      overHttp: true,
      faults: {
        async webhook(_, pass) {
          if (webhooksLost) deliveries.push('lost');
          if (webhooksLost) throw new Error('the delivery was lost');
          const answer = await pass();
          deliveries.push(answer.status);
          return answer;
        },
      },
    });
    const end = await till.pay(payer, ['1', '20', '1'], channel);
    expect(end).toMatch(/Approve GHS 20.00 to Demo Shop/);

    const prompt = await promptOf(till);
    expect(prompt).toMatchObject({ amount_minor: 2_020, merchant_name: 'Demo Shop' });
    if (decision !== 'ignore') {
      const decided = await till.request(`${serviceUrl}/handset/prompts/${prompt.id}/${decision}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: decision === 'approve' ? '{"pin":"1234"}' : '{}',
      });
      expect(decided.status).toBe(200);
    }
    const row = await till.untilStatus(payer, status, 10 * minute);

    const amountSource = charged === 0 ? null : webhooksLost ? 'quote' : 'webhook';
    expect(row).toMatchObject({
      sessionId: prompt.session_id,
      reason: reason[webhooks],
      amountSource,
      review: null,
      late: 0,
    });
    const file = await till.record(row.id);
    expect(file.postings.map(({ account, amountMinor }) => [account, amountMinor])).toEqual(booked);
    expect(file.events).toHaveLength(webhooksLost ? 0 : 1);
    // The reason and the calls prove that the payment took the intended path.
    expect(new Set(deliveries)).toEqual(new Set([webhooksLost ? 'lost' : 200]));
    const calls = till.calls.map(({ name }) => name);
    expect(calls.slice(0, 2)).toEqual(['create', 'initiate']);
    expect(calls.slice(2)).not.toContain('initiate');
    if (webhooksLost) expect(calls.at(-1)).toBe('status');
    expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: charged });
    expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
  },
);

type Prompt = { id: string; session_id: string };

/** Waits for the only prompt of the payer, and reads it over HTTP. */
async function promptOf(till: Till): Promise<Prompt> {
  await till.untilStatus(payer, 'initiated');
  const answer = await till.request(`${serviceUrl}/handset/prompts?msisdn=${payer}`);
  const { data } = (await answer.json()) as { data: Prompt[] };
  expect(data).toHaveLength(1);
  return data[0] as Prompt;
}
