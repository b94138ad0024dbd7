import { encode } from 'uqr';

/** Modules of the light border that a reader needs around the code (ISO/IEC 18004). */
const border = 4;

/** A text as a QR code. It is dark on light in dark mode as well, because some readers reject the inverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={240}
      height={240}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(pathOfRow).join('')} fill="#000" />
    </svg>
  );
}

/** Returns a path with one rectangle for each run of dark modules. */
function pathOfRow(row: readonly boolean[], y: number): string {
  const text = row.map((isDark) => (isDark ? '1' : '0')).join('');
  return [...text.matchAll(/1+/g)]
    .map(({ 0: { length }, index }) => `M${index} ${y}h${length}v1h-${length}z`)
    .join('');
}
