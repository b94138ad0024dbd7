type TemplateFault = { path: string[]; message: string };

const deepest = 4;
const maxFields = 32;
const maxNameLength = 64;
const longestText = 512;

const expected = 'expected a text, or a map of texts, numbers, true, false and further maps';

/** Everything that keeps a value which a person wrote from being the template of a reply. */
export function templateFaults(given: unknown): TemplateFault[] {
  const faults: TemplateFault[] = [];
  let fields = 0;
  const look = (value: unknown, path: string[]) => {
    if (typeof value === 'string') {
      if (value.length > longestText) {
        faults.push({ path, message: `expected at most ${longestText} characters` });
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
    if (path.length >= deepest) {
      faults.push({ path, message: `expected at most ${deepest} maps within each other` });
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
