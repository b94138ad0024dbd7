import { z } from 'zod';

/*
 * The figures of a merchant's days: GET /merchant/v1/insights, `dialtill insights --json` and the console have the same ones. Payments
 * count in the hour in which they were opened, and dialogues in the hour in which they began. Times are RFC 3339, amounts are pesewas.
 */

const date = z.iso.date('expected a day such as 2026-03-06');
const count = z.int();

/** Days of one request. */
export const maxInsightDays = 92;

export const insightsQuery = z.strictObject({
  from: date.optional().describe('The first day, UTC. Today by default.'),
  to: date
    .optional()
    .describe(`The last day, UTC: the first one by default, and at most ${maxInsightDays} days in all.`),
  channel: z.string().min(1).max(64).optional().describe('Only what happened on this channel.'),
  language: z.string().min(1).max(16).optional().describe('Only the dialogues and screens in this language.'),
});

const rate = z.number().nullable().describe('Paid payments of those with a result, from 0 to 1.');

const paymentFigures = z
  .strictObject({
    opened: count,
    prompted: count.describe('Payments whose prompt was requested.'),
    paid: count,
    not_paid: count,
    review: count,
    waiting: count,
    price_minor: count.describe('Prices of all opened payments.'),
    charged_minor: count.describe('What payers were charged.'),
    success_rate: rate,
  })
  .meta({ id: 'PaymentFigures' });

const dialogueFigures = z
  .strictObject({
    begun: count,
    answered: count.describe('Dialogues with an answer to the first screen.'),
    opened: count.describe('Dialogues that opened a payment.'),
    seconds_to_open: z.number().nullable().describe('Median time from the dial to the confirmation.'),
    slowest_tenth_seconds: z.number().nullable().describe('One dialogue in ten needs more time.'),
  })
  .meta({ id: 'DialogueFigures' });

const share = { paid: count, not_paid: count, success_rate: rate, success_rate_before: rate };

const screenFigures = z
  .strictObject({
    screen: z.string(),
    dialogues: count.describe('Dialogues that saw the screen.'),
    shown: count.describe('How often it was shown, also again in one dialogue.'),
    opened: count.describe('Dialogues that opened a payment from it.'),
    gave_up: count.describe('Dialogues that ended on it without a payment.'),
    how: z.record(z.string(), count).describe('How they ended.'),
    went_back: count,
    median_seconds: z.number().nullable().describe('Median time until the answer.'),
    refused: z.record(z.string(), count).describe('Inputs that it refused, by kind.'),
  })
  .meta({ id: 'ScreenFigures' });

export const insights = z
  .strictObject({
    from: date,
    to: date,
    /** Null when everything is counted. */
    counted_until: z.string().nullable().describe('Later turns and payments are not counted yet.'),
    dialogues: dialogueFigures,
    payments: paymentFigures,
    compared_with: z
      .strictObject({
        from: z.string(),
        until: z.string(),
        dialogues: dialogueFigures.pick({ begun: true, answered: true, opened: true }),
        payments: paymentFigures,
      })
      .describe(
        'The same weekday of the week before, or the same number of days before, until the same minute.',
      ),
    steps: z
      .array(z.strictObject({ step: z.string(), dialogues: count }))
      .describe('How far dialogues came: dialled, answered, saw_total, confirmed, prompted, paid.'),
    outcomes: z.array(z.strictObject({ outcome: z.string(), payments: count, price_minor: count })),
    networks: z.array(z.strictObject({ network: z.string(), ...share })),
    channels: z.array(z.strictObject({ channel: z.string(), ...share })),
    hours: z
      .array(
        z.strictObject({
          hour: z.string(),
          ...{ opened: count, paid: count, not_paid: count, charged_minor: count },
          paid_before: count.describe('Paid in this hour of the day that is compared.'),
        }),
      )
      .describe('The hours of one day. Empty for several days.'),
    days: z
      .array(z.strictObject({ date, paid: count, not_paid: count, charged_minor: count }))
      .describe('The days, and at least 14 days until the last one.'),
    screens: z.array(screenFigures),
    now: z.strictObject({
      waiting: z.strictObject({ payments: count, price_minor: count, oldest_at: z.string().nullable() }),
      suspense: z
        .array(
          z.strictObject({
            age: z.enum(['under_4_hours', 'under_24_hours', 'under_3_days', 'older']),
            ...{ sums: count, amount_minor: count, oldest_at: z.string() },
          }),
        )
        .describe('Money that waits for a decision, by its age.'),
      slow_prompts: z
        .array(z.strictObject({ network: z.string(), median_seconds: count, usual_seconds: count }))
        .describe(
          'Networks whose payers approved clearly later than usual in the last hour: the median times from the prompt to the approval.',
        ),
    }),
  })
  .meta({ id: 'Insights' });

export type Insights = z.infer<typeof insights>;
export type PaymentFigures = Insights['payments'];
export type ScreenFigures = Insights['screens'][number];
