/**
 * Returns the `content-disposition` of a download (RFC 6266). Quotes and non-ASCII letters are encoded as in RFC 5987,
 * after a plain name for clients without it. Lone surrogates cannot be encoded and are replaced.
 */
export function attachmentOf(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.replace(/\p{Cs}/gu, '_')).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
