import { press, type Scene } from './scene.ts';
import type { Shop } from './shops.ts';

/** A dialogue that does not come to a payment. */
export type Dialogue = (scene: Scene, number: string, channel: string) => Promise<void>;

/** The payer chooses No on the confirm screen. */
export const saidNo: Dialogue = async (scene, number, channel) => {
  const phone = scene.phone(number, channel);
  await phone.dial();
  await phone.send('1');
  await phone.send('35');
  await press(phone, 'No');
};

/** The payer reads the first screen, and hangs up. */
export const left: Dialogue = async (scene, number, channel) => {
  await scene.phone(number, channel).dial();
};

/** The payer hangs up on the confirm screen. */
export const leftConfirm: Dialogue = async (scene, number, channel) => {
  const phone = scene.phone(number, channel);
  await phone.dial();
  await phone.send('1');
  await phone.send('120.50');
};

export const invalidInputs: Dialogue = async (scene, number, channel) => {
  const phone = scene.phone(number, channel);
  await phone.dial();
  await phone.send('1');
  for (const input of ['twenty', '0', 'GHS']) if (!phone.ended()) await phone.send(input);
};

/** A blocked number confirms, and the gateway opens no payment. */
export const rejected: Dialogue = async (scene, number, channel) => {
  const phone = scene.phone(number, channel);
  await phone.dial();
  await phone.send('1');
  await phone.send('15');
  await press(phone, 'Yes');
};

/** An event of money for a payment session that the gateway does not know. */
export async function unplacedMoney(scene: Scene, shop: Shop, number: number): Promise<void> {
  const at = new Date(scene.clock.now()).toISOString();
  await scene.deliver(shop, {
    id: `evt_seeded_unplaced_${number}`,
    type: 'payment.session.paid',
    created_at: at,
    data: {
      ...{ id: `pay_seeded_unplaced_${number}`, status: 'paid', paid_at: at },
      ...{ goods_minor: 4_500, amount_minor: 4_545, expected_fee_minor: 45, expected_net_minor: 4_500 },
    },
  });
}
