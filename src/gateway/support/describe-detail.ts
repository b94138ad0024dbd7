/** Formats the fields of an action of support staff: `reason: asked for it, until: 2026-12-31T00:00:00.000Z`. */
export function describeDetail(detail: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(detail).filter(([, value]) => value !== null);
  const shown = (name: string, value: unknown) => {
    if (name === 'until' && typeof value === 'number') return new Date(value).toISOString();
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  return fields.map(([name, value]) => `${name}: ${shown(name, value)}`).join(', ');
}
