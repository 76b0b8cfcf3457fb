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
