import type { Label } from '#contracts/route-table.ts'
import { fillPath, rowOf } from '#contracts/shared/row.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import type { GatewayResponse } from '#gateway/request/response.ts'
import { listReadsAfter } from '../parity/paired-reads.ts'
import type { CopiedWrite } from '../shadow/comparison-tasks.ts'
import { copyNative, isTooLong, maxBodyBytes } from './copy-native.ts'

/** A GET that shows what a write has stored. */
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

/** Lists the reads that show what a write stored, based on its request and response. Empty for a failed write. */
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
  if (body !== null && body.length > maxBodyBytes) return null
  return { label, params, request: body, response: copyNative(response) }
}

/** Returns what identifies a write's resource: the ids in its path and response. */
export const listWrittenIds = (
  { params, path }: Pick<RequestContext, 'params' | 'path'>,
  response: GatewayResponse,
): readonly string[] => {
  const body = parseBody(response)
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null
  const ids = [...Object.values(params), ...(typeof id === 'string' ? [id] : [])]
  return ids.length > 0 ? ids : [path]
}
