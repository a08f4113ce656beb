import * as z from 'zod'
import { Citation, Finding, findingKinds } from './shared/catalog-findings.ts'
import { defineContract } from './shared/contract.ts'
import { Count, Id, openEnum, page, Timestamp } from './shared/primitives.ts'
import { paging, query } from './shared/query.ts'

/** A conversation: an account's questions, with their answers. The title is the start of the first question. */
const Thread = z.object({
  threadId: Id,
  title: z.string(),
  messageCount: Count,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

// Another release may have stored a kind that this release does not know.
export const StoredFinding = Finding.extend({ kind: openEnum(findingKinds) })

const Message = z.object({
  messageId: Id,
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  findings: z.array(StoredFinding).optional(),
  citations: z.array(Citation).optional(),
  createdAt: Timestamp,
})

const threadIdOf = ({ params }: { readonly params: { readonly threadId: string } }) => params.threadId

// The path may contain any text. Only a valid id is copied to the headers.
const readThreadId = (source: Parameters<typeof threadIdOf>[0]) => Id.safeParse(threadIdOf(source)).data

export const list = defineContract('catalog-analysis.threads.list', {
  query: query(z.object(paging({ maxLimit: 100, defaultLimit: 20 }))),
  responses: { 200: page(Thread) },
})

export const detail = defineContract('catalog-analysis.threads.detail', {
  responses: {
    200: z.object({
      threadId: Id,
      title: z.string(),
      /** The last 200, oldest first. */
      messages: z.array(Message),
    }),
  },
  headers: { 200: { 'x-service-ai-thread-id': threadIdOf } },
  errorHeaders: { 'x-service-ai-thread-id': readThreadId },
  errors: ['analysis_thread_not_found'],
})

export const remove = defineContract('catalog-analysis.threads.remove', {
  responses: { 204: null },
  headers: { 204: { 'x-service-ai-thread-id': threadIdOf } },
  errorHeaders: { 'x-service-ai-thread-id': readThreadId },
  errors: ['analysis_thread_not_found'],
})
