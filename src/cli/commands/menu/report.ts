import type { FileFinding, ProvenFile } from '../../../menu/prove/prove-file.ts';
import { maxPrintedErrors, unprinted } from '../../../shared/yaml.ts';
import { plural } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import type { Paint } from '../../terminal/terminal.ts';

export type CheckedFile = ProvenFile & { readonly file: string };

export function isClean({ findings }: CheckedFile): boolean {
  return findings.length === 0;
}

/** Returns the result as one JSON object. */
export function summaryOf(checked: readonly CheckedFile[]) {
  return {
    ok: checked.every(isClean),
    menus: checked.map((one) => {
      const { menu, proof } = one.proven ?? {};
      return {
        ok: isClean(one),
        file: one.file,
        ...(menu && { screens: Object.keys(menu.screens).length, languages: menu.languages }),
        ...(proof && { states: proof.states, inputs: proof.inputs, longest: proof.longest.map(longestText) }),
        findings: one.findings,
      };
    }),
  };
}

type LongestText = NonNullable<ProvenFile['proven']>['proof']['longest'][number];

function longestText({ limit, septets, screen, language, inputs }: LongestText) {
  return { limit, septets, screen, language, inputs };
}

/** Returns the result as text: one line for each finding and one for each file. */
export function reportChecked(paint: Paint, checked: readonly CheckedFile[]): string {
  return checked
    .flatMap((one) => [
      ...one.findings.slice(0, maxPrintedErrors).map((finding) => findingLine(paint, finding)),
      ...unprinted(one.findings),
      fileLine(paint, one),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function findingLine(paint: Paint, finding: FileFinding): string {
  const { file, line, kind, screen, language, message, inputs = [], assumptions = [] } = finding;
  const place = paint('bold', printable(`${file}:${line}`));
  const subject = screen ?? finding.path;
  const inLanguage = language === undefined ? '' : ` (${language})`;
  const about = subject === '' ? '' : ` ${printable(subject)}${inLanguage}`;
  const typed = inputs.length === 0 ? '' : ` - type ${inputs.map(formatInput).join(' > ')}`;
  const assumed = assumptions.length === 0 ? '' : ` - with ${assumptions.join('; ')}`;
  const origin = paint('dim', `${typed}${printable(assumed)}`);
  return `${place}${about}: ${paint('red', kind)}: ${printable(message)}${origin}`;
}

const maxInputLength = 20;

/** Shortens an input: the longest answers repeat one character. */
function formatInput(input: string): string {
  if (input === '') return '(nothing)';
  return printable(input.length > maxInputLength ? `${input.slice(0, maxInputLength)}...` : input);
}

function fileLine(paint: Paint, one: CheckedFile): string {
  const { file, findings, proven } = one;
  const verdict = isClean(one) ? paint('green', 'ok') : paint('red', 'failed');
  const facts = [
    ...(isClean(one) ? [] : [plural(findings.length, 'finding')]),
    ...(proven ? measurementsOf(proven) : []),
  ];
  return `${verdict} ${printable(file)} ${facts.join(', ')}`;
}

function measurementsOf({ menu, proof }: NonNullable<ProvenFile['proven']>): string[] {
  const { screens, languages } = menu;
  const [tightest] = [...proof.longest].sort((a, b) => a.limit - a.septets - (b.limit - b.septets));
  const { longest } = proof.inputs;
  return [
    plural(Object.keys(screens).length, 'screen'),
    plural(languages.length, 'language'),
    plural(proof.states, 'state'),
    ...(tightest
      ? [
          `longest screen ${tightest.screen} in ${tightest.language}: ${tightest.septets} of ${tightest.limit} septets`,
        ]
      : []),
    ...(longest === undefined ? [] : [`at most ${plural(longest, 'input')} to an end screen`]),
  ];
}
