import * as z from 'zod'
import { Citation, Finding, maxFindings } from './shared/catalog-findings.ts'
import { defineStreamContract } from './shared/contract.ts'
import { Count, Id, Timestamp, TrimmedLongText } from './shared/primitives.ts'

const maxQuestionLength = 4000

const Opening = z.object({ threadId: Id })

export const Analysis = Opening.extend({
  messageId: Id,
  /** Markdown without addresses, HTML or images. `[1]` refers to the first citation. */
  answer: z.string(),
  findings: z.array(Finding).max(maxFindings),
  citations: z.array(Citation),
  /** Null if the answer was written from the findings alone, without a model. */
  model: z.literal('configured').nullable(),
  usage: z.object({ inputTokens: Count, outputTokens: Count, toolCalls: Count }),
  createdAt: Timestamp,
})
export type Analysis = z.infer<typeof Analysis>

export const ask = defineStreamContract('catalog-analysis.ask', {
  body: z.strictObject({
    message: TrimmedLongText(maxQuestionLength),
    threadId: Id.optional(),
  }),
  responses: { 200: Analysis },
  stream: {
    opening: Opening,
    events: { delta: z.object({ text: z.string() }), finding: Finding },
  },
  headers: { 200: { 'x-service-ai-thread-id': ({ body }) => body.threadId } },
  errorHeaders: { 'x-service-ai-thread-id': ({ body }) => body.threadId },
  errors: ['analysis_thread_not_found', 'analysis_rate_limited'],
})
