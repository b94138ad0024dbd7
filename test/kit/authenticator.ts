/** Returns the seed of one-time passwords that a page shows, as an authenticator app reads it. */
export function seedOf(page: string): Buffer {
  const [, key = ''] = /secret=([A-Z2-7]+)/.exec(page) ?? [];
  const bits = [...key].map((one) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
