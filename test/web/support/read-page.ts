/** Reads pages as a user does. */

/** Returns the text of a page or a part of it, without markup. */
export function wordsOf(html: string): string {
  return html
    .replaceAll(/<(?:script|style)[^>]*>[^]*?<\/(?:script|style)>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/&(quot|lt|gt|amp|#39);/g, (_, name: string) => SIGNS[name]!)
    .trim();
}

const SIGNS: Readonly<Record<string, string>> = { quot: '"', lt: '<', gt: '>', amp: '&', '#39': "'" };

/** Returns the section under a heading; empty when there is none. */
export function sectionOf(html: string, title: string): string {
  return html.split('<section ').find((part) => part.includes(`>${title}</h2>`)) ?? '';
}

/** Returns the cells of each row of the first table, as text. */
export function tableOf(html: string): string[][] {
  const body = /<tbody[^>]*>([^]*?)<\/tbody>/.exec(html)?.[1] ?? '';
  const rows = body.split(/<tr[^>]*>/).slice(1);
  return rows.map((row) =>
    row
      .split(/<td[^>]*>/)
      .slice(1)
      .map(wordsOf),
  );
}

/** Returns where links lead, in page order. The footer's are left out, because every page has them. */
export function linksOf(html: string): string[] {
  const [page = ''] = html.split('<footer');
  return [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));
}

/** What a test needs of a form to send it. */
export type PageForm = {
  readonly action: string;
  readonly method: 'get' | 'post';
  readonly fields: readonly { readonly name: string; readonly value: string; readonly choices: readonly string[] }[];
};

/** Returns the forms of a page with their contents. */
export function formsOf(html: string): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/g)].map(([, head = '', body = '']) => ({
    action: unescapeHtml(attribute(head, 'action')),
    method: attribute(head, 'method') === 'post' ? 'post' : 'get',
    fields: [...inputsOf(body), ...textsOf(body), ...selectsOf(body)],
  }));
}

function inputsOf(body: string) {
  return [...body.matchAll(/<input\b([^>]*)>/g)]
    .map(([, attributes = '']) => ({
      name: attribute(attributes, 'name'),
      value: unescapeHtml(attribute(attributes, 'value')),
      choices: [],
    }))
    .filter(({ name }) => name !== '');
}

function textsOf(body: string) {
  return [...body.matchAll(/<textarea\b([^>]*)>([^<]*)/g)].map(([, attributes = '', value = '']) => ({
    name: attribute(attributes, 'name'),
    value: unescapeHtml(value),
    choices: [],
  }));
}

function selectsOf(body: string) {
  return [...body.matchAll(/<select\b([^>]*)>([^]*?)<\/select>/g)].map(([, attributes = '', options = '']) => {
    const choices = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, option = '']) => attribute(option, 'value'));
    return { name: attribute(attributes, 'name'), value: choices[0] ?? '', choices };
  });
}

function attribute(attributes: string, name: string): string {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}

function unescapeHtml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
