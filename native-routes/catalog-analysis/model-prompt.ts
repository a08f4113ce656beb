import type { ModelMessage } from './ports.ts'
import { systemPrompt } from './system-prompt.ts'

/** A message of the thread before the question. */
export interface PastMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

const bytesPerToken = 4

const encoder = new TextEncoder()

/** How many tokens a part of a request or a response has, approximately: providers tokenize in different ways. */
export const estimateTokens = (part: unknown) =>
  Math.ceil(encoder.encode(JSON.stringify(part)).length / bytesPerToken)

const toMessage = ({ role, text }: PastMessage): ModelMessage =>
  role === 'user' ? { role, text } : { role, text, calls: [] }

/** The messages of the first request about a question, with the last ones of its thread that fit into the tokens. */
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
