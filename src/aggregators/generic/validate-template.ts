type TemplateError = { path: string[]; message: string };

const maxDepth = 4;
const maxFields = 32;
const maxNameLength = 64;
const maxTextLength = 512;

const expected = 'expected a text, or a map of texts, numbers, true, false and further maps';

/** Everything that keeps a value which a person wrote from being the template of a reply. */
export function validateTemplate(given: unknown): TemplateError[] {
  const faults: TemplateError[] = [];
  let fields = 0;
  const look = (value: unknown, path: string[]) => {
    if (typeof value === 'string') {
      if (value.length > maxTextLength) {
        faults.push({ path, message: `expected at most ${maxTextLength} characters` });
      }
      return;
    }
    if (typeof value !== 'object' || value === null) {
      const scalar = value === null || typeof value === 'boolean' || Number.isFinite(value);
      if (path.length === 0 || !scalar) faults.push({ path, message: expected });
      return;
    }
    if (Array.isArray(value)) {
      faults.push({ path, message: expected });
      return;
    }
    if (path.length >= maxDepth) {
      faults.push({ path, message: `expected at most ${maxDepth} maps within each other` });
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      fields++;
      if (fields > maxFields) return;
      const within = [...path, name];
      if (name === '' || name.length > maxNameLength) {
        faults.push({ path: within, message: `expected a name of 1 to ${maxNameLength} characters` });
      }
      look(inner, within);
    }
  };
  look(given, []);
  if (fields > maxFields) faults.push({ path: [], message: `expected at most ${maxFields} fields` });
  return faults;
}
