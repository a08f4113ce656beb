import type { Label } from '#contracts/route-table.ts'
import { fillPath, rowOf } from '#contracts/shared/row.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import type { GatewayResponse } from '#gateway/request/response.ts'
import { maxCopiedBytes } from '#proxy/core-response.ts'
import { listReadsAfter } from '../parity/paired-reads.ts'
import type { CopiedWrite } from '../shadow/comparison-tasks.ts'
import { copyNative } from '../shadow/read-copied-response.ts'

// Copies of the core's responses have the same limit, so nothing longer could be compared.
export const isTooLong = ({ body = '' }: GatewayResponse) =>
  (typeof body === 'string' ? body.length : body.reduce((sum, { length }) => sum + length, 0)) >
  maxCopiedBytes

interface ReadAfterWrite {
  readonly label: Label
  readonly path: string
}

const parseBody = ({ body }: GatewayResponse): unknown => {
  if (typeof body !== 'string') return null
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

export const listReadBacks = (
  { params, outcome }: Pick<RequestContext, 'params' | 'outcome'>,
  response: GatewayResponse,
): readonly ReadAfterWrite[] => {
  if (outcome.label === 'unmatched' || response.status >= 300) return []
  return listReadsAfter(outcome.label, params, parseBody(response))
    .filter(({ fromCore }) => !fromCore)
    .map((read) => ({ label: read.label, path: fillPath(read.label, read.params) }))
}

/**
 * Copies a write, to compare it with later core reads. Returns null if the response was replayed and may be old, if the
 * body is too long, or if effects outside the database can change the result of a read at any time.
 */
export const copyWrite = async (
  context: RequestContext,
  response: GatewayResponse,
): Promise<CopiedWrite | null> => {
  const { params, outcome } = context
  const { label, isReplayed } = outcome
  if (label === 'unmatched' || isReplayed || rowOf(label).effects !== 'write' || isTooLong(response))
    return null
  // Read immediately, because the body's memory is released with the request.
  const body = context.hasReadBody() ? Buffer.from(await context.readBody()) : null
  if (body !== null && body.length > maxCopiedBytes) return null
  return { label, params, request: body, response: copyNative(response) }
}

export const listWrittenIds = (
  { params, path }: Pick<RequestContext, 'params' | 'path'>,
  response: GatewayResponse,
): readonly string[] => {
  const body = parseBody(response)
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null
  const ids = [...Object.values(params), ...(typeof id === 'string' ? [id] : [])]
  return ids.length > 0 ? ids : [path]
}

/** Tells whether a client wrote the same resource again. Forgets a client once its last watch has ended. */
export const createLaterWrites = () => {
  const watches = new Map<string | null, Set<{ readonly ids: readonly string[]; isWrittenAgain: boolean }>>()
  return {
    /** Call this when a client begins a write, and again when the write has ended. */
    note(client: string | null, path: string) {
      if (watches.size === 0) return
      for (const watch of watches.get(client) ?? [])
        if (watch.ids.some((id) => path.includes(id))) watch.isWrittenAgain = true
    },
    /** The returned function ends the watch and returns whether a path with one of these ids was written. */
    watch(client: string | null, ids: readonly string[]) {
      const watch = { ids, isWrittenAgain: false }
      const ofClient = watches.get(client) ?? new Set()
      watches.set(client, ofClient.add(watch))
      return () => {
        ofClient.delete(watch)
        if (ofClient.size === 0 && watches.get(client) === ofClient) watches.delete(client)
        return watch.isWrittenAgain
      }
    },
  }
}
