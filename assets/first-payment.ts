import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Records assets/first-payment.svg, the picture in the README: a demo on free ports, one payment on the simulated phone,
 * and its record in the ledger. Run it with `npm run recording`.
 */

const program = resolve('dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'dialtill-recording-'));
const msisdn = '0244123456';
const startTimeoutMs = 60_000;

const lineHeight = 17;
const padding = 16;
const titleHeight = 30;

type Panel = { title: string; lines: readonly string[]; x: number; width: number };

function dialtill(...args: string[]): string {
  return execFileSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });
}

/** Starts the demo and resolves once it has printed where it listens. */
async function startDemo() {
  const demo = spawn(process.execPath, [program, 'start'], {
    cwd: folder,
    env: { ...process.env, DIALTILL_PORT: '0', DIALTILL_SERVICE_PORT: '0', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const deadline = AbortSignal.timeout(startTimeoutMs);
  let printed = '';
  while (!printed.includes('ctrl-c')) {
    const [chunk] = await once(demo.stdout, 'data', { signal: deadline });
    printed += chunk;
  }
  return demo;
}

/** Browsers join the spaces of a text, whatever its attributes say, but not the ones that do not break. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0');

function colourOf(line: string): string {
  if (line.startsWith('$')) return '#7ee787';
  if (line.startsWith('>')) return '#79c0ff';
  return '#e6edf3';
}

function drawPanel({ title, lines, x, width }: Panel, height: number): string {
  const text = lines.map((line, i) => {
    const y = titleHeight + padding + lineHeight * (i + 0.5);
    return `<text x="${x + padding}" y="${y}" fill="${colourOf(line)}">${escaped(line)}</text>`;
  });
  return [
    `<rect x="${x}" y="0" width="${width}" height="${height}" rx="8" fill="#0d1117" stroke="#30363d"/>`,
    `<text x="${x + padding}" y="20" fill="#8b949e">${escaped(title)}</text>`,
    `<line x1="${x}" y1="${titleHeight}" x2="${x + width}" y2="${titleHeight}" stroke="#30363d"/>`,
    ...text,
  ].join('\n');
}

const demo = await startDemo();
try {
  const dial = ['dial', '*713*5#', '--msisdn', msisdn, '--input', '1,20,1', '--approve'];
  const screens = dialtill(...dial)
    .trimEnd()
    .split('\n');
  const found = JSON.parse(dialtill('ledger', 'find', msisdn, '--json')) as { data: { id: string }[] };
  const id = found.data[0]?.id ?? '';
  const shown = dialtill('ledger', 'show', id).trimEnd().split('\n');
  const record = shown
    .slice(
      0,
      shown.findIndex((line) => line.startsWith('what to do')),
    )
    .slice(0, -1);
  const left = [`$ dialtill dial '*713*5#' --msisdn ${msisdn}`, ...screens.slice(0, -1)];
  const right = [`$ dialtill ledger show ${id}`, ...record];
  const height = titleHeight + 2 * padding + lineHeight * Math.max(left.length, right.length);
  const panels: Panel[] = [
    { title: 'the simulated phone', lines: left, x: 0, width: 440 },
    { title: 'the ledger', lines: right, x: 456, width: 560 },
  ];
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1016 ${height}" width="1016" height="${height}"`,
    'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">',
    '<title>A payment on the simulated phone, and its record in the ledger</title>',
    ...panels.map((panel) => drawPanel(panel, height)),
    '</svg>',
  ].join('\n');
  writeFileSync(fileURLToPath(new URL('./first-payment.svg', import.meta.url)), `${svg}\n`);
} finally {
  demo.kill('SIGTERM');
  await once(demo, 'exit');
  rmSync(folder, { recursive: true });
}
