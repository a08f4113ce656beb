import type { ModelMessage } from './ports.ts'
import { systemPrompt } from './system-prompt.ts'

/** A message that comes before the question in its thread. */
export interface PastMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

const bytesPerToken = 4

const encoder = new TextEncoder()

/**
 * Estimates how many tokens a part of a request or response takes. Only approximate, because providers tokenize
 * differently.
 */
export const estimateTokens = (part: unknown) =>
  Math.ceil(encoder.encode(JSON.stringify(part)).length / bytesPerToken)

const toMessage = ({ role, text }: PastMessage): ModelMessage =>
  role === 'user' ? { role, text } : { role, text, calls: [] }

/** Returns the first request's messages, with as much of the thread's end as the tokens allow. */
export const createPrompt = (
  question: string,
  history: readonly PastMessage[],
  tokens: number,
): ModelMessage[] => {
  const instructions: ModelMessage = { role: 'system', text: systemPrompt }
  const asked: ModelMessage = { role: 'user', text: question }
  let left = tokens - estimateTokens([instructions, asked])
  const firstRead = history.findLastIndex((message) => {
    left -= estimateTokens(toMessage(message))
    return left < 0
  })
  return [instructions, ...history.slice(firstRead + 1).map(toMessage), asked]
}
