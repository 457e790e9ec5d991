import GithubSlugger from 'github-slugger';
import MarkdownIt, { type Token } from 'markdown-it';

export type Heading = {
  level: number;
  text: string;
  anchor: string;
};

/** A heading and the text below it, up to the next heading. The text above the first heading has no anchor. */
export type Section = {
  anchor?: string | undefined;
  heading: string;
  text: string;
};

/** A Markdown file. Its HTML is made when it is asked for. */
export type Page = {
  title: string;
  headings: Heading[];
  sections: Section[];
  /** Lists of links, each with the heading of the third level above it. */
  lists: { heading: string; links: { text: string; target: string }[] }[];
  /** Targets of all links and pictures that are files of the project. */
  targets: string[];
  hasDiagram: boolean;
  /** @param isServed whether the guide has the file that a target of this page names */
  html(isServed: (target: string) => boolean): string;
};

// The pages are the project's own files, and use HTML comments.
const markdown = new MarkdownIt({ html: true });
const { fence, code_block: block } = markdown.renderer.rules;
markdown.renderer.rules.fence = (tokens, index, ...rest) =>
  tokens[index]!.info.trim() === 'mermaid'
    ? `<pre class="mermaid">${markdown.utils.escapeHtml(tokens[index]!.content)}</pre>\n`
    : boxed(fence!(tokens, index, ...rest));
markdown.renderer.rules.code_block = (...all) => boxed(block!(...all));
// A wide table scrolls by itself: the page does not.
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';

/** Wide code scrolls by itself. */
function boxed(code: string): string {
  return `<div class="code" tabindex="0">${code}</div>\n`;
}

/** Reads a Markdown file. Anchors are those of GitHub. */
export function parse(text: string): Page {
  const tokens = markdown.parse(text, {});
  const slugger = new GithubSlugger();
  const headings: Heading[] = [];
  const sections: Section[] = [];
  const lists: Page['lists'] = [];
  const targets = new Set<string>();
  let section: Section = { heading: '', text: '' };
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = textOf(tokens[index + 1]!);
      const anchor = slugger.slug(heading);
      token.attrSet('id', anchor);
      headings.push({ level: Number(token.tag.slice(1)), text: heading, anchor });
      if (section.text.trim() !== '') sections.push(section);
      section = { anchor, heading, text: '' };
    } else if (token.type === 'bullet_list_open' && tokens[index - 1]?.tag === 'h3') {
      lists.push({ heading: section.heading, links: [] });
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      section.text += `${textOf(token)} `;
      const links = linksOf(token);
      if (lists.length > 0 && token.level === 3 && headings.at(-1)?.text === lists.at(-1)!.heading) {
        lists.at(-1)!.links.push(...links);
      }
    } else if (token.type === 'fence') {
      section.text += `${token.content} `;
    }
    for (const { target } of linksOf(token)) targets.add(target);
  }
  if (section.text.trim() !== '') sections.push(section);
  return {
    title: headings[0]?.text ?? '',
    headings,
    sections,
    lists,
    targets: [...targets],
    hasDiagram: tokens.some((token) => token.type === 'fence' && token.info.trim() === 'mermaid'),
    html(isServed) {
      for (const token of tokens) unlink(token, isServed);
      return markdown.renderer.render(tokens, markdown.options, {});
    },
  };
}

/** The words of an inline token, without marks. */
function textOf(token: Token): string {
  return (token.children ?? [])
    .map((child) => (child.type === 'softbreak' || child.type === 'hardbreak' ? ' ' : child.content))
    .join('');
}

/** Links and pictures of an inline token that lead to files of the project or into the page itself. */
function linksOf(token: Token): { text: string; target: string }[] {
  const children = token.children ?? [];
  return children.flatMap((child, index) => {
    const target = child.attrGet(child.type === 'image' ? 'src' : 'href');
    if (typeof target !== 'string' || !isOwn(target)) return [];
    return [{ text: children[index + 1]?.content ?? '', target }];
  });
}

/** Turns links to files that the guide does not serve, such as source code, into their text. */
function unlink(token: Token, isServed: (target: string) => boolean): void {
  let isOpen = false;
  for (const child of token.children ?? []) {
    if (child.type === 'link_open') {
      const target = String(child.attrGet('href'));
      isOpen = isOwn(target) && !isServed(target);
    }
    if (isOpen && child.type.startsWith('link_')) child.hidden = true;
    if (child.type === 'link_close') isOpen = false;
  }
}

function isOwn(target: string): boolean {
  return !/^[a-z]+:|^\//i.test(target);
}
