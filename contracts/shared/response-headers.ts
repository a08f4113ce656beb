import * as z from 'zod'
import { Id } from './primitives.ts'

/** Headers a contract or error code can declare, in addition to those on every response. */
export const responseHeaders = {
  location: {
    description: 'The URL of the new resource; relative if the service has no public base URL.',
    schema: z.string().min(1).meta({ format: 'uri-reference' }),
  },
  'retry-after': {
    description: 'The number of seconds to wait before a retry.',
    schema: z.int().min(0),
  },
  'x-service-ai-thread-id': {
    description: 'The thread of questions and answers that the response belongs to.',
    schema: Id,
  },
  'www-authenticate': {
    description: 'The authentication scheme that the route requires.',
    schema: z.string().min(1),
  },
  allow: {
    description: 'The methods that the path supports, separated by commas.',
    schema: z.string(),
  },
} as const satisfies Record<string, { readonly description: string; readonly schema: z.ZodType }>

export type ResponseHeaderName = keyof typeof responseHeaders

const isDeclarable = (name: string): name is ResponseHeaderName => Object.hasOwn(responseHeaders, name)

export const listHeaderNames = (declared: object): readonly ResponseHeaderName[] =>
  Object.keys(declared).filter(isDeclarable)

/** Headers the pipeline adds. No contract declares them, and the core does not send them. */
export const pipelineHeaders = {
  'idempotent-replayed': {
    description:
      '`true` if this is the response to an earlier request that had the same idempotency key and was applied.',
    schema: z.literal('true'),
  },
  ratelimit: {
    description:
      'What is left of each rate limit that applies: its name, `r` (requests left) and `t` (seconds until it resets). See draft-ietf-httpapi-ratelimit-headers.',
    schema: z.string().min(1),
  },
  'ratelimit-policy': {
    description:
      'Each rate limit that applies: its name, `q` (requests allowed) and `w` (window in seconds).',
    schema: z.string().min(1),
  },
} as const satisfies Record<string, { readonly description: string; readonly schema: z.ZodType }>
