import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const docs = join(project, 'docs');
const frontPage = join(docs, 'README.md');
const repository = 'https://github.com/dialtill/dialtill/blob/main';

/** Returns the anchor of a heading as GitHub makes it, so that a link works there and on the site. */
function slugify(heading) {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}

/** Points links to files that are not pages of the site, such as the README and fixtures, to the repository. */
function linkToRepository(md) {
  md.core.ruler.push('link-to-repository', ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open');
    for (const link of links) {
      const [path, anchor] = link.attrGet('href').split('#');
      if (path === '' || /^[a-z]+:/.test(path)) continue;
      const target = join(dirname(env.path), decodeURI(path));
      const isPage = target.startsWith(docs) && target.endsWith('.md');
      if (isPage || !existsSync(target)) continue;
      const suffix = anchor === undefined ? '' : `#${anchor}`;
      link.attrSet('href', `${repository}/${relative(project, target)}${suffix}`);
    }
  });
}

/** Puts each section of the front page into an element of its own, which the theme shows as a card. */
function wrapSections(md) {
  md.core.ruler.push('wrap-sections', ({ tokens, env, Token }) => {
    if (env.relativePath !== 'index.md') return;
    const html = (content) => Object.assign(new Token('html_block', '', 0), { content });
    let isOpen = false;
    for (let at = 0; at < tokens.length; at += 1) {
      if (tokens[at].type !== 'heading_open' || tokens[at].tag !== 'h2') continue;
      tokens.splice(at, 0, html(isOpen ? '</section><section>' : '<section>'));
      isOpen = true;
      at += 1;
    }
    if (isOpen) tokens.push(html('</section>'));
  });
}

/** Resolves Vue from this folder, because the pages are outside of it. The bundle of the server imports it when it runs. */
const vueOfTheSite = {
  name: 'vue-of-the-site',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!/^vue(\/|$)/.test(id)) return null;
    if (options.ssr) return { id, external: true };
    return importer?.startsWith(docs) ? this.resolve(id, fileURLToPath(import.meta.url), options) : null;
  },
};

/** Returns the sections of the front page with their links, which are the sidebar of every page. */
function readSidebar() {
  const [, ...sections] = readFileSync(frontPage, 'utf8').split(/^## /m);
  return sections.map((section) => {
    const items = [];
    for (const [, indent, text, link] of section.matchAll(/^( *)- \[(.+?)\]\((.+?)\)/gm)) {
      const item = { text, link: `/${link}` };
      const parent = items.at(-1);
      if (indent === '') items.push(item);
      else parent.items = [...(parent.items ?? []), item];
      if (indent !== '') parent.collapsed = true;
    }
    return { text: section.slice(0, section.indexOf('\n')), collapsed: false, items };
  });
}

const sidebar = readSidebar();

export default defineConfig({
  title: 'dialtill',
  description: 'Documentation of dialtill, an offline USSD collection gateway.',
  lang: 'en-GB',
  base: process.env.SITE_BASE ?? '/',
  srcDir: relative(fileURLToPath(new URL('..', import.meta.url)), docs),
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  rewrites: { 'README.md': 'index.md', 'decisions/README.md': 'decisions/index.md' },
  vite: { plugins: [vueOfTheSite] },
  transformPageData: (page) =>
    page.relativePath === 'index.md' ? { frontmatter: { pageClass: 'front', aside: false } } : undefined,
  markdown: { anchor: { slugify }, config: (md) => md.use(linkToRepository).use(wrapSections) },
  themeConfig: {
    sidebar,
    nav: sidebar.slice(0, 4).map(({ text, items }) => ({ text, link: items[0].link })),
    outline: [2, 3],
    search: { provider: 'local' },
    editLink: { pattern: `${repository.replace('/blob/', '/edit/')}/docs/:path`, text: 'Edit this page' },
  },
});
