import type { Citation } from '#contracts/shared/catalog-findings.ts'
import { ModelError } from './ports.ts'

const removedAddress = '(address removed)'

/** Scripts written without spaces, such as Chinese, Japanese and Thai, for a regular expression with the flag `u`. */
const unspaced = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'

// excludes the placeholder for a citation
const labelCharacter = '[a-z0-9_-]|[^\\x00-\\x7f\\ue000]'
const label = `(?:${labelCharacter})+`
// Excludes digits, which belong to a number, and unspaced scripts, because a new sentence may directly follow a full
// stop there.
const topLevel = `(?:xn--[a-z0-9-]+|(?:(?![${unspaced}])[\\p{L}\\p{M}]){2,})`
const number = '(?:0x[0-9a-f]+|[0-9]+)'
const host = [
  `(?<!${labelCharacter})${label}(?:\\.${label})*\\.${topLevel}\\.?`,
  `${number}(?:\\.${number}){3}\\.?`,
  '\\[[0-9a-f:.]{2,45}\\]',
  'localhost',
].join('|')
// Addresses that clients turn into links: with a scheme, `www.`, a port, a path or a query. Anything else with dots is
// taken for the name of a file or an artist.
const address = `(?:(?:[a-z][a-z0-9+.-]*:)?\\/\\/|www\\.|(?:${host})(?::[0-9]|:?[/?\\\\]))\\S*`
const addresses = new RegExp(address, 'giu')
const firstAddress = new RegExp(address, 'iu')

const beyondAscii = /[^\p{ASCII}]/u
const invisible = /\p{Default_Ignorable_Code_Point}/gu
const isBesideUnspaced = `(?<=[${unspaced}])|(?=.[${unspaced}])`
const ideographicStop = new RegExp(`(?!${isBesideUnspaced})\u3002`, 'gu')

// Maps like IDNA (UTS 46), so `ｅｖｉｌ．ｔｅｓｔ` is found. The ideographic full stop counts as a dot, except next to a script
// that ends sentences with it.
const mapAsHost = (text: string) =>
  text.replace(invisible, '').normalize('NFKC').replace(ideographicStop, '.')

const hasMappedAddress = (text: string) =>
  beyondAscii.test(text) && mapAsHost(text).search(firstAddress) !== -1

/**
 * Replaces the addresses in a word, or the whole word if it contains a disguised one. `before` is the text directly in
 * front of the word, with no space in between. A host may begin in `before`, which stays at the start of the result.
 */
const removeAddresses = (before: string, word: string): string => {
  const removed = `${before}${word}`.replace(addresses, (_, at: number) =>
    at < before.length ? `${before}${removedAddress}` : removedAddress,
  )
  return hasMappedAddress(removed) ? `${before}${removedAddress}` : removed
}

export interface ModelText {
  push(text: string): string
  endPart(): string
  result(): {
    readonly answer: string
    readonly citations: Citation[]
    readonly droppedCitations: number
  }
}

const maxLength = 20_000
const maxWordLength = 4000

// Each of these characters ends a word, except full stops that IDNA reads as dots. None is part of a citation or
// starts an address.
const ending = `(?![\u3002\uff61])[${unspaced}]`
const inside = `(?:(?!${ending})\\S)`
const words = new RegExp(`${inside}*${ending}|${inside}+`, 'gu')
const lastWord = new RegExp(`${inside}*$`, 'u')
const unspacedEnd = new RegExp(`${ending}$`, 'u')

// Layout controls would reorder the text. Tag characters (U+E0000) are invisible and can hide a message.
const control =
  /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu
const marker = /\[(track|pack|library|share):([A-Za-z0-9_-]{1,128})\]/g
// Some parsers look for addresses after replacing escapes and character references, such as `www\.` and `&sol;`.
const escapes = /\\+(?=[./:@&])/g
const reference = /&(?=#?\w+;)/g
// Matches the `@` of an e-mail address. It is replaced so that the address stays readable without becoming a link.
const at = /(?<=\S)[@\uff20\ufe6b](?=\S)/g
const markup = /[[<]/g
// Stands in for a citation while addresses and markup around it are replaced.
const placeholder = '\uE000'
// After a citation, these would turn it into a link's text or label.
const citation = /\uE000([:(]?)/g

/**
 * Creates the text of one answer. A title or message may have told the model what to write, so links, images and HTML
 * become plain text, and addresses are removed or defused. A client that renders the Markdown then contacts no other
 * host. A citation such as `[track:ID]` becomes `[1]`, or is dropped if `find` does not know it.
 */
export const createModelText = (find: (type: string, id: string) => Citation | undefined): ModelText => {
  const citations: Citation[] = []
  let droppedCitations = 0
  let answer = ''
  let word = ''
  let sent = ''

  const cite = (type: string, id: string) => {
    const citation = find(type, id)
    if (!citation) {
      droppedCitations += 1
      return ''
    }
    if (!citations.includes(citation)) citations.push(citation)
    return `[${citations.indexOf(citation) + 1}]`
  }

  /** `before` is empty for a space. */
  const convertWord = (text: string, before: string) => {
    const cited: string[] = []
    const withoutMarkers = text
      .replaceAll(placeholder, '')
      .replace(marker, (_, type: string, id: string) => {
        const reference = cite(type, id)
        if (reference === '') return ''
        cited.push(reference)
        return placeholder
      })
      .replace(escapes, '')
      .replace(reference, '&amp;')
    return removeAddresses(before, withoutMarkers)
      .replace(at, ' (at) ')
      .replace(markup, (character) => `&#${character.charCodeAt(0)};`)
      .replace(citation, (_, next: string) => `${cited.shift() ?? ''}${next === '' ? '' : ` ${next}`}`)
      .slice(before.length)
  }

  const send = (text: string) => {
    const wellFormed = text.toWellFormed()
    const converted = wellFormed.replace(words, (each, at: number) =>
      convertWord(each, unspacedEnd.exec(sent + wellFormed.slice(0, at))?.[0] ?? ''),
    )
    sent = wellFormed === '' ? sent : wellFormed.slice(-2)
    answer += converted
    if (answer.length > maxLength)
      throw new ModelError('too_long', `the model wrote over ${maxLength} characters`)
    return converted
  }

  return {
    push: (text) => {
      // Control characters are removed before the text is split into words: removing them later could rejoin the parts
      // of an address.
      const pending = (word + text).replace(control, '')
      const end = pending.search(lastWord)
      word = pending.slice(end)
      if (word.length > maxWordLength)
        throw new ModelError('garbled', `the model wrote a word of over ${maxWordLength} characters`)
      return send(pending.slice(0, end))
    },
    endPart: () => {
      const rest = word
      word = ''
      return send(answer === '' && rest === '' ? '' : `${rest}\n\n`)
    },
    result: () => ({ answer: answer.trim(), citations, droppedCitations }),
  }
}
