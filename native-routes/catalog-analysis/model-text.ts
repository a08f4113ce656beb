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
const address = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?::\d+)?[/?])\S*/gi
const removedAddress = '(address removed)'
const markup = /[[<]/g

const escapeMarkup = (text: string) => text.replace(markup, (character) => `&#${character.charCodeAt(0)};`)

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
    const harmless = (part: string) => escapeMarkup(part.replace(address, removedAddress))
    const parts = text.split(marker)
    // The split has the type and the id of each marker between the other parts.
    return parts
      .map((part, index) => {
        if (index % 3 === 0) return harmless(part)
        return index % 3 === 1 ? cite(part, parts[index + 1] ?? '') : ''
      })
      .join('')
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
