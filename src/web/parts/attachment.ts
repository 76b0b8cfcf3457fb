/**
 * The `content-disposition` of a download (RFC 6266). Names hold what senders like: quotes and letters of all languages
 * are written as RFC 5987 does, with a plain name before it for those who do not read that. Half characters cannot be written at all.
 */
export function attachmentOf(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.replace(/\p{Cs}/gu, '_')).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
