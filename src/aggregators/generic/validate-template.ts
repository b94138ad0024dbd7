type TemplateError = { path: string[]; message: string };

const maxDepth = 4;
const maxFields = 32;
const maxNameLength = 64;
const maxTextLength = 512;

const expected = 'expected a text, or a map of texts, numbers, true, false and further maps';

/** Returns every reason why a configured value is not the template of a reply. */
export function validateTemplate(given: unknown): TemplateError[] {
  const errors: TemplateError[] = [];
  let fields = 0;
  const visit = (value: unknown, path: string[]) => {
    if (typeof value === 'string') {
      if (value.length > maxTextLength) {
        errors.push({ path, message: `expected at most ${maxTextLength} characters` });
      }
      return;
    }
    if (typeof value !== 'object' || value === null) {
      const isScalar = value === null || typeof value === 'boolean' || Number.isFinite(value);
      if (path.length === 0 || !isScalar) errors.push({ path, message: expected });
      return;
    }
    if (Array.isArray(value)) {
      errors.push({ path, message: expected });
      return;
    }
    if (path.length >= maxDepth) {
      errors.push({ path, message: `expected at most ${maxDepth} levels of maps` });
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      fields++;
      if (fields > maxFields) return;
      const innerPath = [...path, name];
      if (name === '' || name.length > maxNameLength) {
        errors.push({ path: innerPath, message: `expected a name of 1 to ${maxNameLength} characters` });
      }
      visit(inner, innerPath);
    }
  };
  visit(given, []);
  if (fields > maxFields) errors.push({ path: [], message: `expected at most ${maxFields} fields` });
  return errors;
}
