import * as z from 'zod'
import { Id } from './primitives.ts'

/** The response headers that a contract or an error code can declare, in addition to those of every response. */
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
    description: 'The thread of questions and responses that the response belongs to.',
    schema: Id,
  },
  'www-authenticate': {
    description: 'The scheme of the credentials that the route requires.',
    schema: z.string().min(1),
  },
  allow: {
    description: 'The methods of the path, separated by commas.',
    schema: z.string(),
  },
} as const satisfies Record<string, { readonly description: string; readonly schema: z.ZodType }>

export type ResponseHeaderName = keyof typeof responseHeaders

const isDeclarable = (name: string): name is ResponseHeaderName => Object.hasOwn(responseHeaders, name)

/** The names of the headers that a contract or an error code declares. */
export const listHeaderNames = (declared: object): readonly ResponseHeaderName[] =>
  Object.keys(declared).filter(isDeclarable)
