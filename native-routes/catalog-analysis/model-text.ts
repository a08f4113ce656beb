import type { Citation } from '#contracts/shared/catalog-findings.ts'
import { ModelError } from './ports.ts'

/** The text of a model while it is written. It arrives in parts of any length, and is passed on word by word. */
export interface ModelText {
  /** Returns what can be sent by now. */
  push(text: string): string
  /** Returns the rest, when the model calls tools or has ended. */
  endPart(): string
  result(): {
    readonly answer: string
    readonly citations: Citation[]
    readonly droppedCitations: number
  }
}

const maxLength = 20_000
const maxWordLength = 4000

const control = /(?![\n\t])\p{Cc}/gu
const marker = /\[(track|pack|library|share):([A-Za-z0-9_-]{1,128})\]/g
// Addresses that clients turn into links: with a scheme, `www.` or a path.
const address =
  /(?:(?:[a-z][a-z0-9+.-]*:)?\/\/|www\.|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?::\d+)?[/?])\S*/gi
const removedAddress = '(address removed)'
const markup = /[[<]/g
// Takes the place of a citation while addresses and markup are replaced around it.
const placeholder = '\uE000'
// After a citation, these would make it the text of a link, or the label of one.
const citation = /\uE000([:(]?)/g

/**
 * Creates the text of one answer. The model may repeat what a title or a message told it to write: links, images and HTML
 * become plain text, and addresses are removed, so that a client that renders Markdown sends nothing elsewhere. A citation
 * such as `[track:ID]` becomes `[1]`, the number of the citation, or is dropped if `find` does not know it.
 */
export const createModelText = (find: (type: string, id: string) => Citation | undefined): ModelText => {
  const citations: Citation[] = []
  let droppedCitations = 0
  let answer = ''
  let word = ''

  const cite = (type: string, id: string) => {
    const citation = find(type, id)
    if (!citation) {
      droppedCitations += 1
      return ''
    }
    if (!citations.includes(citation)) citations.push(citation)
    return `[${citations.indexOf(citation) + 1}]`
  }

  const convertWord = (text: string) => {
    const cited: string[] = []
    return text
      .replaceAll(placeholder, '')
      .replace(marker, (_, type: string, id: string) => {
        const reference = cite(type, id)
        if (reference === '') return ''
        cited.push(reference)
        return placeholder
      })
      .replace(address, removedAddress)
      .replace(markup, (character) => `&#${character.charCodeAt(0)};`)
      .replace(citation, (_, next: string) => `${cited.shift() ?? ''}${next === '' ? '' : ` ${next}`}`)
  }

  const send = (text: string) => {
    const converted = text.toWellFormed().replace(control, '').replace(/\S+/g, convertWord)
    answer += converted
    if (answer.length > maxLength)
      throw new ModelError('too_long', `the model wrote over ${maxLength} characters`)
    return converted
  }

  return {
    push: (text) => {
      const pending = word + text
      const end = pending.search(/\S*$/)
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
