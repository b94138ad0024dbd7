/*
 * Joins pictures in WebP to an animated one (https://developers.google.com/speed/webp/docs/riff_container).
 */

/** A picture in WebP, and how long it is shown. */
export type Frame = { picture: Buffer; ms: number };

type Size = { width: number; height: number };

/** Bits of the extended format. */
const isAnimated = 0b10;
/** A frame replaces the whole picture, without blending. */
const withoutBlending = 0b10;

/** Returns an animated WebP. It is shown `loops` times and ends with its last frame. */
export function animate(frames: readonly Frame[], { width, height }: Size, loops: number): Buffer {
  const size = [...uint24(width - 1), ...uint24(height - 1)];
  const chunks = [
    chunk('VP8X', Buffer.from([isAnimated, 0, 0, 0, ...size])),
    chunk('ANIM', Buffer.from([0xff, 0xff, 0xff, 0xff, loops, 0])),
    ...frames.map(({ picture, ms }) =>
      chunk(
        'ANMF',
        Buffer.concat([
          Buffer.from([0, 0, 0, 0, 0, 0, ...size, ...uint24(ms), withoutBlending]),
          readImage(picture),
        ]),
      ),
    ),
  ];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

function chunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)]);
}

function uint24(value: number): number[] {
  return [value & 0xff, (value >> 8) & 0xff, value >> 16];
}

/** Returns the chunk with the image. @throws Error when the file has none. */
function readImage(picture: Buffer): Buffer {
  for (let at = 12; at < picture.length; ) {
    const name = picture.toString('latin1', at, at + 4);
    const end = at + 8 + picture.readUInt32LE(at + 4);
    if (name === 'VP8 ' || name === 'VP8L') return chunk(name, picture.subarray(at + 8, end));
    at = end + (end % 2);
  }
  throw new Error('no picture in WebP');
}
