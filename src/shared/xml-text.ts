const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]));

/** Characters that no XML 1.0 document can contain, also not as entities. */
const impossible = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Returns a text as the content of an XML element, or as the value of an attribute in either kind of quotes. */
export function escapeXml(text: string): string {
  return text.replace(impossible, '').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Returns the text of what `escapeXml` has written. */
export function unescapeXml(xml: string): string {
  return xml.replace(/&\w+;/g, (entity) => characters.get(entity) ?? entity);
}
