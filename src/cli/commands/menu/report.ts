import type { FileFinding, ProvenFile } from '../../../menu/prove/prove-text.ts';
import { type Paint, printable } from '../../terminal/terminal.ts';

export type CheckedFile = ProvenFile & { readonly file: string };

export function isClean({ findings }: CheckedFile): boolean {
  return findings.length === 0;
}

/** The result as one JSON object. */
export function summaryOf(checked: readonly CheckedFile[]) {
  return {
    ok: checked.every(isClean),
    menus: checked.map((one) => {
      const { menu, proof } = one.proven ?? {};
      return {
        ok: isClean(one),
        file: one.file,
        ...(menu && { screens: Object.keys(menu.screens).length, languages: menu.languages }),
        ...(proof && { states: proof.states, hops: proof.hops, longest: proof.longest.map(shownOf) }),
        findings: one.findings,
      };
    }),
  };
}

type Longest = NonNullable<ProvenFile['proven']>['proof']['longest'][number];

function shownOf({ limit, septets, screen, language, inputs }: Longest) {
  return { limit, septets, screen, language, inputs };
}

/** The result as text: a line for each finding, and one for each file. */
export function reportChecked(paint: Paint, checked: readonly CheckedFile[]): string {
  return checked
    .flatMap((one) => [...one.findings.map((finding) => findingLine(paint, finding)), fileLine(paint, one)])
    .map((line) => `${line}\n`)
    .join('');
}

function findingLine(paint: Paint, finding: FileFinding): string {
  const { file, line, kind, screen, language, message, inputs = [], answered = [] } = finding;
  const where = screen ?? finding.path;
  const spoken = language === undefined ? '' : ` (${language})`;
  const typed = inputs.length === 0 ? '' : ` - type ${inputs.map(inputOf).join(' > ')}`;
  const given = answered.length === 0 ? '' : ` - with ${answered.join('; ')}`;
  const place = paint('bold', printable(`${file}:${line}`));
  const what = where === '' ? '' : ` ${printable(where)}${spoken}`;
  return `${place}${what}: ${paint('red', kind)}: ${printable(message)}${paint('dim', `${typed}${printable(given)}`)}`;
}

const maxInputLength = 20;

/** An input as a person would write it down: the longest answers are all one sign. */
function inputOf(input: string): string {
  if (input === '') return '(nothing)';
  return printable(input.length > maxInputLength ? `${input.slice(0, maxInputLength)}...` : input);
}

function fileLine(paint: Paint, one: CheckedFile): string {
  const { file, findings, proven } = one;
  const verdict = isClean(one) ? paint('green', 'ok') : paint('red', 'wrong');
  const many = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  const found = isClean(one) ? [] : [many];
  return `${verdict} ${printable(file)} ${[...found, ...(proven ? factsOf(proven) : [])].join(', ')}`;
}

function factsOf({ menu, proof }: NonNullable<ProvenFile['proven']>): string[] {
  const { screens, languages } = menu;
  const [tightest] = [...proof.longest].sort((a, b) => a.limit - a.septets - (b.limit - b.septets));
  const { most } = proof.hops;
  return [
    plural(Object.keys(screens).length, 'screen'),
    plural(languages.length, 'language'),
    plural(proof.states, 'state'),
    ...(tightest
      ? [`longest screen ${tightest.septets} of ${tightest.limit} (${tightest.screen}, ${tightest.language})`]
      : []),
    ...(most === undefined ? [] : [`${plural(most, 'input')} on the longest way`]),
  ];
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
