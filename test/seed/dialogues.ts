import { press, type Scene } from './scene.ts';

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
