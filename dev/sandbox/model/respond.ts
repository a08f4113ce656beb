import * as z from 'zod'
import type { ChatRequest, Message, Respond } from './chat-request.ts'

/** Words in a question that select a tool. A question may select several tools. */
const toolsByWords: readonly (readonly [words: RegExp, tool: string])[] = [
  [
    /\b(?:missing|lacks?|isrcs?|iswcs?|artwork|lyrics|release date|before (?:a|the|my) release)\b/i,
    'missing_identifiers',
  ],
  [/\b(?:splits?|split sheets?|writers?|publishers?|add up|percentages?)\b/i, 'split_sheets'],
  [/\b(?:shared|shares|sharing|links?|access|invitations?|invited|whom)\b/i, 'open_shares'],
  [/\b(?:plays?|played|trends?|popular|rising|falling|listen(?:s|ed)?)\b/i, 'plays_and_trends'],
  [/\b(?:duplicates?|twice|copies|same recording)\b/i, 'duplicates'],
]
const usualTool = 'missing_identifiers'

const quoted = /["“'‘]([^"”'’]{1,100})["”'’]/

const Cited = z.object({ title: z.string(), cite: z.string() })
const Share = z.object({ id: z.string(), title: z.string(), recipient: z.string().nullable() })
const ToolResult = z.object({
  output: z.object({ shares: z.array(Share).default([]) }).default({ shares: [] }),
  error: z.string().optional(),
  findings: z.array(Cited.extend({ message: z.string(), action: z.string() })).default([]),
  sources: z.array(Cited).default([]),
})
type ToolResult = z.infer<typeof ToolResult>

const maxLines = 10

const isOffered = ({ tools = [] }: ChatRequest, name: string) =>
  tools.some((tool) => tool.function.name === name)

const findQuestion = ({ messages }: ChatRequest) => {
  const index = messages.findLastIndex(({ role }) => role === 'user')
  return { text: messages[index]?.content ?? '', after: messages.slice(index + 1) }
}

const readResult = (message: Message): ToolResult[] => {
  if (message.role !== 'tool') return []
  try {
    return [ToolResult.parse(JSON.parse(message.content))]
  } catch {
    return []
  }
}

// A question about one track, such as: Is "Harbour Lights" ready?
const callForTrack = (request: ChatRequest, title: string, results: readonly ToolResult[]) => {
  if (results.length === 0)
    return isOffered(request, 'search_tracks')
      ? [{ name: 'search_tracks', input: JSON.stringify({ text: title }) }]
      : []
  const [, trackId] = /^\[track:([\w-]+)\]$/.exec(results[0]?.sources[0]?.cite ?? '') ?? []
  const isLookedUp = results.length > 1 || trackId === undefined || !isOffered(request, 'track_readiness')
  return isLookedUp ? [] : [{ name: 'track_readiness', input: JSON.stringify({ trackId }) }]
}

const callForWords = (request: ChatRequest, question: string, results: readonly ToolResult[]) => {
  if (results.length > 0) return []
  const selected = toolsByWords.flatMap(([words, tool]) => (words.test(question) ? [tool] : []))
  const names = selected.length > 0 ? selected : [usualTool]
  return names.filter((name) => isOffered(request, name)).map((name) => ({ name, input: '{}' }))
}

const listShares = ({ output: { shares } }: ToolResult) =>
  shares.map(({ id, title, recipient }) => `- ${title}, for ${recipient ?? 'anyone with it'} [share:${id}]`)

const listLines = (result: ToolResult) => {
  const { findings, sources } = result
  const shares = listShares(result)
  if (findings.length === 0 && shares.length === 0)
    return sources.map(({ title, cite }) => `- ${title} ${cite}`)
  const found = findings.map(({ title, cite, message, action }) => `- ${title}: ${message} ${action} ${cite}`)
  return [...shares, ...found]
}

const writeText = (results: readonly ToolResult[]) => {
  const lines = [...new Set(results.flatMap(listLines))]
  if (lines.length === 0) return 'Your catalogue has nothing like that.'
  const more = lines.length > maxLines ? [`- and ${lines.length - maxLines} more`] : []
  return ['This is what your catalogue shows:', '', ...lines.slice(0, maxLines), ...more].join('\n')
}

/**
 * Responds like a model, but always in the same way: words in the question select tools, and the text lists what the
 * tools returned, with the citations that they offer.
 */
export const respond: Respond = (request) => {
  const { text: question, after } = findQuestion(request)
  const results = after.flatMap(readResult)
  const [, title] = quoted.exec(question) ?? []
  const calls =
    title === undefined ? callForWords(request, question, results) : callForTrack(request, title, results)
  return calls.length > 0 ? { calls } : { text: writeText(results) }
}
