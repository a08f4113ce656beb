// Scripts without spaces between words. In these, a full stop next to a character is punctuation.
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/u
const isStop = (character: string | undefined) => character === '。' || character === '｡'

const separate = (text: string) => {
  const characters = Array.from(text)
  return characters
    .map((character, index) => {
      const besides = [characters[index - 1], characters[index + 1]]
      const isPunctuation =
        isStop(character) && besides.some((one) => one && !isStop(one) && unspaced.test(one))
      return isPunctuation ? ' ' : character
    })
    .join('')
}

const fold = (written: string) => written.replace(/\p{DI}/gu, '').normalize('NFKC')

// A top-level domain consists only of letters or is Punycode. In scripts written without spaces, what follows a dot is
// usually the next sentence, so it is not taken for a top-level domain.
const hasTopLevel = (written: string) => {
  const [host = ''] = fold(written).split(/[:/?\\]/)
  const labels = host.split(/[.。]/).filter(Boolean)
  const top = labels.at(-1) ?? ''
  return labels.length > 1 && !unspaced.test(top) && /^(?:[\p{L}\p{M}]{2,}|xn--[a-z0-9-]+)$/iu.test(top)
}

const isLinkable = ({ hostname, port, pathname, search }: URL, written: string) => {
  if (port === '' && pathname === '/' && search === '' && !fold(written).endsWith('/')) return false
  // No valid host name contains an empty label.
  if (/^\.|\.\./.test(hostname)) return false
  if (hostname.startsWith('[') || hostname === 'localhost') return true
  // IPv4 addresses with fewer than four numbers are ignored, because they are more often ratios and times.
  if (/^[\d.]+$/.test(hostname)) return fold(written).split(/[.。]/).length > 3
  return hasTopLevel(written)
}

/**
 * Lists the hosts in a text that are followed by a port, a path or a query, as the URL parser reads them. The parser
 * maps lookalike characters as IDNA does: `evil．test：80`. A client that turns addresses without a scheme into links
 * could find these hosts.
 */
export const listBareHosts = (text: string): readonly string[] =>
  separate(text.replace(/\p{DI}/gu, ''))
    .split(/[\s()"'`*~,;!|<>&\p{Co}]+/u)
    .filter((written) => {
      const url = URL.parse(
        `https://${written.replace(/[／：？]/g, (character) => character.normalize('NFKC'))}`,
      )
      return url !== null && isLinkable(url, written)
    })
