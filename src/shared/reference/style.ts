/** The style sheet of the reference page: no external fonts or images; light and dark. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #fff; --tint: #f4f6f8; --line: #d5dae0;
  --link: #0a58ca; --get: #0b6bcb; --post: #1a7f37; --put: #9a6700; --delete: #c0262d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --soft: #9aa5b1; --paper: #14181d; --tint: #1d232a;
  --line: #333c46; --link: #7ab8ff; --get: #6cb6ff; --post: #57c573; --put: #d9a53f; --delete: #ff7b72; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, sans-serif;
  overflow-wrap: break-word; }
a { color: var(--link); }
code, pre { font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { background: var(--tint); border-radius: 4px; padding: 0.1em 0.3em; }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem; overflow-x: auto; }
pre code { background: none; padding: 0; font-size: 1em; }
pre.copy { user-select: all; -webkit-user-select: all; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 0.25rem; }
h2 { font-size: 1.4rem; margin: 3rem 0 0.5rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
h4 { font-size: 0.95rem; margin: 1.25rem 0 0.35rem; color: var(--soft); }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 78rem; margin: 0 auto; }
.page > nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; font-size: 0.9rem;
  border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: 0 0 0.75rem; padding: 0; }
nav li { padding: 0.15rem 0; }
nav strong { display: block; margin-top: 0.5rem; }
main { padding: 1.5rem 2rem 6rem; min-width: 0; }
article { margin-bottom: 2.5rem; }
.address { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.95rem; }
.method { font-weight: 700; text-transform: uppercase; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
.soft { color: var(--soft); }
details { margin: 0.5rem 0; }
summary { cursor: pointer; color: var(--link); }
@media (max-width: 50rem) {
  .page { display: block; }
  .page > nav { position: static; max-height: 14rem; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem 1rem 4rem; }
}
@media print { .page { display: block; } .page > nav { display: none; } }
`;
